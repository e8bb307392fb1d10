"""BEHAVIOR's problem files (BDDL) as a format that is read: the initial state, without the goal."""

from __future__ import annotations

import re

from ...domains.errors import InputError, SceneError
from ...simulator.scene import Scene
from ..bddl import read_bddl
from ..bddl_scene import bddl_scene
from .content import Content, Format

# PDDL problems begin in the same way; only BDDL says what is in which room by `inroom`.
_BEGINS = re.compile(rb"\s*(?:;[^\n]*\s*)*\(\s*define\s*\(\s*problem\s", re.I)
_INROOM = re.compile(rb"\(\s*inroom\s", re.I)


def _detect(content: Content) -> bool:
    if content.is_folder:
        return False
    try:
        data = content.data
    except SceneError:
        return False
    return _BEGINS.match(data) is not None and _INROOM.search(data) is not None


def _read(content: Content) -> Scene:
    try:
        return bddl_scene(read_bddl(content.text, content.where))
    except SceneError:
        raise
    except InputError as error:
        raise SceneError(error.where, error.expected, error.got, error.hint) from error


FORMAT = Format("bddl", "BEHAVIOR problem (BDDL)", _detect, _read)
