"""Audit of the goals of PDDL problems, which need no pack: folders of problems with their domains.

Which file is a domain and which a problem is read from the files, so any layout of the planning competitions
will do. Problems are read by Kairos where it is installed, else by unified-planning. What these find is
*proved*, as are a goal that is empty, contradicts itself literally, repeats a literal, or is true at the
start. That no plan reaches a goal is *decided*: a planner says so.
"""

from __future__ import annotations

import importlib.util
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Literal

from ...domains.diagnostic import Diagnostic, Severity
from ...domains.ending import Ending
from ...domains.errors import InputError, clip
from ...domains.files import open_regular, read_bytes, read_text
from ...domains.sexpr import Expression, Word, read
from ...engines.base import Budget, PddlText
from ...engines.registry import get_engine
from .goal_audit import AuditedGold, AuditFinding, Basis, key_of, of_fault

Kind = Literal["domain", "problem"]
MAX_BYTES = 64 * 2**20
HEAD = 2**16
"""Bytes of a file that say what it is."""
HINT = "a file of goals needs --scene"
SECONDS = 2.0
"""Time of the planner for a goal, where no longer search is asked for."""
_DEFINE = re.compile(r"\s*\(\s*define\s*\(\s*(domain|problem)\s+([^\s()]+)\s*\)", re.I)
_DOMAIN = re.compile(r"\(\s*:domain\s+([^\s()]+)", re.I)
_COMMENT = re.compile(r";[^\n]*")
_CODES = {"semantic.type_mismatch": "type", "parse": "syntax", "lex": "syntax"}
"""Codes of ours for those of Kairos; any other is ``pddl``."""


@dataclass(frozen=True, slots=True)
class PddlFile:
    """A file of PDDL: a domain or a problem, its name, and the domain that a problem names."""

    path: Path
    kind: Kind
    name: str
    domain: str = ""


@dataclass(frozen=True, slots=True)
class PddlGold:
    """A file to audit: a problem with the file of its domain, or a domain alone."""

    id: str
    set: str
    path: Path
    domain: Path
    engine: str = "kairos"

    def key(self, thorough: bool) -> str:
        """Return what its audit depends on."""
        texts = (_raw(path) for path in dict.fromkeys((self.path, self.domain)))
        return key_of(str(self.path), *texts, reader_name(), self.engine, str(thorough))


@dataclass(frozen=True, slots=True)
class _Fault:
    """A fault of a file, and its place there."""

    code: str
    message: str
    severity: Severity = "error"
    line: int = 0
    column: int = 0
    basis: Basis = "proved"


@dataclass(frozen=True)
class _Goal:
    """The goal of a problem: its conjuncts, and what is true at the start."""

    parts: tuple[Expression | Word, ...]
    line: int
    start: frozenset[str] = field(default=frozenset(), repr=False)
    derived: frozenset[str] = frozenset()


def reader_name() -> str:
    """Return the program that reads PDDL here, with its version."""
    package = "kairos-planner" if has_kairos() else "unified-planning"
    return f"{package.removesuffix('-planner')} {version(package)}"


# Folders


def pddl_golds(
    place: Path, domain: Path | None = None, engine: str = "kairos"
) -> tuple[list[PddlGold], tuple[AuditFinding, ...]]:
    """Return the problems of a folder, or of one file, with the domains that they go with, and what is none.

    ``domain`` is the one of all problems, where several could be. Raises :class:`InputError` where there is
    no problem at all, for one file that is none, and for an engine that there is not.
    """
    get_engine(engine)
    faults: list[InputError] = []
    files = list(_files(place, faults))
    if place.is_file() and faults:
        raise faults[0]
    root = place if place.is_dir() else place.parent
    set_name = place.resolve().stem
    if place.is_file():  # its domain is beside it
        beside = _files(root, [])
        files += [file for file in beside if file.kind == "domain" and file.path != place]
    domains: dict[Path, list[PddlFile]] = {}
    for file in files:
        if file.kind == "domain":
            domains.setdefault(file.path.parent, []).append(file)
    golds: list[PddlGold] = []
    used: dict[Path, None] = {}
    for file in files:
        if file.kind == "domain":
            continue
        try:
            of = domain if domain is not None else _domain_of(file, domains, root)
        except InputError as error:
            faults.append(error)
            continue
        used[of] = None
        golds.append(PddlGold(_id(file.path, root), set_name, file.path, of, engine))
    if not golds and not faults:
        raise InputError(clip(str(place), 200), "PDDL problems", "none", "their files end in .pddl")
    of_domains = [PddlGold(_id(one, root), set_name, one, one) for one in used]
    return of_domains + golds, tuple(_no_problem(error, set_name) for error in faults)


def _no_problem(error: InputError, set_name: str) -> AuditFinding:
    """Return the finding for a file that is no problem, or whose domain is not there."""
    finding = of_fault(error, set_name)
    return replace(finding, diagnostic=replace(finding.diagnostic, code="pddl"))


def _id(path: Path, root: Path) -> str:
    inside = path.is_relative_to(root)
    return str((path.relative_to(root) if inside else path).with_suffix(""))


def _files(place: Path, faults: list[InputError]) -> Iterator[PddlFile]:
    """Yield the domains and problems of a folder in order; what is no PDDL is put to ``faults``."""
    paths = [place]
    if place.is_dir():
        walked = os.walk(place)
        paths = sorted(Path(at, name) for at, _, names in walked for name in names if name.endswith(".pddl"))
    for path in paths:
        try:
            yield _classified(path)
        except InputError as error:
            faults.append(error)


def _classified(path: Path) -> PddlFile:
    """Return what a file is by its head. Raises :class:`InputError` for no PDDL."""
    where = clip(str(path), 200)
    try:
        with open_regular(path) as file:
            head = _COMMENT.sub("", file.read(HEAD).decode("utf-8", "replace"))
    except OSError as error:
        raise InputError(where, "a readable file", error.strerror or clip(str(error))) from error
    if (defined := _DEFINE.match(head.removeprefix("\ufeff"))) is None:
        raise InputError(
            f"{where}:1", "(define (domain ..) or (define (problem ..)", clip(head.strip()) or "nothing", HINT
        )
    kind: Kind = "domain" if defined[1].casefold() == "domain" else "problem"
    names = _DOMAIN.search(head)
    return PddlFile(path, kind, defined[2].casefold(), names[1].casefold() if names else "")


def _domain_of(problem: PddlFile, domains: Mapping[Path, Sequence[PddlFile]], root: Path) -> Path:
    """Return the domain of a problem among those of each folder: beside it, in ``domains``, or above.

    Of several the one of its name that has its number or the name of the file ``domain``. Raises
    :class:`InputError` where none is left, or several are.
    """
    folder = problem.path.parent
    for here in (folder, *folder.parents):
        near = [one for place in (here, here / "domains") for one in domains.get(place, ())]
        named = [one for one in near if one.name == problem.domain] or (near if len(near) == 1 else [])
        for narrower in (_numbered, _usual):
            named = narrower(problem, named) or named
        if len(named) == 1:
            return named[0].path
        if named:
            got = ", ".join(one.path.name for one in named[:5])
            hint = "name it with --domain FILE"
            raise InputError(f"{problem.path}:1", f"one domain {problem.domain}", got, hint)
        if here == root:
            break
    hint = "put it beside the problem or above, or name it with --domain FILE"
    raise InputError(f"{problem.path}:1", f"the domain {clip(problem.domain)}", "none", hint)


def _numbered(problem: PddlFile, domains: Sequence[PddlFile]) -> list[PddlFile]:
    """Return the domains whose file has the number of the problem's, such as ``p03-domain`` and ``p03``."""
    number = _number(problem.path)
    return [one for one in domains if number is not None and _number(one.path) == number]


def _number(path: Path) -> int | None:
    digits = re.findall(r"\d+", path.stem)
    return int(digits[-1]) if digits else None


def _usual(problem: PddlFile, domains: Sequence[PddlFile]) -> list[PddlFile]:
    return [one for one in domains if one.path.stem.casefold() in ("domain", problem.domain)]


# Findings


def audited_problem(gold: PddlGold, thorough: bool, seconds: float) -> AuditedGold:
    """Audit one file; ``seconds`` are for a planner, which gets few of them unless ``thorough``."""
    unchecked, faults = list[str](), list[_Fault]()
    try:
        for fault in _of_problem(gold, unchecked, seconds if thorough else min(seconds, SECONDS)):
            faults.append(fault)
    except InputError as error:  # brackets that a reader may let pass, which it said then
        faults += [] if faults else [_Fault("pddl", str(error))]
    return AuditedGold(tuple(_finding(gold, one) for one in dict.fromkeys(faults)), tuple(unchecked))


def _finding(gold: PddlGold, fault: _Fault) -> AuditFinding:
    file = clip(str(gold.path), 200)
    place = ":".join(map(str, (file, *filter(None, (fault.line, fault.column)))))
    one = Diagnostic(fault.code, fault.severity, fault.message)
    return AuditFinding(gold.id, gold.set, place, fault.basis, one, file, fault.line)


def _of_problem(gold: PddlGold, unchecked: list[str], seconds: float) -> Iterator[_Fault]:
    """Yield what is wrong with a domain or a problem."""
    alone = gold.path == gold.domain
    text, domain = _text(gold.path), _text(gold.domain)
    of_reader = list(_read("" if alone else text, domain))
    yield from of_reader
    if alone:
        return
    if any(one.code in ("syntax", "pddl") and one.severity == "error" for one in of_reader):
        return
    goal = _goal(text, domain, str(gold.path))
    of_goal = list(_of_goal(goal))
    yield from of_goal
    if any(one.severity == "error" or one.code == "already-true" for one in (*of_reader, *of_goal)):
        return
    planned = get_engine(gold.engine).solve_text(PddlText(domain, text), Budget(seconds))
    if planned.ending is Ending.UNSOLVABLE:
        yield _Fault("impossible", f"no plan reaches it: {planned.proof}", line=goal.line, basis="decided")
    elif planned.ending is not Ending.SOLVED:
        unchecked.append(f"impossible: {gold.engine} {planned.ending.value}")


def _of_goal(goal: _Goal) -> Iterator[_Fault]:
    """Yield what the literals of a goal show by themselves."""
    if not goal.parts:
        yield _Fault("empty", "the goal is empty: every state reaches it", line=goal.line)
        return
    signs: dict[str, set[bool]] = {}
    twice: set[str] = set()
    for part in goal.parts:
        atom, positive = _literal(part)
        before = signs.setdefault(atom, set())
        if positive in before and atom not in twice:
            twice.add(atom)
            message = f"{clip(_shown(part))} is there twice"
            yield _Fault("redundant", message, "warning", part.line, part.column)
        elif before and positive not in before:
            message = f"{clip(atom)} and its negation are both in the goal"
            yield _Fault("contradiction", message, line=part.line, column=part.column)
        before.add(positive)
    if all(_holds(part, goal) for part in goal.parts):
        yield _Fault("already-true", "the goal holds before anything is done", "warning", goal.line)


def _holds(part: Expression | Word, goal: _Goal) -> bool:
    """Return whether a literal holds at the start; false for what is no literal of plain facts."""
    atom, positive = _literal(part)
    inner = part.items[-1] if not positive and isinstance(part, Expression) else part
    if not isinstance(inner, Expression) or not all(isinstance(item, Word) for item in inner.items):
        return False
    if inner.head() in ("", "=", "and", *goal.derived):
        return False
    return (atom in goal.start) is positive


def _literal(part: Expression | Word) -> tuple[str, bool]:
    """Return the text of a part without its negation, and whether it has none."""
    if isinstance(part, Expression) and part.head() == "not" and len(part.items) == 2:
        return _shown(part.items[1]), False
    return _shown(part), True


def _shown(part: Expression | Word) -> str:
    if isinstance(part, Word):
        return part.text.casefold()
    return f"({' '.join(map(_shown, part.items))})"


def _goal(text: str, domain: str, where: str) -> _Goal:
    """Return the goal of a problem. Raises :class:`InputError` for text without brackets that match."""
    problem = next((one for one in read(text, where) if isinstance(one, Expression)), None)
    sections = {one.head(): one for one in (problem.items if problem else ()) if isinstance(one, Expression)}
    goal, start = sections.get(":goal"), sections.get(":init")
    if goal is None or problem is None:
        return _Goal((), problem.line if problem else 1)
    facts = frozenset(_shown(fact) for fact in (start.items[1:] if start else ()))
    return _Goal(tuple(_parts(goal.items[1:])), goal.line, facts, _derived(domain))


def _parts(items: Sequence[Expression | Word]) -> Iterator[Expression | Word]:
    """Yield the conjuncts of a goal, those of an ``and`` within an ``and`` too."""
    waiting = list(reversed(items))
    while waiting:
        one = waiting.pop()
        if isinstance(one, Expression) and (one.head() == "and" or not one.items):
            waiting += reversed(one.items[1:])
        else:
            yield one


@cache
def _derived(domain: str) -> frozenset[str]:
    """Return the predicates of a domain that follow from others."""
    names = re.findall(r"\(\s*:derived\s*\(\s*([^\s()]+)", _COMMENT.sub("", domain))
    return frozenset(name.casefold() for name in names)


def _text(path: Path) -> str:
    return read_text(path, MAX_BYTES)


def _raw(path: Path) -> str:
    """Return the text of a file, whatever its bytes; what keeps it from being read where that is so."""
    try:
        return read_bytes(path, MAX_BYTES).decode("utf-8", "backslashreplace")
    except InputError as error:
        return str(error)


# Readers


def has_kairos() -> bool:
    """Return whether Kairos is installed."""
    return importlib.util.find_spec("kairos") is not None


def _read(problem: str, domain: str) -> Iterator[_Fault]:
    """Yield what the reader that is installed finds in a problem, or in a domain where there is none."""
    yield from _by_kairos(problem, domain) if has_kairos() else _by_unified_planning(problem, domain)


def _by_kairos(problem: str, domain: str) -> Iterator[_Fault]:
    import kairos

    report = kairos.check_problem(problem, domain) if problem else kairos.check_domain(domain)
    file = "problem.pddl" if problem else "domain.pddl"
    severities: Mapping[str, Severity] = {"ERROR": "error", "WARNING": "warning"}
    for one in report.diagnostics:
        severity = severities.get(one.severity.name)
        place = one.location
        if severity is None or (place is not None and place.file != file):
            continue  # a note, or of the domain, which has findings of its own
        if one.code.startswith("dialect.undeclared"):  # it plans all the same, as if that were never true
            severity = "error"
        code = _CODES.get(one.code) or _CODES.get(one.code.partition(".")[0], "pddl")
        line, column = (place.line, place.column) if place is not None else (0, 0)
        yield _Fault(code, f"{one.message} [kairos: {one.code}]", severity, line, column)


def _by_unified_planning(problem: str, domain: str) -> Iterator[_Fault]:
    from pyparsing import ParseBaseException
    from unified_planning.exceptions import UPException
    from unified_planning.io import PDDLReader

    try:
        PDDLReader().parse_problem_string(domain, problem or None)
    except ParseBaseException as error:
        yield _Fault("syntax", f"{error.msg} [unified-planning]", line=error.lineno, column=error.col)
    except SyntaxError as error:  # of types as well
        line = re.search(r"line: (\d+)", error.msg)
        code = "type" if "UPTypeError" in error.msg else "syntax"
        words = f"{clip(error.msg, 300)} [unified-planning]"
        yield _Fault(code, words, line=int(line[1]) if line is not None else 0)
    except (UPException, LookupError, ValueError, TypeError, AssertionError, RecursionError) as error:
        words = clip(str(error) or type(error).__name__, 300)
        yield _Fault("pddl", f"{words} [unified-planning]")
