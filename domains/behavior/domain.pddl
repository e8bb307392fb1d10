;; What the goals of BEHAVIOR ask for beyond places, doors and switches, on the household: what covers and fills
;; things, heat and cold. Extends household/domain.pddl, whose types and predicates it uses.
;;
;; The tools, solvents and sources are BEHAVIOR's (bddl 3.6.0, generated_data/prop_param_annots). Simplified:
;; amounts do not run out, so what is poured stays in the vessel too; a vessel with any of it is filled;
;; a tap runs while a vessel is held under it; heat and cold act at once; a thing is heated or frozen directly,
;; or on or in one vessel in between.
(define (domain behavior)
  (:requirements :strips :typing :action-costs)
  (:predicates
    ; substances
    (covered ?x - object ?s - item)
    (contains ?x - object ?s - item)
    (filled_with ?x - object ?s - item)
    (saturated ?x - object ?s - item)
    (gives ?x - object ?s - item)  ; never runs dry: a tap, a shaker, an atomizer
    ; heat and cold
    (heated ?i - item)              ; has been at the heat that cooks
    (cooked ?i - item)
    (frozen ?i - item)
    (sliced ?i - item)
    (folded ?i - item)
    (unfolded ?i - item)
    (real ?i - item)                ; has been made
    ; what never changes
    (fillable ?x - object)
    (cookable ?i - item)
    (heats_on ?x - object)          ; running, it heats what is on it
    (heats_in ?x - object)          ; running, it heats what is inside, whether it has a door or not
    (heats_shut ?x - object)        ; running and closed, it heats what is inside
    (freezes_in ?x - object)
    (freezes_shut ?x - object)
    (launders ?x - object)
    (takes_attached ?x - object)
    (takes_under ?x - object)
    (foldable ?i - item)
    (sliceable ?i - item)
    (slices ?t - item)
    (first_half ?i - item)
    (second_half ?i - item)
    (made_by_dicing ?i - item)
    (made_by_dicing_cooked ?i - item)
    (made_by_cooking ?i - item)
    (made_by_melting ?i - item)
    (lets_cook ?i - item)
    (made_in_boiled_water ?i - item)
    (boiled_water ?s - item)
    (absorbs ?t - item)
    (wipes_dry ?t - item)           ; takes off anything that needs no solvent
    (sweeps ?t - item)              ; takes off what lies loose
    (vacuums ?t - item)
    (scours ?t - item)
    (irons ?t - item)
    (substance ?s - item)
    (loose ?s - item)
    (needs_nothing ?s - item)               ; needs no solvent
    (needs_water ?s - item)
    (needs_soap ?s - item)
    (needs_acetone ?s - item)
    (needs_acid ?s - item)
    (needs_scouring ?s - item)
    (needs_ironing ?s - item)
    (water ?s - item)
    (soap ?s - item)
    (acetone ?s - item)
    (acid ?s - item))

  ;; Cleaning what the robot stands at with what it holds.
  (:action wipe_off
    :parameters (?x - object ?s - item ?t - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (wipes_dry ?t) (needs_nothing ?s))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action wipe_with_water
    :parameters (?x - object ?s - item ?t - item ?w - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (absorbs ?t) (needs_water ?s)
      (saturated ?t ?w) (water ?w))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action wipe_with_soap
    :parameters (?x - object ?s - item ?t - item ?w - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (absorbs ?t) (needs_soap ?s)
      (saturated ?t ?w) (soap ?w))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action wipe_with_acetone
    :parameters (?x - object ?s - item ?t - item ?w - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (absorbs ?t) (needs_acetone ?s)
      (saturated ?t ?w) (acetone ?w))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action wipe_with_acid
    :parameters (?x - object ?s - item ?t - item ?w - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (absorbs ?t) (needs_acid ?s)
      (saturated ?t ?w) (acid ?w))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action sweep
    :parameters (?x - object ?s - item ?t - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (sweeps ?t) (loose ?s))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action vacuum
    :parameters (?x - object ?s - item ?t - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (vacuums ?t) (turned_on ?t) (loose ?s))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action scour
    :parameters (?x - object ?s - item ?t - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (scours ?t) (needs_scouring ?s))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action iron
    :parameters (?x - object ?s - item ?t - item)
    :precondition (and (stands_at ?x) (covered ?x ?s) (holding ?t) (irons ?t) (turned_on ?t) (needs_ironing ?s))
    :effect (and (not (covered ?x ?s)) (increase (total-cost) 100)))
  (:action launder
    :parameters (?i - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (launders ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x) (covered ?i ?s)
      (needs_nothing ?s))
    :effect (and (not (covered ?i ?s)) (increase (total-cost) 100)))
  (:action launder_wet
    :parameters (?i - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (launders ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x) (covered ?i ?s)
      (needs_water ?s))
    :effect (and (not (covered ?i ?s)) (increase (total-cost) 100)))
  (:action launder_with_soap
    :parameters (?i - item ?s - item ?x - object ?w - item)
    :precondition (and (stands_at ?x) (launders ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x) (covered ?i ?s)
      (needs_soap ?s) (contains ?x ?w) (soap ?w))
    :effect (and (not (covered ?i ?s)) (increase (total-cost) 100)))

  ;; Soaking what is held, at a tap or in what a vessel contains.
  (:action soak_at
    :parameters (?t - item ?w - item ?x - object)
    :precondition (and (stands_at ?x) (gives ?x ?w) (holding ?t) (absorbs ?t))
    :effect (and (saturated ?t ?w) (increase (total-cost) 100)))
  (:action soak_in
    :parameters (?t - item ?w - item ?x - object)
    :precondition (and (stands_at ?x) (contains ?x ?w) (holding ?t) (absorbs ?t))
    :effect (and (saturated ?t ?w) (increase (total-cost) 100)))
  (:action wring
    :parameters (?t - item ?w - item)
    :precondition (and (holding ?t) (saturated ?t ?w))
    :effect (and (not (saturated ?t ?w)) (increase (total-cost) 100)))

  ;; Filling, pouring and strewing from what is held; a fixed vessel fills at its own tap.
  (:action fill
    :parameters (?c - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (gives ?x ?s) (holding ?c) (fillable ?c))
    :effect (and (contains ?c ?s) (filled_with ?c ?s) (increase (total-cost) 100)))
  (:action run_into
    :parameters (?x - object ?s - item)
    :precondition (and (stands_at ?x) (gives ?x ?s) (fillable ?x))
    :effect (and (contains ?x ?s) (filled_with ?x ?s) (increase (total-cost) 100)))
  (:action pour
    :parameters (?c - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (fillable ?x) (holding ?c) (contains ?c ?s))
    :effect (and (contains ?x ?s) (filled_with ?x ?s) (increase (total-cost) 100)))
  (:action dispense
    :parameters (?c - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (fillable ?x) (holding ?c) (gives ?c ?s))
    :effect (and (contains ?x ?s) (filled_with ?x ?s) (increase (total-cost) 100)))
  (:action spread
    :parameters (?c - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?c) (contains ?c ?s))
    :effect (and (covered ?x ?s) (increase (total-cost) 100)))
  (:action spray
    :parameters (?c - item ?s - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?c) (gives ?c ?s))
    :effect (and (covered ?x ?s) (increase (total-cost) 100)))
  (:action empty
    :parameters (?c - item ?s - item)
    :precondition (and (holding ?c) (contains ?c ?s))
    :effect (and (not (contains ?c ?s)) (not (filled_with ?c ?s)) (increase (total-cost) 100)))
  (:action drain
    :parameters (?x - asset ?s - item)
    :precondition (and (stands_at ?x) (contains ?x ?s))
    :effect (and (not (contains ?x ?s)) (not (filled_with ?x ?s)) (increase (total-cost) 100)))

  ;; Waiting for the cold to act, or to leave.
  (:action freeze_inside
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (freezes_in ?x) (inside_of ?i ?x))
    :effect (and (frozen ?i) (increase (total-cost) 100)))
  (:action freeze_shut
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (freezes_shut ?x) (closed ?x) (inside_of ?i ?x))
    :effect (and (frozen ?i) (increase (total-cost) 100)))
  (:action thaw
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x) (frozen ?i))
    :effect (and (not (frozen ?i)) (increase (total-cost) 100)))

  ;; Fastening, putting under, folding.
  (:action attach
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_pickup ?i) (takes_attached ?x))
    :effect (and (attached_to ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action detach
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (attached_to ?i ?x) (takes_attached ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (attached_to ?i ?x)) (increase (total-cost) 100)))
  (:action release_under
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_pickup ?i) (takes_under ?x))
    :effect (and (under ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action fold
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (ontop_of ?i ?x) (foldable ?i))
    :effect (and (folded ?i) (not (unfolded ?i)) (increase (total-cost) 100)))
  (:action unfold
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (ontop_of ?i ?x) (foldable ?i))
    :effect (and (unfolded ?i) (not (folded ?i)) (increase (total-cost) 100)))

  ;; Making one thing of another, which it hangs on till then. What is made of a substance replaces it there.
  (:action halve_on
    :parameters (?i - item ?a - item ?b - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?a ?i) (attached_to ?b ?i)
      (first_half ?a) (second_half ?b) (can_pickup ?a) (can_pickup ?b) (can_release ?x))
    :effect (and (real ?a) (real ?b) (ontop_of ?a ?x) (ontop_of ?b ?x) (not (ontop_of ?i ?x)) (not (attached_to ?a ?i))
      (not (attached_to ?b ?i)) (increase (total-cost) 100)))
  (:action halve_inside
    :parameters (?i - item ?a - item ?b - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (inside_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?a ?i) (attached_to ?b ?i)
      (first_half ?a) (second_half ?b) (can_pickup ?a) (can_pickup ?b) (can_release ?x) (container ?x))
    :effect (and (real ?a) (real ?b) (inside_of ?a ?x) (inside_of ?b ?x) (not (inside_of ?i ?x)) (not (attached_to ?a ?i))
      (not (attached_to ?b ?i)) (increase (total-cost) 100)))
  (:action dice_inside
    :parameters (?i - item ?o - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (fillable ?x) (inside_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?o ?i)
      (made_by_dicing ?o))
    :effect (and (real ?o) (contains ?x ?o) (filled_with ?x ?o) (attached_to ?o ?x) (not (inside_of ?i ?x))
      (not (attached_to ?o ?i)) (increase (total-cost) 100)))
  (:action dice_cooked_inside
    :parameters (?i - item ?o - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (fillable ?x) (inside_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?o ?i)
      (made_by_dicing_cooked ?o) (cooked ?i))
    :effect (and (real ?o) (contains ?x ?o) (filled_with ?x ?o) (attached_to ?o ?x) (not (inside_of ?i ?x))
      (not (attached_to ?o ?i)) (increase (total-cost) 100)))
  (:action dice_cooked_on
    :parameters (?i - item ?o - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?o ?i)
      (made_by_dicing_cooked ?o) (cooked ?i))
    :effect (and (real ?o) (covered ?x ?o) (attached_to ?o ?x) (not (ontop_of ?i ?x)) (not (attached_to ?o ?i))
      (increase (total-cost) 100)))
  (:action dice_on
    :parameters (?i - item ?o - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x) (holding ?t) (slices ?t) (attached_to ?o ?i) (made_by_dicing ?o))
    :effect (and (real ?o) (covered ?x ?o) (attached_to ?o ?x) (not (ontop_of ?i ?x)) (not (attached_to ?o ?i)) (increase (total-cost) 100)))
  (:action let_cook_on
    :parameters (?c - item ?s - item ?o - item ?x - object)
    :precondition (and (stands_at ?x) (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x)
      (contains ?c ?s) (fillable ?c) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (contains ?c ?s)) (not (filled_with ?c ?s)) (increase (total-cost) 100)))
  (:action let_cook_shut
    :parameters (?c - item ?s - item ?o - item ?x - object)
    :precondition (and (stands_at ?x) (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?c ?x)
      (contains ?c ?s) (fillable ?c) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (contains ?c ?s)) (not (filled_with ?c ?s)) (increase (total-cost) 100)))
  (:action let_cook_itself
    :parameters (?c - object ?s - item ?o - item)
    :precondition (and (stands_at ?c) (heats_in ?c) (turned_on ?c)
      (contains ?c ?s) (fillable ?c) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (contains ?c ?s)) (not (filled_with ?c ?s)) (increase (total-cost) 100)))
  (:action let_cook_in_water
    :parameters (?c - item ?s - item ?o - item ?x - object ?w - item)
    :precondition (and (stands_at ?x) (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x)
      (contains ?c ?s) (fillable ?c) (attached_to ?o ?s) (made_in_boiled_water ?o) (contains ?c ?w) (boiled_water ?w))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (contains ?c ?s)) (not (filled_with ?c ?s))
      (increase (total-cost) 100)))
  (:action let_cook_cover_on
    :parameters (?c - item ?s - item ?o - item ?x - object)
    :precondition (and (stands_at ?x) (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x)
      (covered ?c ?s) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (covered ?c ?o) (not (covered ?c ?s)) (increase (total-cost) 100)))
  (:action let_cook_cover_shut
    :parameters (?c - item ?s - item ?o - item ?x - object)
    :precondition (and (stands_at ?x) (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?c ?x)
      (covered ?c ?s) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (covered ?c ?o) (not (covered ?c ?s)) (increase (total-cost) 100)))
  (:action let_cook_cover_by_way
    :parameters (?c - item ?y - item ?s - item ?o - item ?x - object)
    :precondition (and (stands_at ?x) (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?y ?x)
      (ontop_of ?c ?y) (covered ?c ?s) (attached_to ?o ?s) (made_by_cooking ?o))
    :effect (and (real ?o) (covered ?c ?o) (not (covered ?c ?s)) (increase (total-cost) 100)))
  (:action melt_on
    :parameters (?i - item ?o - item ?c - item ?x - object)
    :precondition (and (stands_at ?x) (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x)
      (inside_of ?i ?c) (fillable ?c) (attached_to ?o ?i) (made_by_melting ?o))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (inside_of ?i ?c)) (increase (total-cost) 100)))
  (:action melt_shut
    :parameters (?i - item ?o - item ?c - item ?x - object)
    :precondition (and (stands_at ?x) (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?c ?x)
      (inside_of ?i ?c) (fillable ?c) (attached_to ?o ?i) (made_by_melting ?o))
    :effect (and (real ?o) (contains ?c ?o) (filled_with ?c ?o) (not (inside_of ?i ?c)) (increase (total-cost) 100)))
  ;; BEHAVIOR-100 has no halves.
  (:action slice
    :parameters (?i - item ?x - object ?t - item)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x) (sliceable ?i) (holding ?t) (slices ?t))
    :effect (and (sliced ?i) (increase (total-cost) 100)))

  ;; Events.
  (:action heat_on
    :parameters (?i - item ?x - object)
    :precondition (and (heats_on ?x) (turned_on ?x) (ontop_of ?i ?x))
    :effect (and (heated ?i)))
  (:action heat_in
    :parameters (?i - item ?x - object)
    :precondition (and (heats_in ?x) (turned_on ?x) (inside_of ?i ?x))
    :effect (and (heated ?i)))
  (:action heat_shut
    :parameters (?i - item ?x - object)
    :precondition (and (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x))
    :effect (and (heated ?i)))
  (:action heat_on_by_way_in
    :parameters (?i - item ?c - item ?x - object)
    :precondition (and (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x) (inside_of ?i ?c))
    :effect (and (heated ?i)))
  (:action heat_on_by_way_on
    :parameters (?i - item ?c - item ?x - object)
    :precondition (and (heats_on ?x) (turned_on ?x) (ontop_of ?c ?x) (ontop_of ?i ?c))
    :effect (and (heated ?i)))
  (:action heat_shut_by_way_in
    :parameters (?i - item ?c - item ?x - object)
    :precondition (and (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?c ?x) (inside_of ?i ?c))
    :effect (and (heated ?i)))
  (:action heat_shut_by_way_on
    :parameters (?i - item ?c - item ?x - object)
    :precondition (and (heats_shut ?x) (turned_on ?x) (closed ?x) (inside_of ?c ?x) (ontop_of ?i ?c))
    :effect (and (heated ?i)))
  (:action cook
    :parameters (?i - item)
    :precondition (and (heated ?i) (cookable ?i))
    :effect (and (cooked ?i)))
  (:action warm
    :parameters (?i - item)
    :precondition (and (heated ?i))
    :effect (and (hot ?i))))
