"""Instructions that nobody says: refused where they are too long, else read in bounded memory."""

import resource

import pytest

from groundplan.datasets.scenes import load_scene
from groundplan.domains.errors import InputError
from groundplan.language.embedded.clauses import MAX_CHARACTERS
from groundplan.language.embedded.reader import EmbeddedReader
from groundplan.language.english import embedding
from groundplan.language.reader import History
from groundplan.simulator.view import View

LONG = "Put the banana" + " and the apple" * 3000 + " into the fridge."


def test_a_long_instruction_is_refused_by_every_call():
    reader, office = EmbeddedReader(), load_scene("office")
    for call in (
        lambda: reader.search(LONG, View.collapsed(office)),
        lambda: reader.write(LONG, office),
        lambda: reader.repair(History(LONG, office, ()), ()),
        lambda: reader.understood(LONG, office),
    ):
        with pytest.raises(InputError, match=f"instruction: expected at most {MAX_CHARACTERS} characters"):
            call()


def test_the_command_line_ends_with_bad_input(cli):
    for verb in ("plan", "search"):
        ran = cli(verb, LONG, "--scene", "office")
        assert ran.code == 2 and "say in a few sentences what is to be done" in ran.err


def test_batches_hold_each_text_once_and_few_tokens():
    coded = [([0] * n, str(n)) for n in sorted([1, 2, 3, *range(60, 256), *[256] * 20])]
    batches = list(embedding._batches(coded))
    assert [text for batch in batches for text in batch] == coded
    assert all(len(batch) <= embedding.BATCH for batch in batches)
    assert all(len(batch) * len(batch[-1][0]) <= embedding.MAX_TOKENS for batch in batches)
    assert list(embedding._batches([])) == []


@pytest.mark.slow
@pytest.mark.skipif(not embedding.installed(), reason="without the extra `embedded`")
def test_long_texts_are_embedded_in_little_memory():
    model = embedding.load()
    model.scores("fridge", ["apple"])
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    model.scores("fridge", [f"{n} " + "open the fridge and then " * 60 for n in range(64)])
    # 217 MB with onnxruntime 1.32; 750 MB in one batch
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300 * 1024
