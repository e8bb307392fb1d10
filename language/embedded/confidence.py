"""How sure a reading is: a small logistic model over what the reading leaves open.

No feature knows a word of the scene. They say how many words of the instruction the reading does not use, how
surely its phrases were linked, whether a verb was guessed, how many sentences were taken to be mere context,
and how near the goal, put into plain words, comes to the instruction in meaning. The weights are data
(``vocabulary/confidence.json``), fitted by ``evaluation/calibration.py`` on development sets.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files

from ...domains.formula import Atom, Formula, Or, walk
from . import lexicon as lex
from .frames import CONTEXT, Frame
from .lexical import Lexical
from .links import Similarity
from .words import content_words, name_words, singular, tokens

FEATURES = ("unused", "unsure", "doubts", "told", "open", "alone", "far")
"""The names of the features, in the order of :func:`features`."""
SAYINGS: Mapping[str, str] = {
    "inside_of": "put the {0} in the {1}", "ontop_of": "put the {0} on the {1}",
    "in_room": "bring the {0} to the {1}", "closed": "close the {0}", "open": "open the {0}",
    "turned_on": "turn on the {0}", "turned_off": "turn off the {0}", "hot": "heat the {0}",
    "cold": "chill the {0}", "clean": "clean the {0}", "filled": "fill the {0} with coffee",
    "holding": "pick up the {0}", "robot_at": "go to the {0}",
}  # fmt: skip


def verbalised(formula: Formula) -> str:
    """A goal in plain words, good enough to compare meanings: "put the orange in the fridge"."""
    said: dict[str, None] = {}
    for atom in walk(formula):
        if isinstance(atom, Atom) and atom.predicate in SAYINGS:
            names = [" ".join(w for w in name_words(str(a)) if not w.isdigit()) for a in atom.args]
            said[SAYINGS[atom.predicate].format(*names, "", "")] = None
    return " and ".join(said)


def features(
    instruction: str, formula: Formula, frames: Sequence[Frame], doubts: Sequence[float], by: Similarity
) -> tuple[float, ...]:
    """What speaks against a reading, each feature from 0 (nothing) to about 1."""
    asking = [f for f in frames if f.verb not in CONTEXT]
    used = {w for f in frames for p in (*f.items, f.to) if p is not None for w in tokens(p.text)}
    used |= {w for f in frames if f.told is not None for p in f.told.all for w in tokens(p.text)}
    words = [w for w in content_words(instruction) if w not in lex.POLITE]
    left = [w for w in words if w not in used and singular(w) not in used and lex.base(w) is None]
    near = 1.0 if isinstance(by, Lexical) else by.scores(instruction, [verbalised(formula) or "nothing"])[0]
    return (
        min(1.0, len(left) / max(3, len(words))),
        1.0 - min(doubts, default=1.0),
        min(1.0, sum(d < 1.0 for d in doubts) / 3),
        min(1.0, sum(f.verb == "told" for f in frames) / 2),
        float(any(isinstance(p, Or) for p in walk(formula))),
        float(len(asking) == 1 and asking[0].verb == "hold"),
        max(0.0, 1.0 - near) if not isinstance(by, Lexical) else 0.5,
    )


@cache
def weights() -> tuple[float, tuple[float, ...]]:
    """The intercept and the weight of each feature, as fitted."""
    raw = json.loads(files(__package__).joinpath("vocabulary", "confidence.json").read_text(encoding="utf-8"))
    return float(raw["intercept"]), tuple(float(raw["weights"][name]) for name in FEATURES)


def confidence(values: Sequence[float]) -> float:
    """The probability that a reading with these features is right."""
    start, each = weights()
    return round(1.0 / (1.0 + math.exp(-(start + sum(w * x for w, x in zip(each, values, strict=True))))), 4)
