"""The examples in the docstrings of the compiler's entries run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from groundplan.compiler.decoding import grammar
from groundplan.compiler.query import answers, query


@pytest.mark.parametrize("module", [grammar, query, answers], ids=lambda m: m.__name__)
def test_the_examples_run(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module)
    assert attempted and not failed
