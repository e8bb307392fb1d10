"""Documents that are decoded entry by entry: the same scene, and the errors of JSON, in little memory."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from groundplan.datasets.formats import content, registry, streamed
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import SceneError


def foreign_graph() -> dict[str, object]:
    """A Spark-DSG document of another program, with what is not read."""
    place = {
        "type": "PlaceNodeAttributes",
        "position": [1.5, 0.0, 0.0],
        "name": "ü\u2028\U0001f600",
        "mesh": [1],
    }
    thing = {"type": "ObjectNodeAttributes", "position": [1.0, 2.0, 0.0], "semantic_label": 7, "name": "cup"}
    ids = [ord("p") << 56, (ord("p") << 56) + 1, ord("O") << 56]
    nodes = [
        {"id": ids[0], "layer": 3, "attributes": place},
        {"id": ids[1], "layer": 3, "attributes": place | {"name": ""}},
        {"id": ids[2], "layer": 2, "attributes": thing},
    ]
    edges = [
        {"source": ids[1], "target": ids[0], "info": {"weight": 1}},
        {"source": ids[0], "target": ids[2]},
    ]
    return {
        "directed": False,
        "edges": edges,
        "layer_ids": [2, 3],
        "mesh": [1, 2, 3],
        "nodes": nodes,
        "x": [],
    }


@pytest.mark.parametrize("window", [4, 7, 1 << 18])
@pytest.mark.parametrize("indent", [None, 1])
@pytest.mark.parametrize("ascii_only", [True, False])
def test_a_document_read_entry_by_entry_gives_the_same_scene(
    tmp_path, monkeypatch, window, indent, ascii_only
):
    path = tmp_path / "scene.json"
    path.write_text(json.dumps(foreign_graph(), indent=indent, ensure_ascii=ascii_only), encoding="utf-8")
    whole = registry.read(path)[0]
    monkeypatch.setattr(content, "MAX_MEMORY", 1000)
    monkeypatch.setattr(content, "MOST_DENSE", 100)  # a small document has more keys for its size
    monkeypatch.setattr(streamed, "_WINDOW", window)
    assert registry.read(path)[0] == whole
    assert {(x.id, x.count) for x in whole.losses} >= {("mesh", 3), ("nodes.attributes.mesh", 2)}


@given(st.data())
def test_what_is_decoded_entry_by_entry_is_what_json_says(data):
    numbers = st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    entry = st.recursive(
        st.none() | st.booleans() | numbers | st.text(max_size=9),
        lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
        max_leaves=6,
    )
    document = data.draw(
        st.dictionaries(st.text(max_size=4), st.lists(entry, max_size=5) | entry, max_size=4)
    )
    text = json.dumps(document, indent=data.draw(st.sampled_from([None, 2])), ensure_ascii=False)
    encoded = text.encode("utf-8", "replace")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(streamed, "_WINDOW", data.draw(st.integers(4, 40)))
        read = streamed.open_streamed(encoded, "x")
        whole = {k: list(v) if isinstance(v, streamed.Entries) else v for k, v in read.items()}
        assert whole == json.loads(encoded)
        cut = data.draw(st.integers(0, len(encoded.rstrip()) - 1))
        with pytest.raises(SceneError):
            streamed.open_streamed(encoded[:cut], "x")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"nodes":[1 2]}', "x:1: expected JSON with ']' here, got 2"),
        ('{"nodes":[1,\n2,]}', "x:2: expected JSON, got Expecting value"),
        ('{"a":1,\n"a":2}', "x:2: expected keys that are texts, each once, got a"),
        ('{"a":NaN}', "x:1: expected JSON of ordinary depth and numbers"),
        ('{"a":' + "[" * 200_000, "x:1: expected JSON"),
        ('{"a":{}} 7', "x:1: expected the end of the file"),
    ],
)
def test_what_is_no_json_is_refused_with_its_line(text, message):
    with pytest.raises(SceneError) as caught:
        streamed.open_streamed(text.encode(), "x")
    assert str(caught.value).startswith(message)


def test_houses_one_a_line_are_read_where_one_document_of_that_size_is_not(tmp_path, monkeypatch):
    line = json.dumps(json.loads((Path(__file__).parent / "formats" / "procthor.json").read_text()))
    path = tmp_path / "houses.jsonl"
    path.write_text((line + "\n") * 30)
    whole = len(line) * 30
    monkeypatch.setattr(content, "PIECE", len(line))
    monkeypatch.setattr(content, "MAX_MEMORY", whole * 5)
    assert registry.read(path, item="3")[0].nodes
    path.write_text(line[:-1] + ', "more": [' + "[]," * (whole // 3) + "[]]}")
    with pytest.raises(SceneError, match="of memory, got more"):
        registry.read(path)


@pytest.mark.parametrize(
    "form", [f.name for f in registry.FORMATS if f.write is not None and f.name != "taskography"]
)
@pytest.mark.parametrize("most", [1000, 380_000_000])
def test_a_key_given_twice_is_refused_in_every_json_format(tmp_path, monkeypatch, form, most):
    """Of two parents one would be taken, and the other lost without a word."""
    path = tmp_path / "scene.json"
    text = registry.by_name(form).write(open_scene("office")).decode()
    path.write_text(text)
    assert registry.read(path)[0].nodes
    path.write_text(re.sub(r'"id": ?(?:"[^"]*"|\d+)', r"\g<0>, \g<0>", text, count=1))
    if form == "spark-dsg":  # the one that is also decoded entry by entry
        monkeypatch.setattr(content, "MAX_MEMORY", most)
    with pytest.raises(SceneError, match="has once, got id twice in the object with the id"):
        registry.read(path)


def test_a_key_of_one_line_of_houses_is_given_once(tmp_path):
    line = json.dumps(json.loads((Path(__file__).parent / "formats" / "procthor.json").read_text()))
    path = tmp_path / "houses.jsonl"
    path.write_text(f'{line}\n{line[:-1]}, "rooms": []}}\n')
    assert registry.read(path, item="1")[0].nodes
    with pytest.raises(SceneError, match=r"houses.jsonl:2: expected keys .*, got rooms twice"):
        registry.read(path, item="2")
