"""S-expressions: places of words and lists, against a naive reader."""

from __future__ import annotations

import re

import pytest
from draws import draws
from hypothesis import given
from hypothesis import strategies as st

from groundplan.domains.errors import InputError
from groundplan.domains.sexpr import Expression, Word, has_more_words, read

pieces = ["(", ")", " ", "\n", "\t", "\r\n", "a", "b1", ":x", "?y", "-", "; c(\n", "(a b)", "(p\n q)", "()"]


def naive(text: str) -> tuple[Expression | Word, ...] | None:
    """A stack and nothing else; ``None`` where brackets do not match."""
    stack: list[tuple[int, list[Expression | Word]]] = [(0, [])]

    def place(offset: int) -> tuple[int, int]:
        return text.count("\n", 0, offset) + 1, offset - text.rfind("\n", 0, offset)

    for match in re.finditer(r";[^\n]*|[()]|[^\s();]+", text):
        token, start = match.group(), match.start()
        if token == "(":
            stack.append((start, []))
        elif token == ")":
            opened, items = stack.pop()
            if not stack:
                return None
            stack[-1][1].append(Expression(tuple(items), *place(opened)))
        elif not token.startswith(";"):
            stack[-1][1].append(Word(token, *place(start)))
    return tuple(stack[0][1]) if len(stack) == 1 else None


@given(st.lists(st.sampled_from(pieces), max_size=25).map("".join))
@draws(400)
def test_lists_words_and_their_places_are_those_of_a_naive_reader(text: str) -> None:
    expected = naive(text)
    if expected is None:
        with pytest.raises(InputError, match="matching brackets"):
            read(text, "file")
    else:
        assert read(text, "file") == expected


def test_an_error_has_line_and_column() -> None:
    with pytest.raises(InputError, match=r"file:2:7: expected matching brackets"):
        read("(a (b c)\n (d) ))", "file")
    with pytest.raises(InputError, match=r"file:2:6: expected matching brackets, got the end"):
        read("(a\n(b c)", "file")
    with pytest.raises(InputError, match="at most 1000 nested"):
        read("(" * 1001 + ")" * 1001, "file")


@pytest.mark.parametrize("text", ["a b\nc\td", "(a)(b)", "(()())", "(a\n(b c))", "a;b\nc", "(a b c d", ""])
def test_words_and_lists_are_counted_before_they_are_kept(text: str) -> None:
    count = len(re.findall(r"\(|[^\s();]+", text))
    assert not has_more_words(text, count) and (count == 0 or has_more_words(text, count - 1))
