;; The actions of GRASIF's simulator (LookPlanGraph, Onishchenko et al., 2025, appendix A.2) on the household.
;;
;; The household's ways of picking up and putting down get GRASIF's printed steps in mapping.toml. Here is what
;; the household does not have: a thing that is put on a container stays on top of it, open or not; things are
;; put under others and attached to them.
(define (domain grasif)
  (:requirements :strips :typing :action-costs)

  (:action pickup_attached
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (hand_free) (can_pickup ?i) (attached_to ?i ?x))
    :effect (and (holding ?i) (not (hand_free)) (not (attached_to ?i ?x)) (increase (total-cost) 100)))
  (:action release_on_unclosed
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x) (container ?x) (unclosed ?x))
    :effect (and (ontop_of ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action release_under
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x))
    :effect (and (under ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100)))
  (:action attach
    :parameters (?i - item ?x - object)
    :precondition (and (stands_at ?x) (holding ?i) (can_release ?x))
    :effect (and (attached_to ?i ?x) (hand_free) (not (holding ?i)) (increase (total-cost) 100))))
