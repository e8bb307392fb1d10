"""The input of a run of the hybrid pipeline: the scene, and an instruction or a goal.

A new input is a field with a default here, with its check in ``__post_init__``.
"""

from __future__ import annotations

from dataclasses import dataclass

from ..compiler.goals.goal import Goal
from ..compiler.shown_part import COMPILE_FORMS, CompileForm
from ..domains.errors import clip
from ..simulator.belief import Belief
from ..simulator.navigation.house_world import HouseSearch


@dataclass(frozen=True, slots=True)
class Stages:
    """Stages of the pipeline that can be switched off, to measure what each is worth.

    ``check`` turns down goals that cannot be reached before they are planned for: that nodes, predicates and
    types are those of the scene is checked in any case, since nothing else can be planned for. It also sends
    back what a reader that may guess names for no reason. ``repair``
    asks for another goal after feedback. ``already_so`` turns down a goal that holds before anything is done.
    """

    check: bool = True
    repair: bool = True
    already_so: bool = True


ALL_STAGES = Stages()


@dataclass(frozen=True)
class Request:
    """The input of a run: a belief, and an instruction or a goal (with both the goal is used).

    ``belief`` is the scene as the robot knows it, from :func:`ground`. ``instruction`` is a sentence for a
    reader. ``task`` is the id of the task that all this is from, for the record. ``world`` is the true world
    where it differs from the belief: a plan that it refuses changes the belief, and the same goal is planned
    again. With ``search_only`` the run ends with the search: the instruction asks where something is, and
    what the search chose (``subgraph`` of the record) answers it. With ``tidy``, what a plan leaves otherwise
    than found, and of which the goal says nothing, is put back: a free hand, and for a reader's goal doors
    and switches. ``house`` is the true floor plan with the robot's start and what is to be
    found in it, for methods that search an unexplored house: they see of it what its world shows.
    ``compile_form`` says what problems are compiled from where a reader searched. With ``subgraph`` a plan
    uses nothing that no search has shown; where there is none, the search is taken up again for what is
    missing. With ``relax``, a goal that is proved impossible is given up in part, and the record says which.
    With ``ask``, an instruction with several readings ends as a question, unless ``run`` is given who
    answers it. With ``suggest``, a reader is told what can be had of a goal that is impossible.

    >>> from groundplan import Request, ground, load_pack, load_scene, parse_goal
    >>> office = ground(load_scene("office"), load_pack())
    >>> str(Request(office, goal=parse_goal("(holding banana2)")).goal)
    '(holding banana2)'
    >>> Request(office, "Bring me the banana.").goal is None
    True

    Raises ``TypeError`` for a goal that is a text: :func:`parse_goal` reads it; ``ValueError`` for no compile
    form, and for ``subgraph`` with a true world, where a robot goes by all that it believes and sees.
    """

    belief: Belief
    instruction: str | None = None
    goal: Goal | None = None
    task: str | None = None
    world: Belief | None = None
    search_only: bool = False
    tidy: bool = True
    house: HouseSearch | None = None
    compile_form: CompileForm = "scene"
    relax: bool = False
    ask: bool = False
    suggest: bool = False

    def __post_init__(self) -> None:
        for name, value, kind, hint in (
            ("belief", self.belief, Belief, "ground(scene, pack) makes one"),
            ("instruction", self.instruction, str, "a goal is given as goal=..."),
            ("goal", self.goal, Goal, "parse_goal(text) reads one"),
            ("world", self.world, Belief, "ground(scene, pack) makes one"),
            ("house", self.house, HouseSearch, "a floor plan, a start and types to find make one"),
        ):
            if not isinstance(value, kind) and (value is not None or name == "belief"):
                raise TypeError(
                    f"{name}: expected a {kind.__name__}, got {clip(value)} ({type(value).__name__}); {hint}"
                )
        if self.compile_form not in COMPILE_FORMS:
            forms = ", ".join(COMPILE_FORMS)
            raise ValueError(f"compile_form: expected one of {forms}, got {clip(self.compile_form)}")
        if self.compile_form == "subgraph" and self.world is not None:
            raise ValueError("compile_form: in a true world the robot plans with the whole scene")
