;; A greenhouse: a robot fetches cans, fills them at a tap and waters beds. A bed that is watered grows by itself.
(define (domain greenhouse)
  (:requirements :strips :typing :action-costs)
  (:types place thing - object  aisle station pose - place)
  (:predicates
    (near ?p - object) (carrying ?t - thing) (gripper_empty) (lies_on ?t - thing ?s - object)
    (full ?t - thing) (dry ?t - thing) (watered ?s - station) (growing ?s - station)
    (liftable ?t - thing) (can ?t - thing) (tap ?s - station) (bed ?s - station) (flat ?s - object))
  (:functions (total-cost) (distance ?a - place ?b - place))
  (:action drive
    :parameters (?a - place ?b - place)
    :precondition (and (near ?a))
    :effect (and (not (near ?a)) (near ?b) (increase (total-cost) (distance ?a ?b))))
  (:action lift
    :parameters (?t - thing ?s - object)
    :precondition (and (near ?s) (gripper_empty) (liftable ?t) (lies_on ?t ?s))
    :effect (and (carrying ?t) (not (gripper_empty)) (not (lies_on ?t ?s)) (increase (total-cost) 50)))
  (:action lower
    :parameters (?t - thing ?s - object)
    :precondition (and (near ?s) (carrying ?t) (flat ?s))
    :effect (and (lies_on ?t ?s) (gripper_empty) (not (carrying ?t)) (increase (total-cost) 50)))
  (:action draw_water
    :parameters (?t - thing ?s - station)
    :precondition (and (near ?s) (tap ?s) (carrying ?t) (can ?t) (dry ?t))
    :effect (and (full ?t) (not (dry ?t)) (increase (total-cost) 200)))
  (:action water
    :parameters (?t - thing ?s - station)
    :precondition (and (near ?s) (bed ?s) (carrying ?t) (full ?t))
    :effect (and (watered ?s) (dry ?t) (not (full ?t)) (increase (total-cost) 200)))
  (:action grow
    :parameters (?s - station)
    :precondition (and (bed ?s) (watered ?s))
    :effect (and (growing ?s))))
