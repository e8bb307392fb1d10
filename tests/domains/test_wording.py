"""The wording of packs: read, joined with what a pack extends, refused with file and key."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest

from groundplan.domains.errors import PackError
from groundplan.domains.formula import Atom
from groundplan.domains.pack import load_pack
from groundplan.domains.wording import SENSES, Wording

HOUSEHOLD = Path(__file__).resolve().parents[2] / "domains" / "household"
TEXT = (HOUSEHOLD / "language.toml").read_text(encoding="utf-8")


def pack_in(folder: Path, text: str) -> str:
    for name in ("domain.pddl", "mapping.toml"):
        shutil.copy(HOUSEHOLD / name, folder)
    (folder / "language.toml").write_text(text, encoding="utf-8")
    return str(folder)


def wording(name: str) -> Wording:
    language = load_pack(name).language
    assert language is not None
    return language


def test_the_household_has_a_fact_for_every_sense() -> None:
    household = wording("household")
    assert set(household.reads) == set(SENSES)
    assert household.fact("inside", "cup1", "box1") == Atom("inside_of", ("cup1", "box1"))
    assert household.fact("close", "box1") == Atom("closed", ("box1",))
    assert household.fact("free") == Atom("hand_free", ())


@pytest.mark.parametrize(
    "name",
    [
        "household",
        "household-locks",
        "grasif",
        "grasif-looking",
        "search",
        "domains/template",
        "examples/greenhouse",
    ],
)
def test_what_an_action_brings_about_can_be_asked_for_in_a_sentence(name: str) -> None:
    root = Path(__file__).resolve().parents[2]
    pack = load_pack(str(root / name) if "/" in name else name)
    assert pack.language is not None
    added = {fact.predicate for action in pack.domain.actions.values() for fact in action.add}
    can_come_true = (added | set(pack.mapping.derived)) & set(pack.public_predicates())
    assert set(pack.language.sentences) == can_come_true


def test_wording_changes_no_hash(tmp_path: Path) -> None:
    pack = load_pack(pack_in(tmp_path, TEXT.replace("hot, clean and filled stay true", "So it is")))
    assert pack.hash == load_pack().hash
    assert pack.language != load_pack().language


def test_a_pack_needs_no_wording(tmp_path: Path) -> None:
    folder = pack_in(tmp_path, TEXT)
    (tmp_path / "language.toml").unlink()
    assert load_pack(folder).language is None


def test_a_pack_adds_to_the_wording_of_what_it_extends() -> None:
    base, locks = wording("household"), wording("household-locks")
    assert list(locks.facts) == [*base.facts, "locked", "unlocked"]
    assert locks.notes[:-1] == base.notes
    assert locks.reads == base.reads
    assert locks.sentences == {**base.sentences, "locked": "Lock {0}.", "unlocked": "Unlock {0}."}


def test_what_both_say_is_as_the_pack_itself_says(tmp_path: Path) -> None:
    (tmp_path / "domain.pddl").write_text("(define (domain d))", encoding="utf-8")
    mapping = 'format = "groundplan-pack"\nversion = 1\nextends = "household"\n'
    (tmp_path / "mapping.toml").write_text(mapping, encoding="utf-8")
    (tmp_path / "language.toml").write_text(
        'format = "groundplan-language"\nversion = 1\n[prompt.facts]\nopen = ["door"]\nunder = ["a", "b"]\n'
        '[reads]\nwash = "(hot ?x)"\n',
        encoding="utf-8",
    )
    own, base = wording(str(tmp_path)), wording("household")
    assert own.facts["open"] == ("door",) and own.facts["under"] == ("a", "b")
    assert base.omit == ("under", *own.omit)
    assert own.reads == {**base.reads, "wash": base.reads["heat"]}


@pytest.mark.parametrize(
    ("old", "new", "place", "said"),
    [
        ('format = "groundplan-language"', 'format = "other"', "format", "groundplan-language"),
        ("version = 1", "version = 2", "format", "version 1"),
        ("[prompt]", "[prompts]", "prompts", "did you mean 'prompt'"),
        ("notes = [", "note = [", "prompt.note", "did you mean 'notes'"),
        ("notes = [", "x = [", "prompt.x", "there are examples, facts, meanings, notes, omit"),
        ('omit = ["under"', 'omit = ["undre"', "prompt.omit", "did you mean 'under'"),
        ('omit = ["under"', 'omit = [1, "under"', "prompt.omit", "one line"),
        ('open = ["x"]', 'opened = ["x"]', "prompt.facts.opened", "did you mean 'open'"),
        ('open = ["x"]', "open = []", "prompt.facts.open", "1 words"),
        ('open = ["x"]', 'open = ["a door"]', "prompt.facts.open", "1 words"),
        ('open = ["x"]', 'open = ["x\\n"]', "prompt.facts.open", "one line"),
        ('open = ["x"]', 'stands_at = ["x"]', "prompt.facts.stands_at", "goals may use"),
        ('in_room = "true', 'in_roo = "true', "prompt.meanings", "did you mean 'in_room'"),
        ('holding = "true of', 'holding = "\\n', "prompt.meanings.holding", "one line"),
        ('scene = "pump1 off."', "", "prompt.examples.scene", "one line"),
        ('scene = "pump1 off."', 'scen = "pump1 off."', "prompt.examples.scen", "did you mean 'scene'"),
        ('"(and (sometime (turned_on', '"(and sometime (turned_on', "prompt.examples.goal", "brackets"),
        ('open = "(open ?x)"', 'opne = "(open ?x)"', "reads.opne", "did you mean 'open'"),
        ('open = "(open ?x)"', 'open = "(opened ?x)"', "reads.open", "did you mean 'open'"),
        ('open = "(open ?x)"', 'open = "(stands_at ?x)"', "reads.open", "goals may use"),
        ('open = "(open ?x)"', 'open = "(open ?y)"', "reads.open", "one fact over ?x"),
        ('open = "(open ?x)"', 'open = "(open ?x ?y)"', "reads.open", "one fact over ?x"),
        ('open = "(open ?x)"', 'open = "(open door)"', "reads.open", "one fact over ?x"),
        ('open = "(open ?x)"', 'open = "open"', "reads.open", "one fact over ?x"),
        ('free = "(hand_free)"', 'free = "(open ?x)"', "reads.free", "without variables"),
        ("scene = [", "scenes = [", "prompt.turns.scenes", "did you mean 'scene'"),
        ("answers = [", 'answers = ["x"]\nanswers2 = [', "prompt.turns.answers2", "did you mean 'answers'"),
        ('["Chill the loaf.", "Cool loaf1."]', '["Chill the loaf."]', "prompt.turns.answers", "pairs"),
        ('["Chill the loaf.", "Cool loaf1."]', '"Chill the loaf."', "prompt.turns.answers", "a list"),
        ('hot = "Heat {0}."', 'hott = "Heat {0}."', "sentences.hott", "did you mean 'hot'"),
        ('hot = "Heat {0}."', 'stands_at = "Stand at {0}."', "sentences.stands_at", "goals may use"),
        ('hot = "Heat {0}."', 'hot = "Heat {0}"', "sentences.hot", "full stop"),
        ('hot = "Heat {0}."', 'hot = "Heat it."', "sentences.hot", "{0} once"),
        ('hot = "Heat {0}."', 'hot = "Heat {0} in {1}."', "sentences.hot", "{0} once"),
        ('hot = "Heat {0}."', 'hot = "Heat {0} with {0}."', "sentences.hot", "{0} once"),
        ('hot = "Heat {0}."', 'hot = "Heat the-{0}."', "sentences.hot", "a word of its own"),
        ('hot = "Heat {0}."', 'hot = "{0} hot."', "sentences.hot", "begins with a verb"),
        ('hot = "Heat {0}."', 'hot = "Heat ({0}."', "sentences.hot", "a word of its own"),
        ('hot = "Heat {0}."', 'hot = "Heat (up) {0}."', "sentences.hot", "without quotes and brackets"),
        ('hot = "Heat {0}."', 'hot = "open {0}."', "sentences.hot", "another sentence than that of open"),
        ('hot = "Heat {0}."', 'hot = "Turn {0} on."', "sentences.hot", "than that of turned_on"),
        ('hot = "Heat {0}."', "hot = 1", "sentences.hot", "one line"),
        ("[reads]", "[reads", "language.toml", "valid TOML"),
        ("[reads]", "x = " + "[" * 20_000, "language.toml", "valid TOML"),
    ],
)
def test_a_broken_wording_is_refused(tmp_path: Path, old: str, new: str, place: str, said: str) -> None:
    assert old in TEXT
    with pytest.raises(PackError) as caught:
        load_pack(pack_in(tmp_path, TEXT.replace(old, new, 1)))
    assert place in caught.value.where and "language.toml" in caught.value.where
    assert said in str(caught.value)
    assert len(str(caught.value)) < 1000


def test_a_pipe_is_refused_without_waiting(tmp_path: Path) -> None:
    folder = pack_in(tmp_path, TEXT)
    (tmp_path / "language.toml").unlink()
    os.mkfifo(tmp_path / "language.toml")
    with pytest.raises(PackError, match="a regular file"):
        load_pack(folder)
