"""The examples in the docstrings of data sets run."""

from __future__ import annotations

import doctest
from types import ModuleType

import pytest

from groundplan.datasets import library, scenes
from groundplan.datasets.formats import classes


@pytest.mark.parametrize("module", [classes, library, scenes], ids=lambda m: m.__name__)
def test_the_examples_run(module: ModuleType) -> None:
    failed, attempted = doctest.testmod(module, optionflags=doctest.ELLIPSIS)
    assert attempted and not failed
