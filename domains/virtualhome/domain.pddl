;; VirtualHome's character on the household: a second hand, sitting and lying, facing things, plugs, and what is
;; done to things without changing them. Extends household/domain.pddl, whose types and predicates it uses.
;;
;; Actions and their conditions follow EAI's domain (eai-eval 1.0.5, resources/virtualhome/virtualhome.pddl), where
;; the household has none of its own. Simplified: the left hand only keeps what the right one gives it; driving
;; does not ask whether the character stands, all else does. So a goal says where it sits and that it is there.
(define (domain virtualhome)
  (:requirements :strips :typing :action-costs)
  (:predicates
    (held_left ?i - item)
    (left_free)
    (standing)
    (sitting_on ?x - object)
    (lying_on ?x - object)
    (facing ?x - object)
    (facing_from ?x - object ?y - object)   ; has turned to it on that seat
    (plugged_in ?x - object)
    (plugged_out ?x - object)
    (powered ?x - object)       ; plugged in, or without a plug
    ; has been done, to anything
    (has_looked)
    (has_touched)
    (has_rinsed)
    (has_typed)
    (has_drunk)
    (has_read)
    (has_slept)
    (has_poured)
    ; what never changes
    (touchable ?x - object)
    (can_plug ?x - object)
    (sittable ?x - object)
    (lieable ?x - object)
    (drinkable ?i - item)
    (readable ?i - item)
    (pourable ?i - item))

  (:action pass_left
    :parameters (?i - item)
    :precondition (and (holding ?i) (can_pickup ?i) (left_free))
    :effect (and (held_left ?i) (hand_free) (not (holding ?i)) (not (left_free)) (increase (total-cost) 100)))
  (:action pass_right
    :parameters (?i - item)
    :precondition (and (held_left ?i) (can_pickup ?i) (hand_free))
    :effect (and (holding ?i) (left_free) (not (held_left ?i)) (not (hand_free)) (increase (total-cost) 100)))
  (:action put_on_unclosed
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_pickup ?i) (can_release ?x) (container ?x) (unclosed ?x)
      (standing))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))

  (:action sit
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (sittable ?x) (standing))
    :effect (and (sitting_on ?x) (not (standing)) (increase (total-cost) 100)))
  (:action lie
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (lieable ?x) (standing))
    :effect (and (lying_on ?x) (not (standing)) (increase (total-cost) 100)))
  (:action rise
    :parameters (?x - object)
    :precondition (and (sitting_on ?x))
    :effect (and (standing) (not (sitting_on ?x)) (increase (total-cost) 100)))
  (:action get_up
    :parameters (?x - object)
    :precondition (and (lying_on ?x))
    :effect (and (standing) (not (lying_on ?x)) (increase (total-cost) 100)))
  (:action turn_to
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (touchable ?x))
    :effect (and (facing ?x) (increase (total-cost) 100)))
  (:action turn_to_from_seat
    :parameters (?x - object ?y - object)
    :precondition (and (touchable ?x) (stands_at ?y) (sitting_on ?y))
    :effect (and (facing ?x) (facing_from ?x ?y) (increase (total-cost) 100)))
  (:action turn_to_from_bed
    :parameters (?x - object ?y - object)
    :precondition (and (touchable ?x) (stands_at ?y) (lying_on ?y))
    :effect (and (facing ?x) (facing_from ?x ?y) (increase (total-cost) 100)))

  (:action plug_in
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_plug ?x) (plugged_out ?x) (standing))
    :effect (and (plugged_in ?x) (powered ?x) (not (plugged_out ?x)) (increase (total-cost) 100)))
  (:action plug_out
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_plug ?x) (plugged_in ?x) (turned_off ?x) (standing))
    :effect (and (plugged_out ?x) (not (plugged_in ?x)) (not (powered ?x)) (increase (total-cost) 100)))

  (:action look_at
    :parameters (?x - object)
    :precondition (and (facing ?x))
    :effect (and (has_looked) (increase (total-cost) 100)))
  (:action touch
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (touchable ?x))
    :effect (and (has_touched) (increase (total-cost) 100)))
  (:action rinse
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (touchable ?x))
    :effect (and (has_rinsed) (increase (total-cost) 100)))
  (:action type_on
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_turn_on ?x))
    :effect (and (has_typed) (increase (total-cost) 100)))
  (:action drink
    :parameters (?i - item)
    :precondition (and (holding ?i) (drinkable ?i))
    :effect (and (has_drunk) (increase (total-cost) 100)))
  (:action drink_from
    :parameters (?i - item)
    :precondition (and (holding ?i) (vessel ?i))
    :effect (and (has_drunk) (increase (total-cost) 100)))
  (:action read_held
    :parameters (?i - item)
    :precondition (and (holding ?i) (readable ?i))
    :effect (and (has_read) (increase (total-cost) 100)))
  (:action sleep_on
    :parameters (?x - object)
    :precondition (and (lying_on ?x))
    :effect (and (has_slept) (increase (total-cost) 100)))
  (:action pour_into
    :parameters (?i - item ?x - item)
    :precondition (and (holding ?i) (pourable ?i) (stands_at ?x) (vessel ?x))
    :effect (and (has_poured) (increase (total-cost) 100))))
