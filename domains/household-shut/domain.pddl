;; The household in which nothing is put on what is shut. Extends household/domain.pddl and adds nothing to it.
(define (domain household-shut)
  (:requirements :strips :typing :action-costs)
  (:predicates)
)
