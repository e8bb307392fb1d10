;; A small laboratory: a robot with one hand brings vials to a spectrometer and measures them.
;; Replace it with your own world piece by piece; `groundplan pack check` says what does not fit.
;;
;; The language is typed STRIPS with costs. Conditions are conjunctions of facts that hold: where something must
;; not be, keep a second predicate for it (stopped beside running). What an action adds, it does not delete.
(define (domain laboratory)
  (:requirements :strips :typing :action-costs)

  ; mapping.toml gives each kind of node in a scene one of these types.
  (:types
    place thing - object
    room bench waypoint - place)

  (:predicates
    ; where things are
    (at ?p - object)                    ; the robot stands there
    (holding ?t - thing)
    (hand_free)
    (lies_on ?t - thing ?b - bench)
    ; how things are
    (running ?b - bench)
    (stopped ?b - bench)
    (warm ?b - bench)
    (measured ?t - thing)
    ; what never changes: no action adds or deletes these, the scene alone says where they hold
    (portable ?t - thing)
    (flat ?b - bench)
    (switchable ?b - bench)
    (spectrometer ?b - bench)
    (vial ?t - thing))

  (:functions
    (total-cost)
    (distance ?from - place ?to - place))

  ; The driving action: one, just in this form. Its cost is the length of the shortest route in the scene.
  (:action drive
    :parameters (?from - place ?to - place)
    :precondition (and (at ?from))
    :effect (and (at ?to) (not (at ?from)) (increase (total-cost) (distance ?from ?to))))

  ; All other actions cost effort, in millimetres of driving.
  (:action take
    :parameters (?t - thing ?b - bench)
    :precondition (and (at ?b) (lies_on ?t ?b) (portable ?t) (hand_free))
    :effect (and (holding ?t) (not (lies_on ?t ?b)) (not (hand_free)) (increase (total-cost) 100)))
  (:action put
    :parameters (?t - thing ?b - bench)
    :precondition (and (at ?b) (holding ?t) (flat ?b))
    :effect (and (lies_on ?t ?b) (hand_free) (not (holding ?t)) (increase (total-cost) 100)))
  (:action start
    :parameters (?b - bench)
    :precondition (and (at ?b) (switchable ?b) (stopped ?b))
    :effect (and (running ?b) (not (stopped ?b)) (increase (total-cost) 100)))
  (:action stop
    :parameters (?b - bench)
    :precondition (and (at ?b) (switchable ?b) (running ?b))
    :effect (and (stopped ?b) (not (running ?b)) (increase (total-cost) 100)))
  (:action measure
    :parameters (?t - thing ?b - bench)
    :precondition (and (at ?b) (spectrometer ?b) (running ?b) (warm ?b) (vial ?t) (lies_on ?t ?b))
    :effect (and (measured ?t) (increase (total-cost) 500)))

  ; An event (mapping.toml says so): it happens by itself as soon as its condition holds. It only adds facts.
  (:action warm_up
    :parameters (?b - bench)
    :precondition (and (spectrometer ?b) (running ?b))
    :effect (and (warm ?b))))
