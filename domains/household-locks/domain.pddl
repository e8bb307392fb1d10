;; The household with locks: what a key opens. Extends household/domain.pddl, whose types and predicates it uses.
;;
;; There are three kinds of locks, and any key of a kind opens every lock of that kind. A locked door is closed;
;; mapping.toml adds to the household's ways to open a door that it must be unlocked.
(define (domain household-locks)
  (:requirements :strips :typing :action-costs)
  (:predicates
    (locked ?x - object)
    (unlocked ?x - object)
    ; what never changes
    (lockable ?x - object)
    (brass_lock ?x - object) (brass_key ?k - item)
    (steel_lock ?x - object) (steel_key ?k - item)
    (card_lock ?x - object) (card_key ?k - item))

  (:action unlock_brass
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (brass_lock ?x) (holding ?k) (brass_key ?k) (locked ?x))
    :effect (and (unlocked ?x) (not (locked ?x)) (increase (total-cost) 100)))
  (:action unlock_steel
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (steel_lock ?x) (holding ?k) (steel_key ?k) (locked ?x))
    :effect (and (unlocked ?x) (not (locked ?x)) (increase (total-cost) 100)))
  (:action unlock_card
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (card_lock ?x) (holding ?k) (card_key ?k) (locked ?x))
    :effect (and (unlocked ?x) (not (locked ?x)) (increase (total-cost) 100)))

  (:action lock_brass
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (brass_lock ?x) (holding ?k) (brass_key ?k) (closed ?x) (unlocked ?x))
    :effect (and (locked ?x) (not (unlocked ?x)) (increase (total-cost) 100)))
  (:action lock_steel
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (steel_lock ?x) (holding ?k) (steel_key ?k) (closed ?x) (unlocked ?x))
    :effect (and (locked ?x) (not (unlocked ?x)) (increase (total-cost) 100)))
  (:action lock_card
    :parameters (?x - object ?k - item)
    :precondition (and (stands_at ?x) (card_lock ?x) (holding ?k) (card_key ?k) (closed ?x) (unlocked ?x))
    :effect (and (locked ?x) (not (unlocked ?x)) (increase (total-cost) 100))))
