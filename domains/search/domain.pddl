;; The household for robots that have to look: what is in a room, on a thing or inside it is seen only after a
;; look at it. Extends household/domain.pddl, whose types and predicates it uses.
;;
;; A look is an action like any other, and lasts: what is put where the robot has looked is seen when the robot
;; is in the room. (seen ?i) is an event, so that a goal may ask for a thing to be found.
(define (domain search)
  (:requirements :strips :typing :action-costs)
  (:predicates
    (looked_around ?x - object)
    (looked_on ?x - object)
    (looked_inside ?x - object)
    (seen ?i - item))

  (:action look_around
    :parameters (?r - room)
    :precondition (and (stands_at ?r))
    :effect (and (looked_around ?r) (looked_on ?r) (looked_inside ?r) (increase (total-cost) 100)))
  (:action look_on
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (carrier ?x))
    :effect (and (looked_on ?x) (increase (total-cost) 100)))
  (:action look_inside
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (container ?x) (unclosed ?x))
    :effect (and (looked_inside ?x) (increase (total-cost) 100)))

  ;; Events.
  (:action see_on
    :parameters (?i - item ?x - object)
    :precondition (and (looked_on ?x) (ontop_of ?i ?x))
    :effect (and (seen ?i)))
  (:action see_under
    :parameters (?i - item ?x - object)
    :precondition (and (looked_on ?x) (under ?i ?x))
    :effect (and (seen ?i)))
  (:action see_attached
    :parameters (?i - item ?x - object)
    :precondition (and (looked_on ?x) (attached_to ?i ?x))
    :effect (and (seen ?i)))
  (:action see_inside
    :parameters (?i - item ?x - object)
    :precondition (and (looked_inside ?x) (unclosed ?x) (inside_of ?i ?x))
    :effect (and (seen ?i)))
  (:action see_held
    :parameters (?i - item)
    :precondition (and (holding ?i))
    :effect (and (seen ?i))))
