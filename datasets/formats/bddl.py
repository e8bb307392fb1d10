"""BEHAVIOR's problem files (BDDL) as a format that is read: the initial state, without the goal.

Only detection is here; ``datasets.bddl`` reads the text and makes the scene, and the goal for task sets. The
marks may be changed as long as PDDL problems of other domains are not taken for BEHAVIOR's.
"""

from __future__ import annotations

import re
from dataclasses import replace

from ...simulator.scene import Loss, Scene
from ..bddl.scene import bddl_scene
from ..bddl.text import MAX_CHARACTERS, read_bddl
from .content import Content, Format
from .taskography.head import is_problem

# PDDL problems begin in the same way, and another domain may have an `inroom`, too.
_INROOM = re.compile(rb"\(\s*+inroom\s", re.I)
_OURS = re.compile(rb"\(\s*+:domain\s++(?:ignore|igibson|omnigibson)[\s)]|\w\.n\.\d\d(?!\d)", re.I)
"""BEHAVIOR's domains, and synsets as WordNet writes them (``apple.n.01``)."""

_MAX_BYTES = 4 * MAX_CHARACTERS


def _detect(content: Content) -> bool:
    return is_problem(content, _MAX_BYTES, _INROOM, _OURS)


def _read(content: Content) -> Scene:
    scene = bddl_scene(read_bddl(content.text, content.where))
    goal = Loss("goal", ":goal", "a scene has no goal; task sets of `groundplan datasets` read it")
    return replace(scene, losses=(*scene.losses, goal))


FORMAT = Format("bddl", "BEHAVIOR problem (BDDL)", _detect, _read)
