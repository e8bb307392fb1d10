(define (domain groundplan)
  (:requirements :strips :typing :action-costs)
  (:types
    place - object
    item - object
    room - place
    asset - place
    pose - place)
  (:predicates
    (stands_at ?x - object)
    (route ?from - place ?to - place))
  (:functions
    (total-cost) - number
    (distance ?from - place ?to - place) - number)
  (:action goto
    :parameters (?from - place ?to - place)
    :precondition (and (stands_at ?from) (route ?from ?to))
    :effect (and (stands_at ?to) (not (stands_at ?from)) (increase (total-cost) (distance ?from ?to)))))
