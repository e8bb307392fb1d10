;; The household: one mobile robot with one hand among rooms, furniture, machines and things.
;;
;; Conditions are positive conjunctions, so that every classical engine accepts them; "not open" is
;; (closed ?x). Costs are millimetres: a route's length for driving, an effort of 100 for a manipulation.
;; (stands_at ?x) is the one thing in front of the robot: a room's floor, an asset, or a movable container
;; that it reaches into. The (robot_at ..) of goals also holds for everything around that; see mapping.toml.
(define (domain household)
  (:requirements :strips :typing :action-costs)
  (:types
    place item - object
    room asset pose - place)
  (:predicates
    ; where things are
    (inside_of ?i - item ?x - object)
    (ontop_of ?i - item ?x - object)
    (under ?i - item ?x - object)
    (attached_to ?i - item ?x - object)
    (holding ?i - item)
    (hand_free)
    (stands_at ?x - object)
    ; how things are
    (open ?x - object)
    (closed ?x - object)
    (unclosed ?x - object)      ; open, or without a door
    (turned_on ?x - object)
    (turned_off ?x - object)
    (hot ?i - item)
    (cold ?i - item)
    (clean ?x - object)
    (dirty ?x - object)
    (filled ?i - item)
    ; what never changes
    (can_pickup ?i - item)
    (can_release ?x - object)
    (can_open ?x - object)
    (can_close ?x - object)
    (can_turn_on ?x - object)
    (can_turn_off ?x - object)
    (container ?x - object)     ; things go inside
    (carrier ?x - object)       ; worth standing at: things can be or are on, under or in it, or it has a switch
    (surface ?x - object)       ; things only go on top
    (free_door ?x - object)     ; opens whether it runs or not
    (interlocked ?x - object)   ; does not open while it runs, does not start while open
    (free_switch ?x - object)
    (heats ?x - object)
    (heats_on_top ?x - object)
    (chills ?x - object)
    (washes ?x - object)
    (brews ?x - object)
    (wipes ?i - item)
    (vessel ?i - item))
  (:functions
    (total-cost)
    (distance ?from - place ?to - place))

  ;; Driving: one action between places; the poses on the way are put in after planning.
  (:action goto
    :parameters (?from - place ?to - place)
    :precondition (and (stands_at ?from))
    :effect (and (not (stands_at ?from)) (stands_at ?to) (increase (total-cost) (distance ?from ?to))))

  ;; Reaching for what a movable thing carries (a toolbox on a shelf, a plate) or for its switch (a radio), and
  ;; back to what carries that.
  (:action reach_on
    :parameters (?c - item ?x - object)
    :precondition (and (stands_at ?x) (carrier ?c) (ontop_of ?c ?x))
    :effect (and (not (stands_at ?x)) (stands_at ?c) (increase (total-cost) 0)))
  (:action reach_inside
    :parameters (?c - item ?x - object)
    :precondition (and (stands_at ?x) (carrier ?c) (inside_of ?c ?x) (unclosed ?x))
    :effect (and (not (stands_at ?x)) (stands_at ?c) (increase (total-cost) 0)))
  (:action leave_on
    :parameters (?c - item ?x - object)
    :precondition (and (stands_at ?c) (carrier ?c) (ontop_of ?c ?x))
    :effect (and (not (stands_at ?c)) (stands_at ?x) (increase (total-cost) 0)))
  (:action leave_inside
    :parameters (?c - item ?x - object)
    :precondition (and (stands_at ?c) (carrier ?c) (inside_of ?c ?x))
    :effect (and (not (stands_at ?c)) (stands_at ?x) (increase (total-cost) 0)))

  (:action pickup_inside
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (inside_of ?i ?x) (unclosed ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (inside_of ?i ?x)) (increase (total-cost) 100)))
  (:action pickup_on
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (ontop_of ?i ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (ontop_of ?i ?x)) (increase (total-cost) 100)))
  (:action pickup_under
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (under ?i ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (under ?i ?x)) (increase (total-cost) 100)))

  (:action release_inside
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (container ?x) (unclosed ?x))
    :effect (and (inside_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action release_on
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (surface ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action release_on_closed
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (container ?x) (closed ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))

  (:action open
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_open ?x) (free_door ?x) (closed ?x))
    :effect (and (open ?x) (unclosed ?x) (not (closed ?x)) (increase (total-cost) 100)))
  (:action open_stopped
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_open ?x) (interlocked ?x) (closed ?x) (turned_off ?x))
    :effect (and (open ?x) (unclosed ?x) (not (closed ?x)) (increase (total-cost) 100)))
  (:action close
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_close ?x) (open ?x))
    :effect (and (closed ?x) (not (open ?x)) (not (unclosed ?x)) (increase (total-cost) 100)))
  (:action turn_on
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_turn_on ?x) (free_switch ?x) (turned_off ?x))
    :effect (and (turned_on ?x) (not (turned_off ?x)) (increase (total-cost) 100)))
  (:action turn_on_closed
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_turn_on ?x) (interlocked ?x) (turned_off ?x) (closed ?x))
    :effect (and (turned_on ?x) (not (turned_off ?x)) (increase (total-cost) 100)))
  (:action turn_off
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_turn_off ?x) (turned_on ?x))
    :effect (and (turned_off ?x) (not (turned_on ?x)) (increase (total-cost) 100)))

  ;; Events: they happen by themselves whenever their precondition holds. mapping.toml names them.
  (:action heat
    :parameters (?i - item ?x - object)
    :precondition (and (heats ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x))
    :effect (and (hot ?i)))
  (:action heat_on_top
    :parameters (?i - item ?x - object)
    :precondition (and (heats_on_top ?x) (turned_on ?x) (ontop_of ?i ?x))
    :effect (and (hot ?i)))
  (:action chill
    :parameters (?i - item ?x - object)
    :precondition (and (chills ?x) (closed ?x) (inside_of ?i ?x))
    :effect (and (cold ?i)))
  (:action wash
    :parameters (?i - item ?x - object)
    :precondition (and (washes ?x) (turned_on ?x) (closed ?x) (inside_of ?i ?x))
    :effect (and (clean ?i)))
  (:action brew
    :parameters (?i - item ?x - object)
    :precondition (and (brews ?x) (turned_on ?x) (vessel ?i) (ontop_of ?i ?x))
    :effect (and (filled ?i)))
  (:action wipe
    :parameters (?i - item ?x - object)
    :precondition (and (wipes ?i) (dirty ?x) (ontop_of ?i ?x))
    :effect (and (clean ?x))))
