"""Which programs read what `groundplan compile` writes: ``python -P tools/pddl_readers.py FOLDER..``.

A folder has domain.pddl and problem.pddl. Each reader that is installed reads them; others are left out. Only
the standard library is needed, so that it runs in an environment without the package.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Callable
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path


def by_pddl(domain: Path, problem: Path) -> None:
    import pddl

    pddl.parse_domain(domain)
    pddl.parse_problem(problem)


def by_tarski(domain: Path, problem: Path) -> None:
    from tarski.io import PDDLReader

    PDDLReader(raise_on_error=True).read_problem(str(domain), str(problem))


def by_unified_planning(domain: Path, problem: Path) -> None:
    from unified_planning.io import PDDLReader

    PDDLReader().parse_problem(str(domain), str(problem))


def by_pyperplan(domain: Path, problem: Path) -> None:
    from pyperplan.pddl.parser import Parser

    parser = Parser(str(domain), str(problem))
    parser.parse_problem(parser.parse_domain())


def by_fast_downward(domain: Path, problem: Path) -> None:
    with tempfile.TemporaryDirectory() as folder:
        files = [str(domain.absolute()), str(problem.absolute())]
        command = [sys.executable, "-m", "fast_downward.translate", *files]
        done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
        if done.returncode:
            raise ValueError((done.stderr or done.stdout).strip().splitlines()[-1])


def by_kairos(domain: Path, problem: Path) -> None:
    import kairos

    report = kairos.check_problem(problem.read_text(), domain.read_text())
    errors = [d.message for d in report.diagnostics if "error" in str(d.severity).casefold()]
    if errors:
        raise ValueError(errors[0])


READERS: dict[str, tuple[str, Callable[[Path, Path], None]]] = {
    "pddl": ("pddl", by_pddl),
    "tarski": ("tarski", by_tarski),
    "unified-planning": ("unified-planning", by_unified_planning),
    "pyperplan": ("pyperplan", by_pyperplan),
    "Fast Downward": ("fast-downward.translate", by_fast_downward),
    "kairos": ("kairos-planner", by_kairos),
}

if __name__ == "__main__":
    for name, (distribution, read) in READERS.items():
        try:
            named = f"{name} {version(distribution)}"
        except PackageNotFoundError:
            continue
        for folder in map(Path, sys.argv[1:]):
            try:
                read(folder / "domain.pddl", folder / "problem.pddl")
                print(f"{named}: {folder}: read")
            except Exception as error:  # each reader has its own
                print(f"{named}: {folder}: {type(error).__name__}: {str(error)[:160]}")
