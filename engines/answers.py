"""The check of what engines answer, where it comes in: nothing behind it has to expect nonsense.

An engine may be anybody's program. Its answer is taken only if it is a `TextResult` whose plan consists of
actions of the problem, over objects of the problem, with the right number of arguments of the right types,
along routes that exist. A plan of another kind is *rejected*, every other answer has *crashed*, with a
sentence on the first thing that is wrong. Whether a plan of the problem also works is not judged here but by
the simulator. The sentences may be changed.
"""

from __future__ import annotations

from collections.abc import Sequence

from ..compiler.pddl import RenderedProblem
from ..domains.deadline import check_time
from ..domains.ending import Ending
from ..domains.errors import clip
from ..domains.pddl import is_a
from ..simulator.step import MAX_STEPS
from .base import Step, TextResult

MAX_NAMES = 8
"""Most names that a sentence lists."""


class BadAnswer(Exception):
    """An answer that is none, or a plan that is none of the problem, with words that say why."""


def crashed(engine: str, why: str) -> TextResult:
    """Return the answer in place of one that cannot be used."""
    return TextResult(Ending.CRASHED, reproducible=False, engine=engine, detail=f"{engine} {why}")


def one_each(answers: object, tasks: int, engine: str) -> list[TextResult]:
    """Return an answer for each of so many tasks; what is missing or no answer at all is *crashed*."""
    if not isinstance(answers, list | tuple) or len(answers) != tasks:
        number = str(len(answers)) if isinstance(answers, list | tuple) else "no"
        return [crashed(engine, f"gave {number} answers to {tasks} problems")] * tasks
    return [_typed(answer, engine) for answer in answers]


def _typed(answer: object, engine: str) -> TextResult:
    if not isinstance(answer, TextResult):
        return crashed(engine, f"gave an answer that is no TextResult but {_shown(answer)}")
    try:
        for name, number in (("cost", answer.cost), ("bound", answer.bound)):
            if number is not None and (not isinstance(number, int) or number < 0):
                raise BadAnswer(f"gave {_shown(number)} as a {name}: expected a whole number, not negative")
        if not isinstance(answer.ending, Ending):
            raise BadAnswer(f"ended with {_shown(answer.ending)}, which is no ending")
        if answer.plan is not None:
            _steps_are_words(answer.plan)
    except BadAnswer as bad:
        return crashed(engine, str(bad))
    return answer


def _steps_are_words(plan: object) -> None:
    if not isinstance(plan, list | tuple):
        raise BadAnswer(f"gave a plan that is no list of steps but {_shown(plan)}")
    for number, step in enumerate(plan, 1):
        if not isinstance(step, list | tuple) or not all(isinstance(word, str) for word in step):
            raise BadAnswer(f"gave a plan whose step {number} is no list of words but {_shown(step)}")
        if not step:
            raise BadAnswer(f"gave a plan whose step {number} is empty")


def checked_plan(plan: Sequence[Step], rendered: RenderedProblem) -> tuple[Step, ...]:
    """Return a plan that is one of this problem, or raise :class:`BadAnswer` with what is wrong.

    What the problem does not know and has no arguments is a planner's own, such as ``(reach-goal)``, and is
    left out. A plan has at most :data:`MAX_STEPS` steps; checking ends at the deadline (``LimitReached``).
    """
    if len(plan) > MAX_STEPS:
        raise BadAnswer(f"it has {len(plan)} steps; at most {MAX_STEPS} are taken")
    problem, table = rendered.source, rendered.table
    names = {symbol: name for name, symbol in table.actions.items()}
    objects = {symbol: name for name, symbol in table.objects.items()}
    schemas = {action.name: action for action in problem.actions}
    types = dict(problem.objects)
    kept: list[Step] = []
    for number, (symbol, *args) in enumerate(plan, 1):
        check_time("checking a plan")
        schema = schemas.get(names.get(symbol.lower(), ""))
        if schema is None and not args:
            continue
        if schema is None:
            raise _bad_step(number, plan, f"there is no action {_shown(symbol)}; there are {_listed(names)}")
        if len(args) != len(schema.parameters):
            expected = f"{len(schema.parameters)} arguments"
            raise _bad_step(number, plan, f"{symbol} takes {expected}, got {len(args)}")
        bound = []
        for parameter, argument in zip(schema.parameters, args, strict=True):
            name = objects.get(argument.lower())
            if name is None or name not in types:
                raise _bad_step(number, plan, f"there is no object {_shown(argument)}")
            if not is_a(types[name], parameter.type, problem.types):
                why = f"{_shown(argument)} is no {parameter.type}, as {symbol} needs"
                raise _bad_step(number, plan, why)
            bound.append(name)
        if schema.cost is None and tuple(bound[:2]) not in problem.distances:
            raise _bad_step(number, plan, f"no route leads from {_shown(args[0])} to {_shown(args[1])}")
        kept.append((symbol, *args))
    return tuple(kept)


def _bad_step(number: int, plan: Sequence[Sequence[str]], why: str) -> BadAnswer:
    where = f"step {number}, {_printed(*plan[number - 1])}"
    return BadAnswer(f"it is not one of this problem: {where}: {why}")


def _printed(*words: str) -> str:
    return clip(f"({' '.join(words)})", 100)


def _shown(value: object) -> str:
    return clip(repr(value), 60)


def _listed(names: Sequence[str] | dict[str, str]) -> str:
    """Some of the names, in order."""
    every = sorted(names)
    return ", ".join(every[:MAX_NAMES]) + (", ..." if len(every) > MAX_NAMES else "")
