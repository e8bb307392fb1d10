"""Fast Downward, inside a forked child of the worker: its translator, then its search program.

`preload` imports the translator once, in the worker; `run` translates in the fork, which then becomes the
`downward` program: same process, same limits. (The driver that ships with it starts two more Pythons, 0.3 s.)
A search that writes one plan after the other is started beside the fork instead, and stopped at its time.
Three ends need no search: the translator proves that there is no plan, the goal asks for nothing, or the text
is not supported. Searches and limits come with the request; `engines/fast_downward.py` sets them.
Must stay: no other module imports the translator (GPL) or reads what an alias of its driver means, and
nothing is left on disk, so the translated task goes through an unnamed file.
"""

from __future__ import annotations

import gc
import importlib
import json
import os
import subprocess
import sys
import tempfile
import time
from types import ModuleType
from typing import Any, NoReturn

from .command import plans
from .processes import end_tree
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
    started = time.monotonic()
    with tempfile.TemporaryFile("w+", encoding="utf-8") as task:
        try:
            _translate(request["domain"], request["problem"], task, request["unconditional"])
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
    translate = time.monotonic() - started
    options = _options(request)
    if any("iterated(" in option for option in options):
        return _improve(request, options, result, translate)
    _say(result, DONE, translate=translate)
    os.set_inheritable(result, True)
    plan = f"/dev/fd/{result}"
    os.execv(request["program"], [request["program"], *options, "--internal-plan-file", plan])


def _options(request: dict[str, Any]) -> list[str]:
    """The search program's options for a search or an alias, from the installed driver's own list."""
    if "(" in request["search"]:
        return ["--search", request["search"]]
    driver = sys.modules["downward_driver"] = ModuleType("downward_driver")
    driver.__path__ = [request["driver"]]
    options: list[str] = importlib.import_module("downward_driver.aliases").ALIASES[request["search"]]
    return options


def _improve(request: dict[str, Any], options: list[str], result: int, translate: float) -> int:
    """Search for better and better plans until the time is over; write the last one."""
    words = [request["program"], *options, "--internal-plan-file", "plan"]
    facts: dict[str, object] = {"translate": translate}
    with subprocess.Popen(words) as program:  # it reads the task where we would have
        try:
            code = program.wait(max(0.05, request["seconds"] - translate))
        except subprocess.TimeoutExpired:
            end_tree(program.pid)
            program.wait()
            code, facts["stopped"] = DONE, True
    complete = next((text for text in plans("plan") if "; cost = " in text), "")
    _say(result, DONE, **facts)
    os.write(result, complete.encode())
    return DONE if complete else abs(code)


def _say(result: int, code: int, **facts: object) -> int:
    os.write(result, json.dumps(facts).encode() + b"\n")
    return code


def _translate(domain: str, problem: str, task: Any, unconditional: bool) -> None:
    """Write the translated task; one without conditional effects where that is asked for and can be.

    The translator puts facts that exclude each other into one variable. An action that deletes one of them
    without needing it then has an effect under a condition. With a variable for each fact it has none.
    """
    translated = _translated(domain, problem)
    if unconditional and _has_conditions(translated):
        separate = _translated(domain, problem, "--invariant-generation-max-candidates", "0")
        translated = translated if _has_conditions(separate) else separate
    translated.output(task)


def _has_conditions(task: Any) -> bool:
    return any(condition for operator in task.operators for *_, condition in operator.pre_post)


def _translated(domain: str, problem: str, *words: str) -> Any:
    translator = importlib.import_module("fast_downward.translate.main")
    options = importlib.import_module("fast_downward.translate.options")
    options.set_options([*words, "domain", "problem"])  # names that are never opened

    def unsolvable(why: str) -> NoReturn:
        raise _Unsolvable(why[0].lower() + why[1:])

    setattr(translator, "unsolvable_sas_task", unsolvable)  # noqa: B010 - in this fork only; untyped module
    reader = importlib.import_module("fast_downward.translate.pddl_parser.lisp_parser")
    parser = importlib.import_module("fast_downward.translate.pddl_parser.parsing_functions")
    parsed = parser.parse_task(*(reader.parse_nested_list(text.splitlines()) for text in (domain, problem)))
    if isinstance(parsed.goal.simplified(), importlib.import_module("fast_downward.translate.pddl").Truth):
        raise _Trivial
    importlib.import_module("fast_downward.translate.normalize").normalize(parsed)
    return translator.pddl_to_sas(parsed)
