(define (domain groundplan)
  (:requirements :strips :typing :action-costs)
  (:types
    place - object
    item - object
    room - place
    asset - place
    pose - place)
  (:predicates
    (can_close ?x - object)
    (can_open ?x - object)
    (can_pickup ?i - item)
    (can_release ?x - object)
    (closed ?x - object)
    (free_door ?x - object)
    (hand_free)
    (holding ?i - item)
    (ontop_of ?i - item ?x - object)
    (open ?x - object)
    (stands_at ?x - object)
    (surface ?x - object)
    (unclosed ?x - object))
  (:functions
    (total-cost) - number
    (distance ?from - place ?to - place) - number)
  (:action goto
    :parameters (?from - place ?to - place)
    :precondition (and (stands_at ?from))
    :effect (and (stands_at ?to) (not (stands_at ?from)) (increase (total-cost) (distance ?from ?to))))
  (:action pickup_on
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (ontop_of ?i ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (ontop_of ?i ?x)) (increase (total-cost) 100)))
  (:action release_on
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (surface ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action open_act
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_open ?x) (free_door ?x) (closed ?x))
    :effect (and (open ?x) (unclosed ?x) (not (closed ?x)) (increase (total-cost) 100)))
  (:action close
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (can_close ?x) (open ?x))
    :effect (and (closed ?x) (not (open ?x)) (not (unclosed ?x)) (increase (total-cost) 100))))
