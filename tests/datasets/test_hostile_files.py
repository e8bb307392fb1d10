"""Files that are made to hold a reader up, lead it elsewhere or use its memory: refused, and at once."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from groundplan.datasets.formats import registry
from groundplan.datasets.formats.content import Content
from groundplan.datasets.formats.pddl_head import begins_problem
from groundplan.domains.errors import SceneError
from groundplan.simulator.scene import default_class

pytestmark = pytest.mark.timeout(10)

PROBLEM = b"(define (problem p) (:domain igibson) (:init (inroom a b)))"


@pytest.mark.parametrize("head", [b";" * 100_000, b"; \n" * 60_000, b" " * 200_000, b";\n\n ;" * 40_000])
def test_long_comments_before_a_problem(tmp_path, head):
    path = tmp_path / "problem.pddl"
    path.write_bytes(head + b"\n(define (domain blocks))")
    with pytest.raises(SceneError):
        registry.detect(Content(path))
    assert begins_problem(head + b"\n(define (problem p))")


@pytest.mark.parametrize(
    ("data", "begins"),
    [
        (b"(define (problem p))", True),
        (b"; one\n;two\n\n ( DEFINE\n(Problem)", True),
        (b"; one (define (problem p))", False),
        (b"(define (domain p))", False),
        (b";" * 300_000 + b"\n(define (problem p))", False),
        (b"", False),
    ],
)
def test_how_problems_begin(data, begins):
    assert begins_problem(data) is begins


@pytest.mark.parametrize("middle", ["#" * 100_000, "# \n" * 50_000, "#" * 28, " " * 100_000])
def test_comments_in_python(tmp_path, middle):
    path = tmp_path / "scenes.py"
    path.write_text(f'x = {{"rooms": {{"a": {{"neighbor": [ {middle}\nz], "items": {{}}}}}}}}')
    with pytest.raises(SceneError, match="literals with commas"):
        registry.read(path)


@pytest.mark.parametrize(
    "node_id", ["_" * 80_000 + "x", "1" * 80_000 + "x", "1_" * 40_000 + "x", "x" + "1" * 80_000]
)
def test_classes_of_long_ids(node_id):
    assert default_class(node_id) == ("x" if node_id[0] == "x" else node_id)


OLD = re.compile(r"[\s_.\-]*\d+\Z")


@given(st.text("ab1٣_.- \n\x1c²", max_size=12) | st.text(max_size=6))
@example("desk3")
@example("_1")
@example("a1_2")
@example("a_1\n")
def test_the_class_is_the_id_without_its_number(node_id):
    assert default_class(node_id) == (OLD.sub("", node_id) or node_id)
