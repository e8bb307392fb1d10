;; The foundry: a household whose benches have room for two things, with paint that dries, seals that nothing
;; breaks, and actions on two things at once. It is there to be difficult for a planner.
(define (domain foundry)
  (:requirements :strips :typing :action-costs)
  (:predicates
    ; a counted place has room for two, for one, or for no more things on it
    (counted ?x - object)
    (uncounted ?x - object)
    (two_left ?x - object)
    (one_left ?x - object)
    (none_left ?x - object)
    ; a seal cannot be broken
    (sealable ?x - object)
    (sealed ?x - object)
    (unsealed ?x - object)
    ; a brush is loaded at a bucket, and every coat uses it up
    (brush ?k - item)
    (bucket ?x - object)
    (loaded ?k - item)
    (unloaded ?k - item)
    (painted ?i - item)
    (rack ?x - object)
    (dry ?i - item)
    ; two things
    (scale ?x - object)
    (weighed ?a - item ?b - item)
    (glued ?a - item)
    (inspected ?i - item))

  (:action release_first
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (counted ?x) (two_left ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (one_left ?x) (not (holding ?i)) (not (two_left ?x))
                 (increase (total-cost) 100)))
  (:action release_second
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (counted ?x) (one_left ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (none_left ?x) (not (holding ?i)) (not (one_left ?x))
                 (increase (total-cost) 100)))
  (:action pickup_last
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (counted ?x) (one_left ?x) (ontop_of ?i ?x))
    :effect (and (holding ?i) (two_left ?x) (not (hand_free)) (not (one_left ?x)) (not (ontop_of ?i ?x))
                 (increase (total-cost) 100)))
  (:action pickup_one
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (counted ?x) (none_left ?x) (ontop_of ?i ?x))
    :effect (and (holding ?i) (one_left ?x) (not (hand_free)) (not (none_left ?x)) (not (ontop_of ?i ?x))
                 (increase (total-cost) 100)))

  (:action seal
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (sealable ?x) (closed ?x) (unsealed ?x))
    :effect (and (sealed ?x) (not (unsealed ?x)) (increase (total-cost) 100)))

  (:action load
    :parameters (?k - item ?x - object)
    :precondition (and (stands_at ?x) (bucket ?x) (holding ?k) (brush ?k) (unloaded ?k))
    :effect (and (loaded ?k) (not (unloaded ?k)) (increase (total-cost) 100)))
  ; What is painted lies somewhere, wherever that may be by then.
  (:action paint
    :parameters (?i - item ?x - object ?k - item)
    :precondition (and (stands_at ?x) (holding ?k) (brush ?k) (loaded ?k) (ontop_of ?i ?x))
    :effect (and (painted ?i) (unloaded ?k) (not (loaded ?k)) (increase (total-cost) 100)))
  (:action dry
    :parameters (?i - item ?x - object)
    :precondition (and (rack ?x) (painted ?i) (ontop_of ?i ?x))
    :effect (and (dry ?i)))

  ; One thing may be weighed against itself.
  (:action weigh
    :parameters (?a - item ?b - item ?x - object)
    :precondition (and (stands_at ?x) (scale ?x) (ontop_of ?a ?x) (ontop_of ?b ?x))
    :effect (and (weighed ?a ?b) (increase (total-cost) 50)))
  ; The second thing is bound by nothing but its type.
  (:action inspect
    :parameters (?i - item ?x - object ?with - item)
    :precondition (and (stands_at ?x) (ontop_of ?i ?x))
    :effect (and (inspected ?i) (increase (total-cost) 50)))
  ; Two things, of which one is held and the other lies where the robot stands.
  (:action glue
    :parameters (?a - item ?b - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?a) (ontop_of ?b ?x) (painted ?b))
    :effect (and (glued ?a) (glued ?b) (not (painted ?b)) (increase (total-cost) 100))))
