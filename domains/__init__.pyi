from .action import Action, GroundAction, PlanAction
from .diagnostic import Diagnostic, Span
from .ending import Ending
from .errors import GoalError, GroundplanError, InputError, NoRoute, PackError, SceneError
from .evaluate import State
from .formula import (
    And,
    Atom,
    Cardinality,
    Count,
    Equal,
    Exists,
    Forall,
    Formula,
    GroundAtom,
    Imply,
    Not,
    Or,
    Sometime,
    Term,
    TrajectoryConstraint,
    TypedVar,
    Var,
)
from .mapping import SceneMapping
from .pack import BUILT_IN, Pack, load_pack
from .wording import Wording

__all__ = [
    "BUILT_IN",
    "Action",
    "And",
    "Atom",
    "Cardinality",
    "TrajectoryConstraint",
    "Count",
    "Diagnostic",
    "Ending",
    "Equal",
    "Exists",
    "Forall",
    "Formula",
    "GoalError",
    "GroundAction",
    "GroundAtom",
    "GroundplanError",
    "Imply",
    "InputError",
    "NoRoute",
    "Not",
    "Or",
    "Pack",
    "PackError",
    "PlanAction",
    "SceneError",
    "SceneMapping",
    "Sometime",
    "Span",
    "State",
    "Term",
    "TypedVar",
    "Var",
    "Wording",
    "load_pack",
]
