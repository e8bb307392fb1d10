"""Packs that extend a built-in one: what they add, what they take over, what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from groundplan.domains.errors import PackError
from groundplan.domains.formula import Atom, Var
from groundplan.domains.pack import load_pack

MAPPING = """
format = "groundplan-pack"
version = 1
name = "polished"
extends = "household"
[goal]
predicates = ["polished"]
[conditions]
open = ["(polished ?x)"]
[variants.one-handed]
polish = ["(hand_free)"]
[actions.polish]
step = "polish(?x)"
skill = "polish"
verb = "polish {x}"
[words]
closed = ["{0} is shut", "{0} is not shut"]
"""
DOMAIN = """(define (domain polished)
  (:predicates (polished ?x - object))
  (:action polish :parameters (?x - asset) :precondition (and (stands_at ?x))
   :effect (and (polished ?x) (increase (total-cost) 5))))"""


def pack_in(folder: Path, mapping: str = MAPPING, domain: str = DOMAIN) -> str:
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    return str(folder)


def test_an_extension_adds_to_what_it_extends(tmp_path: Path) -> None:
    base, pack = load_pack(), load_pack(pack_in(tmp_path))
    assert pack.name == "polished"
    assert set(pack.domain.actions) == {*base.domain.actions, "polish"}
    assert set(pack.public_predicates()) == {*base.public_predicates(), "polished"}
    assert pack.domain.actions["polish"].parameters[0].type == "asset"
    shiny = Atom("polished", (Var("x"),))
    assert pack.domain.actions["open"].precondition == (*base.domain.actions["open"].precondition, shiny)
    changed = {n for n, a in base.domain.actions.items() if pack.domain.actions[n] != a}
    assert changed == {"open"}
    assert pack.words("closed", ("box",), True) == "box is shut"
    assert pack.words("open", ("box",), True) == base.words("open", ("box",), True)
    assert pack.mapping.rules == base.mapping.rules
    assert pack.navigation == base.navigation


def test_variants_are_joined(tmp_path: Path) -> None:
    pack = load_pack(pack_in(tmp_path), "one-handed")
    free = Atom("hand_free")
    assert all(free in pack.domain.actions[a].precondition for a in ("polish", "open", "close"))


def test_the_hash_covers_both_packs(tmp_path: Path) -> None:
    first = load_pack(pack_in(tmp_path)).hash
    assert first != load_pack().hash
    assert first != load_pack(pack_in(tmp_path, domain=DOMAIN.replace("5", "6"))).hash
    other = MAPPING.replace('extends = "household"', 'extends = "household-locks"')
    assert first != load_pack(pack_in(tmp_path, other)).hash


def test_locks_extend_the_household() -> None:
    base, locks = load_pack(), load_pack("household-locks")
    assert set(locks.public_predicates()) - set(base.public_predicates()) == {"locked", "unlocked"}
    changed = {n for n, a in base.domain.actions.items() if locks.domain.actions[n] != a}
    assert changed == {"open", "open_stopped"}
    assert set(locks.domain.predicates) <= set(locks.mapping.words)
    assert set(load_pack("household-locks", "one-handed").mapping.variants) == {"one-handed"}


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('"household"', '"houshold"', "extends", "did you mean 'household'"),
        ('"household"', '"../household"', "extends", "a built-in pack"),
        ('"household"', "3", "extends", "a built-in pack"),
        ("open = [", "opne = [", "conditions", "did you mean 'open'"),
        ("(polished ?x)", "(polisht ?x)", "conditions.open", "did you mean 'polished'"),
        ("[actions.polish]", "[actions.shine]", "actions.shine", "an action of the domain"),
        ("[conditions]", "[condition]", "condition", "did you mean 'conditions'"),
        ("[conditions]\nopen", "conditions = 3\n[open]\nopen", "", ""),
    ],
)
def test_a_broken_extension_is_refused(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in MAPPING
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, MAPPING.replace(old, new, 1)))
    assert place in caught.value.where
    assert said in str(caught.value)


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(:action polish", "(:action open", "each action once"),
        ("(polished ?x - object)", "(open ?x - object)", "each predicate once"),
        ("?x - asset", "?x - furniture", "a declared type"),
    ],
)
def test_what_the_household_has_already_is_not_defined_again(
    tmp_path: Path, old: str, new: str, said: str
) -> None:
    with pytest.raises(PackError, match=said):
        load_pack(pack_in(tmp_path, domain=DOMAIN.replace(old, new, 1)))
