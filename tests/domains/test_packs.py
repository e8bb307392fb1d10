"""Domain packs: the household loads, and every way to break a pack is refused with its place."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import PackError, SceneError
from groundplan.domains.formula import Atom, Var
from groundplan.domains.pack import MAX_BYTES, load_pack
from groundplan.domains.pddl import read_domain
from groundplan.simulator.belief import ground

HOUSEHOLD = Path(__file__).resolve().parents[2] / "domains" / "household"
DOMAIN = (HOUSEHOLD / "domain.pddl").read_text(encoding="utf-8")
MAPPING = (HOUSEHOLD / "mapping.toml").read_text(encoding="utf-8")


def pack_in(folder: Path, mapping: str = MAPPING, domain: str = DOMAIN) -> str:
    (folder / "mapping.toml").write_text(mapping, encoding="utf-8")
    (folder / "domain.pddl").write_text(domain, encoding="utf-8")
    return str(folder)


def test_the_household_has_its_events_and_words() -> None:
    pack = load_pack()
    assert {e.name for e in pack.events} == {"heat", "heat_on_top", "chill", "wash", "brew", "wipe"}
    assert pack.event_facts == {"hot", "cold", "clean", "filled"}
    assert pack.navigation.name == "goto"
    assert pack.navigation.cost is None
    assert all(a.cost == 100 for a in pack.manipulations if "reach" not in a.name and "leave" not in a.name)
    assert set(pack.domain.predicates) <= set(pack.mapping.words)
    assert pack.words("inside_of", ("{1}", "{0}"), True) == "{1} is inside {0}"
    assert pack.words("unheard_of", ("a", "b"), False) == "(unheard_of a b) does not hold"
    assert load_pack() is load_pack()


def test_the_same_files_elsewhere_are_the_same_pack(tmp_path: Path) -> None:
    pack = load_pack(pack_in(tmp_path))
    assert pack.hash == load_pack().hash
    assert pack.domain == load_pack().domain
    assert load_pack(str(tmp_path), "one-handed").hash != pack.hash


def test_names_are_lower_case_in_the_mapping_and_as_one_likes_in_the_domain(tmp_path: Path) -> None:
    folder = Path(pack_in(tmp_path))
    domain, mapping = folder / "domain.pddl", folder / "mapping.toml"
    domain.write_text(
        domain.read_text(encoding="utf-8").replace("open_stopped", "Open_Stopped"), encoding="utf-8"
    )
    assert load_pack(str(folder)).domain == load_pack().domain
    text = mapping.read_text(encoding="utf-8")
    mapping.write_text(text.replace("[actions.open_stopped]", "[actions.Open_Stopped]"), encoding="utf-8")
    with pytest.raises(PackError, match="open_stopped"):
        load_pack(str(folder))


def test_one_handed_needs_a_free_hand_at_doors_only() -> None:
    free = Atom("hand_free")
    two, one = load_pack(), load_pack("household", "one-handed")
    changed = {n for n, a in one.domain.actions.items() if a != two.domain.actions[n]}
    assert changed == {"open", "open_stopped", "close"}
    assert all(free in one.domain.actions[n].precondition for n in changed)


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('format = "groundplan-pack"', 'format = "other"', "mapping.toml: format", "groundplan-pack"),
        ("version = 1", "version = 2", "format", "version 1"),
        ("[types]", "[typos]", "typos", "did you mean 'types'"),
        ('room = "room"\nasset', 'room = "chamber"\nasset', "types.room", "chamber"),
        ('"inside_of", "ontop_of", "under"', '"inside_off", "ontop_of"', "goal.predicates", "inside_of"),
        ('robot_at = "stands_at"', 'robot_at = "stand_at"', "goal.derived", '"stands_at" (as robot.at)'),
        ('in_room = "room"', 'in_room = "rooms"', "goal.derived", 'or "room", got rooms'),
        ('in_room = "room"', 'under = "room"', "goal.derived", "names that the domain does not use"),
        ('open = ["(open ?x)"]', 'open = ["(opened ?x)"]', "states.open", "did you mean 'open'"),
        ('open = ["(open ?x)"]', 'open = ["(open ?x ?y)"]', "states.open", "1 arguments"),
        ('open = ["(open ?x)"]', 'open = "(open ?x)"', "states.open", "list"),
        ('open = ["(open ?x)"]', 'open = ["(open (a))"]', "states.open", "variables"),
        ('open = ["(open ?x)"]', 'open = ["(open ?x"]', "states.open", "brackets"),
        ('open = ["(open ?x)"]', 'open = ["open"]', "states.open", "one atom"),
        ("[actions.close]", "[actions.shut]", "actions.shut", "an action of the domain"),
        ('step = "open(?x)"', 'step = "open(?y)"', "actions.open", "step such as"),
        ('step = "open(?x)"', 'step = "open"', "actions.open", "step such as"),
        ("navigation = true", "navigation = false", "", "exactly one action with navigation"),
        ("[actions.goto]\nnavigation = true", "[actions.goto]\nnavigation = 1", "", "exactly one action"),
        ('open = ["{0} is open", ', 'open = ["{2} is open", ', "words.open", "two texts"),
        ('open = ["{0} is open", "{0} is not open"]', 'open = ["{0} is open"]', "words.open", "two texts"),
        ('add = "(container ?x)"', 'ad = "(container ?x)"', "rules[", "add, types, when and unless"),
        (
            "[words]",
            '[conditions]\ngoto = ["(hand_free)"]\n[words]',
            "condition of goto",
            "only (stands_at ?from)",
        ),
        ("[variants.one-handed]\nopen", "[variants.one-handed]\nopened", "variants.one-handed", "opened"),
        ('domain = "domain.pddl"', 'domain = "../domain.pddl"', "", "without folders"),
        ('domain = "domain.pddl"', 'domain = "/etc/passwd"', "", "without folders"),
        ('domain = "domain.pddl"', 'domain = ".."', "", ""),
        ('domain = "domain.pddl"', 'domain = "none.pddl"', "none.pddl", "readable"),
        ('domain = "domain.pddl"', 'domain = ""', "", ""),
        ("[states]", "[states", "mapping.toml", "valid TOML"),
        ("[states]", "[states]\na = " + "[" * 100_000, "mapping.toml", "valid TOML"),
        ("[states]", "[states]\na = " + "9" * 5000, "mapping.toml", "valid TOML"),
        ("[states]", "[states]\n#" + "x" * 2**20, "mapping.toml", "at most 1048576 bytes"),
        ("[states]", "[states]\n" + "a." * 20_000 + "a = 1", "mapping.toml", "keys of at most 64 parts"),
        ("(heats ?x)", "(heats ?z)", "classes.", "?x and ?y"),
        ('at = "(stands_at ?x)"', 'at = "(stands_at ?y)"', "robot.at", "a fact over ?x alone"),
        ('free = "(hand_free)"', 'free = "(holding ?x)"', "robot.free", "without arguments"),
        ('under = "(under ?x ?y)"', 'under = "(under ?y ?x)"', "relations.under", "?x is the thing"),
        ('under = "(carrier ?y)"', 'under = "(carrier ?x)"', "parents.under", "a fact over ?y alone"),
        ('under = "(carrier ?y)"', 'under = "(carrier desk)"', "parents.under", "got (carrier desk)"),
        ('inside_of = "(unclosed ?y)"', 'inside_of = "(hand_free)"', "sight.inside_of", "over ?y alone"),
        ('inside_of = "(unclosed ?y)"', 'inside_of = "(ontop_of ?x ?y)"', "sight.inside_of", "over ?y alone"),
        ("[sight]", '[look]\nontop_of = "(open ?x)"\n[sight]', "look.ontop_of", "over ?y alone"),
        ("[sight]", '[look]\naround = "(hand_free)"\n[sight]', "look.around", "over ?y alone"),
        ('under = "(carrier ?y)"', 'below = "(carrier ?y)"', "parents", "a relation of [relations]"),
        ('place = ["room", "asset", "part"]', 'place = ["rooms"]', "goal.supertypes.place", "'room'"),
        ('types = ["room", "asset", "part", "object"]', 'types = ["asert"]', "rules[", "'asset'"),
        ('door = ["(open ?x)"', 'door = ["(open ?y)"', "exclusive.door", "?x first"),
        ('door = ["(open ?x)"', 'door = ["(closed ?x)"', "exclusive.door", "each predicate once"),
        ('robot = ["(stands_at *)"]', 'robot = ["(stands_at kitchen)"]', "exclusive.robot", "* for anything"),
        ('closed = ["(can_close ?x)"]', 'closd = ["(can_close ?x)"]', "requires", "did you mean 'closed'"),
        ('closed = ["(can_close ?x)"]', 'closed = ["(can_close ?y)"]', "requires.closed", "?x as variables"),
        ('dirty = "clean"', 'dirty = "cleen"', "instead", "did you mean 'clean'"),
        (
            '[actions.open]\nstep = "open(?x)"\n',
            "[actions.open]\n",
            "actions.open",
            "a step such as open(?x)",
        ),
        ("[actions.heat]\n", '[actions.heat]\nstep = "heat(?i)"\n', "actions.heat.step", "no step"),
        ('skill = "navigate"', 'step = "goto(?to)"', "actions.goto.step", "printed as goto and access"),
        ('skill = "navigate"', 'skil = "navigate"', "actions.goto.skil", "did you mean 'skill'"),
        (
            "[actions.heat]\nevent = true",
            '[actions.heat]\nevent = "yes"',
            "actions.heat.event",
            "true or false",
        ),
        ('verb = "go to {to}"', 'verb = "go to {there}"', "actions.goto.verb", "(from, to), got {there}"),
        (
            'close = ["(hand_free)"]',
            'close = ["(open ?y)"]',
            "variants.one-handed.close",
            "(?x), got (open ?y)",
        ),
        ('close = ["(hand_free)"]', 'close = ["(open fridge)"]', "one-handed.close", "got (open fridge)"),
    ],
)
def test_a_broken_mapping_is_refused(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in MAPPING
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, MAPPING.replace(old, new, 1)))
    assert place in caught.value.where
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("(and (hot ?i))", "(and (hot ?i) (not (cold ?i)))", "only added facts"),
        ("(and (hot ?i))", "(and (hot ?i) (increase (total-cost) 5))", "no cost"),
        ("heat\n    :parameters (?i", "heat\n    :parameters (?z - item ?i", "a condition on each parameter"),
        (":action-costs)", ":adl)", "positive conjunctions"),
        ("(inside_of ?i - item ?x - object)", "(inside_of ?i - thing ?x - object)", "a declared type"),
        ("(hand_free)\n", "(hand_free)\n    (hand_free)\n", "each predicate once"),
        ("(stands_at ?from))", "(not (stands_at ?from)))", "positive condition"),
        ("(stands_at ?from))", "(stand_at ?from))", "did you mean 'stands_at'"),
        ("(stands_at ?from))", "(stands_at ?from) (hand_free))", "expected only (stands_at ?from)"),
        ("(stands_at ?from))", "(stands_at ?to))", "expected only (stands_at ?from)"),
        (
            "(not (stands_at ?from)) (stands_at ?to)",
            "(stands_at ?to)",
            "(stands_at ?to) (not (stands_at ?from))",
        ),
        ("(stands_at ?to) (incr", "(stands_at ?to) (hand_free) (incr", "driving changes nothing else"),
        ("(total-cost) (distance ?from ?to)", "(total-cost) 7", "costs the length of the route"),
        ("(stands_at ?from))", "(stands_at ?form))", "a parameter of the action"),
        ("(stands_at ?from))", "(stands_at ?from ?to))", "1 arguments"),
        ("?from - place ?to - place)\n    :pre", "?to - place ?to - place)\n    :pre", "different variables"),
        (":parameters (?x - object)", ":parameters (x - object)", "variables that start"),
        (":precondition", ":condition", ":precondition"),
        ("(:action close", "(:action open", "each action once"),
        ("(:functions", "(:derived", "a section of a STRIPS domain"),
        ("(total-cost) 100", "(total-cost) 1.5", "whole millimetres"),
        ("(total-cost) 100", "(total-cost) -1", "whole millimetres"),
        ("(total-cost) 100", "(total-cost) (effort ?x)", "(distance ?from ?to)"),
        ("(total-cost) 100", "(total-cost) \u00b2", "whole millimetres"),
        ("(total-cost) 100", "(fuel ?x) 100", "no other number can be changed"),
        (
            "(increase (total-cost) 100)",
            "(increase (total-cost) 1) (increase (total-cost) 2)",
            "a second one",
        ),
        (
            "(total-cost) (distance ?from ?to)))",
            "(total-cost) (distance ?to ?from)))",
            "(distance ?from ?to)",
        ),
        (
            "(total-cost) (distance ?from ?to)))",
            "(total-cost) (distance ?to ?to)))",
            "got (distance ?to ?to)",
        ),
        (
            "(increase (total-cost) 0)",
            "(increase (total-cost) (distance ?c ?x))",
            "only the driving action costs",
        ),
        ("    (total-cost)\n", "    (total-cost)\n    (fuel ?x - item)\n", "no other numbers"),
        ("(hand_free)\n", "(hand_free)\n    (not ?x - item)\n", "a name that PDDL does not use"),
        (
            ":parameters (?i - item ?x - object)\n    :precondition (and (heats",
            ":parameters (?i - item ?x - object ?with - item)\n    :precondition (and (heats",
            "a condition on each parameter",
        ),
        (
            "    :effect (and (open ?x) (unclosed",
            "    :precondition (and (closed ?x))\n    :effect (and (open ?x) (unclosed",
            "each field once",
        ),
        ("room asset pose - place", "room asset pose - plaice", "declared types"),
        ("(:types", "(:types room -", "a declared type"),
        ("place item - object", "place - pose item - object", "types without cycles"),
        ("place item - object", "object - place place item - object", "types without cycles"),
        ("(define", "(defined", "one (define"),
        ("(define", "((define", "brackets"),
        ("(clean ?x))))", "(clean ?x)))", "brackets"),
    ],
)
def test_a_broken_domain_is_refused(tmp_path: Path, old: str, new: str, said: str) -> None:
    assert old in DOMAIN
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, domain=DOMAIN.replace(old, new, 1)))
    assert said in str(caught.value)
    assert str(tmp_path) in caught.value.where


def test_a_broken_domain_says_the_line(tmp_path: Path) -> None:
    domain = DOMAIN.replace("(total-cost) 0)", "(total-cost) (distance ?c ?x))", 1)
    line = domain[: domain.index("(:action reach_on")].count("\n") + 1
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, domain=domain))
    assert caught.value.where == f"{tmp_path}/domain.pddl:{line}:3"


def with_blink(parameters: str, condition: str, effect: str) -> tuple[str, str]:
    """The household's domain and mapping with one more action, over assets."""
    action = (
        f"(:action blink :parameters ({parameters}) :precondition (and {condition}) :effect (and {effect}))"
    )
    printed = parameters.replace(" - asset ", ", ").removesuffix(" - asset")
    mapping = f'{MAPPING}\n[actions.blink]\nstep = "blink({printed})"\nskill = "blink"\nverb = "blink"\n'
    return f"{DOMAIN.rstrip().removesuffix(')')}{action})\n", mapping


@pytest.mark.parametrize(
    ("parameters", "condition", "effect", "got"),
    [
        ("?p - asset", "(stands_at ?p)", "(not (stands_at ?p))", "(not (stands_at ?p)) and no place instead"),
        ("?p - asset", "(hand_free)", "(stands_at ?p)", "(stands_at ?p), and the place before is kept"),
        (
            "?p - asset ?q - asset",
            "(turned_on ?p)",
            "(stands_at ?q) (not (stands_at ?p))",
            "(stands_at ?q), and the place before is kept",
        ),
        (
            "?p - asset ?q - asset ?r - asset",
            "(stands_at ?p)",
            "(stands_at ?q) (stands_at ?r) (not (stands_at ?p))",
            "(stands_at ?q) (stands_at ?r)",
        ),
    ],
)
def test_an_action_that_does_not_leave_the_robot_at_one_place_is_refused(
    tmp_path: Path, parameters: str, condition: str, effect: str, got: str
) -> None:
    domain, mapping = with_blink(parameters, condition, effect)
    line = domain[: domain.index("(:action blink")].count("\n") + 1
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, mapping, domain))
    assert caught.value.where.startswith(f"{tmp_path}/domain.pddl:{line}:")
    assert "the robot at one place after blink" in str(caught.value) and f"got {got};" in str(caught.value)


@pytest.mark.parametrize(
    ("condition", "effect"),
    [
        ("(stands_at ?p)", "(stands_at ?q) (not (stands_at ?p))"),
        ("(stands_at ?p)", "(stands_at ?p) (turned_on ?q)"),
        ("(stands_at ?p)", "(turned_on ?q)"),
    ],
)
def test_an_action_may_move_the_robot_or_leave_it_where_it_is(
    tmp_path: Path, condition: str, effect: str
) -> None:
    domain, mapping = with_blink("?p - asset ?q - asset", condition, effect)
    assert "blink" in load_pack(pack_in(tmp_path, mapping, domain)).domain.actions


def test_a_scene_whose_words_give_the_robot_a_second_place_is_refused(tmp_path: Path) -> None:
    mapping = MAPPING.replace("[states]\n", '[states]\nhaunted = ["(stands_at ?x)"]\n', 1)
    scene = load_scene("office")
    nodes = dict(scene.nodes)
    nodes["desk1"] = replace(nodes["desk1"], state=("haunted",))
    with pytest.raises(SceneError, match="the robot at one place"):
        ground(replace(scene, nodes=nodes), load_pack(pack_in(tmp_path, mapping)))


def test_a_long_chain_of_types_is_read_once(tmp_path: Path) -> None:
    chain = " ".join(f"t{n + 1} - t{n}" for n in range(8000))
    domain = DOMAIN.replace("(:types", f"(:types t0 - object {chain}", 1)
    assert load_pack(pack_in(tmp_path, domain=domain)).domain.is_a("t8000", "t0")
    with pytest.raises(PackError, match="types without cycles"):
        load_pack(pack_in(tmp_path, domain=domain.replace("t0 - object", "t0 - t8000")))


def test_a_type_of_the_extended_pack_keeps_its_place(tmp_path: Path) -> None:
    mapping = 'format = "groundplan-pack"\nversion = 1\nextends = "household"\n'
    domain = "(define (domain more) (:types item - place))"
    with pytest.raises(PackError, match="item - object, as in the pack that is extended"):
        load_pack(pack_in(tmp_path, mapping, domain))
    assert load_pack(pack_in(tmp_path, mapping, "(define (domain more) (:types tool - item))"))


def test_unknown_packs_and_variants_name_the_known() -> None:
    with pytest.raises(PackError, match="did you mean 'household'"):
        load_pack("houshold")
    with pytest.raises(PackError, match="did you mean 'one-handed'"):
        load_pack("household", "one-handled")


def test_a_pack_that_is_no_text_is_refused(tmp_path: Path) -> None:
    pack_in(tmp_path)
    (tmp_path / "domain.pddl").write_bytes(b"\xff\xfe(define)")
    with pytest.raises(PackError, match=r"domain\.pddl: expected UTF-8 text, got byte 0"):
        load_pack(str(tmp_path))
    (tmp_path / "mapping.toml").unlink()
    with pytest.raises(PackError, match=r"mapping\.toml"):
        load_pack(str(tmp_path))


@pytest.mark.parametrize("name", ["mapping.toml", "domain.pddl"])
def test_only_regular_files_of_a_bounded_size_are_packs(tmp_path: Path, name: str) -> None:
    file = Path(pack_in(tmp_path)) / name
    file.unlink()
    os.mkfifo(file)
    with pytest.raises(PackError, match=f"{name}: expected a regular file, got a pipe"):
        load_pack(str(tmp_path))
    file.unlink()
    file.symlink_to("/dev/zero")
    with pytest.raises(PackError, match=f"{name}: expected a regular file, got a device"):
        load_pack(str(tmp_path))
    file.unlink()
    file.write_bytes(b" " * (MAX_BYTES + 1))
    with pytest.raises(PackError, match=f"{name}: expected a file of at most {MAX_BYTES} bytes, got more"):
        load_pack(str(tmp_path))


@pytest.mark.parametrize("name", ["x" * 5000, "a\0b", "", "/dev/zero", "/"])
def test_what_is_no_folder_of_a_pack_is_refused(name: str) -> None:
    with pytest.raises(PackError):
        load_pack(name)


@pytest.mark.parametrize(
    "text", ["", "(", ")", "()", "(define (domain", "(" * 100_000, "a b c", "(define x)"]
)
def test_what_is_no_domain_is_refused(text: str) -> None:
    with pytest.raises(PackError):
        read_domain(text, "here")


def test_actions_bind_their_parameters() -> None:
    action = load_pack().domain.actions["release_on"]
    ground = action.ground(("mug1", "table2"))
    assert Atom("ontop_of", ("mug1", "table2")) in ground.add
    assert not any(isinstance(a, Var) for atom in ground.precondition for a in atom.args)
    assert str(ground) == "(release_on mug1 table2)"
    with pytest.raises(ValueError, match="argument"):
        action.ground(("mug1",))
