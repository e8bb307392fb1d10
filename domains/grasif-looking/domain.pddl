;; GRASIF's actions for a robot that has to look (LookPlanGraph, Onishchenko et al., 2025, appendix A.1.1): what is
;; on a thing or inside it is seen only after look_on or look_inside. Rooms and what stands in them are known.
;;
;; As in the pack search, a look is an action like any other, and lasts.
(define (domain grasif-looking)
  (:requirements :strips :typing :action-costs)
  (:predicates
    (looked_on ?x - object)
    (looked_inside ?x - object))

  (:action look_on
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (carrier ?x))
    :effect (and (looked_on ?x) (increase (total-cost) 100)))
  (:action look_inside
    :parameters (?x - object)
    :precondition (and (stands_at ?x) (container ?x) (unclosed ?x))
    :effect (and (looked_inside ?x) (increase (total-cost) 100))))
