"""Fast Downward, inside a forked child of the worker: its translator, then its search program.

`preload` imports the translator once, in the worker; `run` translates in the fork, which then becomes the
`downward` program: same process, same limits. (The driver that ships with it starts two more Pythons, 0.3 s.)
Three ends need no search: the translator proves that there is no plan, the goal asks for nothing, or the text
is not supported. Options and limits come with the request; `planners/engines/fast_downward.py` sets them.
Must stay: no other module imports the translator (GPL), and nothing is left on disk, so the translated task
goes through an unnamed file and the plan through the result pipe.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import tempfile
from typing import Any, NoReturn

from .server import DONE, INPUT_ERROR, UNSUPPORTED


class _Unsolvable(Exception):
    """The translator found that there is no plan."""


class _Trivial(Exception):
    """The goal asks for nothing; LM-cut would reject the axiom that the translator makes of it."""


def preload() -> None:
    importlib.import_module("fast_downward.translate.main")


def run(request: dict[str, Any], result: int) -> int:
    """Write a line of JSON, then whatever plan `downward` writes; return only without a search."""
    gc.disable()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as task:
        try:
            _translate(request["domain"], request["problem"], task)
        except _Unsolvable as proof:
            return _say(result, DONE, proof=f"translator: {proof}")
        except _Trivial:
            code = _say(result, DONE)
            os.write(result, b"; cost = 0\n")
            return code
        except (SystemExit, AssertionError, NotImplementedError, RecursionError) as error:
            # The parser ends the program on texts outside its language, and asserts what it does not support.
            return _say(result, UNSUPPORTED, detail=f"{type(error).__name__}: {error}")
        except importlib.import_module("fast_downward.translate.pddl_parser").ParseError as error:
            return _say(result, INPUT_ERROR, detail=str(error))
        task.flush()
        os.lseek(task.fileno(), 0, os.SEEK_SET)
        os.dup2(task.fileno(), 0)
    _say(result, DONE)
    os.set_inheritable(result, True)
    plan = f"/dev/fd/{result}"
    os.execv(request["program"], [request["program"], *request["options"], "--internal-plan-file", plan])


def _say(result: int, code: int, **facts: str) -> int:
    os.write(result, json.dumps(facts).encode() + b"\n")
    return code


def _translate(domain: str, problem: str, task: Any) -> None:
    translator = importlib.import_module("fast_downward.translate.main")
    options = importlib.import_module("fast_downward.translate.options")
    options.set_options(["domain", "problem"])  # names that are never opened

    def unsolvable(why: str) -> NoReturn:
        raise _Unsolvable(why[0].lower() + why[1:])

    setattr(translator, "unsolvable_sas_task", unsolvable)  # noqa: B010 - in this fork only; untyped module
    reader = importlib.import_module("fast_downward.translate.pddl_parser.lisp_parser")
    parser = importlib.import_module("fast_downward.translate.pddl_parser.parsing_functions")
    parsed = parser.parse_task(*(reader.parse_nested_list(text.splitlines()) for text in (domain, problem)))
    if isinstance(parsed.goal.simplified(), importlib.import_module("fast_downward.translate.pddl").Truth):
        raise _Trivial
    importlib.import_module("fast_downward.translate.normalize").normalize(parsed)
    translator.pddl_to_sas(parsed).output(task)
