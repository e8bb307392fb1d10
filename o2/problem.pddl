(define (problem groundplan-problem)
  (:domain groundplan)
  (:objects
    hall study - room)
  (:init
    (stands_at hall)
    (= (total-cost) 0)
    (= (distance hall hall) 0)
    (= (distance study study) 0))
  (:goal (and (stands_at study)))
  (:metric minimize (total-cost)))
