"""The rules of the house, checked on the source itself: who may import whom, and what the library never does.

The rules are read off the syntax trees, so nothing of the package runs. The import guards at the end run the
command line in a child process and look at what it loaded.
"""

import ast
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import networkx as nx
import pytest

ROOT = Path(__file__).resolve().parent.parent
# One process reads the sources.

# A folder may import only from folders before it.
FOLDERS = (
    "domains",
    "simulator",
    "compiler",
    "language",
    "engines",
    "datasets",
    "planners",
    "acting",
    "pipeline",
    "robot",
    "methods",
    "evaluation",
    "commands",
)
# What the root itself offers to the folders.
ROOT_NAMES = {"__version__"}

# Engines are GPL programs: only these modules import one, and they run in processes of their own.
ENGINE_PACKAGES = (
    "pyperplan",
    "up_pyperplan",
    "fast_downward",
    "up_fast_downward",
    "unified_planning.engines",
)
ENGINE_WORKERS = {
    "engines/programs/pyperplan.py",
    "engines/programs/fast_downward.py",
}

MAX_LINES = 600
MAX_MODULES = 14
# Folders of modules that are all of one kind: a format, a stage of the embedded reader, a verb.
MANY_ALIKE = {"datasets/formats", "language/embedded", "commands"}
VAGUE = {"found", "said", "told", "asked", "known", "wanted"}
QUESTION_WORDS = {"what", "that", "whether", "how", "why", "where", "which", "who", "when"}
HELP_NEVER_LOADS = {"unified_planning", "networkx", "openai", "onnxruntime", "numpy", "scipy", "pyperplan"}
# A goal from the command line needs no reader, and the default engine no unified-planning (2 s to import).
GOAL_NEVER_LOADS = {"unified_planning", "ConfigSpace", "scipy", "openai", "onnxruntime", "pyperplan"}


@dataclass(frozen=True)
class Import:
    """One imported name: `from {'.' * level}module import name`, or `import module` with an empty name."""

    level: int
    module: str
    name: str
    line: int

    @property
    def target(self) -> str:
        return ".".join(part for part in (self.module, self.name) if part)


def sources(*folders: str) -> list[Path]:
    """Return the Python files under the folders, sorted."""
    return sorted(
        path
        for folder in folders
        for path in (ROOT / folder).rglob("*.py")
        if "__pycache__" not in path.parts
    )


LIBRARY = [ROOT / "__init__.py", ROOT / "__main__.py", *sources(*FOLDERS)]
READERS = sources("tests", "tools", "examples")


def label(path: Path) -> str:
    return path.relative_to(ROOT).as_posix()


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of a module's syntax tree, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf-8"), filename=str(path))))


@pytest.fixture(autouse=True, scope="module")
def forgotten() -> Iterator[None]:
    """Keep no tree for the tests that follow: millions of objects that the garbage collector goes through."""
    yield
    nodes.cache_clear()


@cache
def imports(path: Path) -> tuple[Import, ...]:
    """Return every import of a module, also those inside functions and `if TYPE_CHECKING`."""
    found: list[Import] = []
    for node in nodes(path):
        if isinstance(node, ast.Import):
            found += [Import(0, alias.name, "", node.lineno) for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            found += [Import(node.level, node.module or "", alias.name, node.lineno) for alias in node.names]
    return tuple(found)


def imported_path(path: Path, found: Import) -> tuple[str, ...] | None:
    """Return what a relative import names, from the root down, or None if it climbs out of the package."""
    package = path.relative_to(ROOT).parts[:-1]
    if found.level - 1 > len(package):
        return None
    base = package[: len(package) - (found.level - 1)]
    return (*base, *found.target.split("."))


def misdirected(path: Path) -> list[str]:
    """Return the imports of a module that break the order of the folders."""
    own = path.relative_to(ROOT).parts[0] if path.parent != ROOT else None
    allowed = set(FOLDERS) if own is None else set(FOLDERS[: FOLDERS.index(own) + 1])
    wrong = []
    for found in imports(path):
        if found.level == 0:
            if found.module.split(".")[0] in {"groundplan", *FOLDERS}:
                wrong.append(f"line {found.line}: 'import {found.target}' must be relative")
            continue
        target = imported_path(path, found)
        if target is None:
            wrong.append(f"line {found.line}: the import climbs out of the package")
        elif target[0] not in allowed and target[0] not in ROOT_NAMES:
            wrong.append(f"line {found.line}: {own or 'the root'} may not import {'.'.join(target)}")
    return wrong


def rooms_of(path: Path, depth: int) -> tuple[str, ...]:
    """Return the folder or module of a file below a folder ``depth`` levels down."""
    parts = (*path.relative_to(ROOT).parts[:-1], path.stem)
    return tuple(part for part in parts[: depth + 1] if part != "__init__")


def arrows(parent: Path) -> nx.DiGraph:
    """Return which folders and modules of a folder import which others of it."""
    depth = len(parent.relative_to(ROOT).parts)
    graph = nx.DiGraph()
    for path in sorted(parent.rglob("*.py")):
        for found in imports(path):
            target = imported_path(path, found) if found.level else None
            if target is not None and target[:depth] == parent.relative_to(ROOT).parts:
                ends = rooms_of(path, depth), target[: depth + 1]
                if len(ends[0]) > depth and len(ends[1]) > depth and ends[0] != ends[1]:
                    graph.add_edge(*ends)
    return graph


def is_engine(name: str) -> bool:
    return any(name == package or name.startswith(package + ".") for package in ENGINE_PACKAGES)


def called(node: ast.AST) -> str:
    """Return the dotted name that a call names, or an empty string."""
    if isinstance(node, ast.Name):
        return node.id
    if isinstance(node, ast.Attribute):
        base = called(node.value)
        return f"{base}.{node.attr}" if base else ""
    return ""


def forbidden_calls(path: Path, names: set[str]) -> list[str]:
    return [
        f"line {node.lineno}: {called(node.func)}()"
        for node in nodes(path)
        if isinstance(node, ast.Call) and called(node.func) in names
    ]


def broad_excepts(path: Path) -> list[str]:
    """Return the handlers, and uses of `suppress`, that would swallow any error."""
    wrong = []
    for node in nodes(path):
        if isinstance(node, ast.ExceptHandler):
            caught = [node.type] if not isinstance(node.type, ast.Tuple) else node.type.elts
        elif isinstance(node, ast.Call) and called(node.func).split(".")[-1] == "suppress":
            caught = list(node.args)
        else:
            continue
        if any(kind is None or called(kind) in {"Exception", "BaseException"} for kind in caught):
            wrong.append(f"line {node.lineno}: catches everything")
    return wrong


# The entry point, and the place where engines are called, which may be anybody's and raise anything.
CATCH_ALL = (ROOT / "__main__.py", ROOT / "engines" / "engine.py")


def misplaced_excepts(path: Path) -> list[str]:
    """Return the broad excepts of a module but for the one `except Exception` of a place that needs it."""
    wrong = broad_excepts(path)
    if path not in CATCH_ALL:
        return wrong
    allowed = [
        f"line {node.lineno}: catches everything"
        for node in nodes(path)
        if isinstance(node, ast.ExceptHandler)
        and isinstance(node.type, ast.Name)
        and node.type.id == "Exception"
    ]
    if not allowed:
        return [*wrong, "this module must catch Exception"]
    wrong.remove(allowed[0])
    return wrong


def complaints(paths: list[Path], rule: Callable[[Path], list[str]]) -> list[str]:
    """Return what a rule says against each of some modules, with the module's name in front."""
    return [f"{label(path)}: {complaint}" for path in paths for complaint in rule(path)]


def unlike_a_user(path: Path) -> list[str]:
    """Return the imports of a test or an example that no user of the package would write."""
    return [
        f"line {one.line}: {one.target}, write 'from groundplan.FOLDER import ...'"
        for one in imports(path)
        if one.level > 0 or one.module.split(".")[0] in FOLDERS
    ]


def engine_imports(path: Path) -> list[str]:
    """Return the imports of an engine, those by `import_module` included."""
    lines = [
        f"line {one.line}: {one.target}" for one in imports(path) if one.level == 0 and is_engine(one.target)
    ]
    for node in nodes(path):
        if isinstance(node, ast.Call) and called(node.func).endswith("import_module") and node.args:
            name = node.args[0]
            if isinstance(name, ast.Constant) and is_engine(str(name.value)):
                lines.append(f"line {node.lineno}: import_module({name.value!r})")
    return lines


def misplaced_engines(path: Path) -> list[str]:
    """Return the engine imports of a module that is no worker, or that a worker imports none."""
    lines = engine_imports(path)
    if label(path) in ENGINE_WORKERS:
        return [] if lines else ["imports no engine: take it out of ENGINE_WORKERS"]
    return lines


def foreign_to_programs(path: Path) -> list[str]:
    """Return what a program of a worker imports beside the standard library, engines and its neighbours."""
    return [
        f"line {one.line}: {one.target}"
        for one in imports(path)
        if one.level > 1 or (one.level == 0 and one.module.split(".")[0] not in sys.stdlib_module_names)
    ]


def talks_or_evaluates(path: Path) -> list[str]:
    """Return the calls that print, exit or evaluate text where that is not allowed."""
    names = {"eval", "exec", "breakpoint"}
    if path.relative_to(ROOT).parts[0] != "commands" and path.name != "__main__.py":
        names |= {"print", "sys.exit", "exit", "quit", "SystemExit"}
    return forbidden_calls(path, names)


def too_long_or_silent(path: Path) -> list[str]:
    """Return whether a module lacks a docstring or has too many lines."""
    lines = len(path.read_text(encoding="utf-8").splitlines())
    return [
        *([] if ast.get_docstring(nodes(path)[0]) else ["a module starts with a docstring"]),
        *([f"{lines} lines, at most {MAX_LINES}"] if lines > MAX_LINES else []),
    ]


PARENTS = [p.parent.relative_to(ROOT) for p in LIBRARY if p.name == "__init__.py" and p.parent != ROOT]


@pytest.mark.parametrize("parent", PARENTS, ids=str)
def test_no_folders_import_each_other(parent: Path) -> None:
    """Neither the folders and modules of a folder do, nor those of its folders."""
    assert [sorted(c) for c in nx.strongly_connected_components(arrows(ROOT / parent)) if len(c) > 1] == []


def test_a_folder_imports_only_folders_before_it() -> None:
    assert complaints(LIBRARY, misdirected) == []


def test_tests_and_examples_import_as_users_do() -> None:
    assert complaints(READERS, unlike_a_user) == []


def test_only_workers_import_an_engine_and_programs_nothing_else() -> None:
    assert complaints(LIBRARY, misplaced_engines) == []
    assert complaints(sources("engines/programs"), foreign_to_programs) == []
    assert sorted(worker for worker in ENGINE_WORKERS if not (ROOT / worker).is_file()) == []


def test_the_library_neither_prints_nor_exits_nor_evaluates_text() -> None:
    assert complaints(LIBRARY, talks_or_evaluates) == []


def test_only_the_entry_point_catches_everything_and_only_once() -> None:
    assert complaints(LIBRARY, misplaced_excepts) == []


def test_modules_are_short_and_say_what_they_are_for() -> None:
    assert complaints(LIBRARY, too_long_or_silent) == []
    assert sorted(path.name for path in ROOT.glob("*.py")) == ["__init__.py", "__main__.py"]


def module_graph() -> dict[str, set[str]]:
    """Return for each module of the library, by dotted name, the modules that it imports."""
    names = {".".join(path.relative_to(ROOT).with_suffix("").parts): path for path in LIBRARY}
    names = {name.removesuffix(".__init__"): path for name, path in names.items()}
    graph: dict[str, set[str]] = {}
    for name, path in names.items():
        targets = [imported_path(path, one) for one in imports(path) if one.level > 0]
        dotted = [".".join(parts) for parts in targets if parts is not None]
        # `from .module import name` names the module; `from . import module` names it as a whole.
        graph[name] = {d if d in names else d.rpartition(".")[0] for d in dotted} & names.keys() - {name}
    return graph


def circle(graph: dict[str, set[str]]) -> list[str]:
    """Return the modules that are left when those are taken away that import none of what is left."""
    left = dict(graph)
    while free := [name for name, targets in left.items() if not targets & left.keys()]:
        for name in free:
            del left[name]
    return sorted(left)


def public_classes(path: Path) -> list[str]:
    return [
        node.name
        for node in nodes(path)[0].body
        if isinstance(node, ast.ClassDef) and not node.name.startswith("_")
    ]


def vague_names(path: Path) -> list[str]:
    """Return where a variable or an argument has a name that says nothing about what it holds."""
    stored = [
        (node.lineno, node.arg if isinstance(node, ast.arg) else node.id)
        for node in nodes(path)
        if isinstance(node, ast.arg) or (isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store))
    ]
    return [f"line {line}: {name}" for line, name in stored if name in VAGUE]


def clauses_for_titles(path: Path) -> list[str]:
    """Return the docstrings that begin with a question word instead of a noun or an imperative."""
    kinds = (ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)
    titled = [(n, ast.get_docstring(n) or "-") for n in nodes(path) if isinstance(n, kinds)]
    return [
        f"line {getattr(node, 'lineno', 1)}: {text.splitlines()[0]}"
        for node, text in titled
        if text.split()[0].lower().rstrip(",:") in QUESTION_WORDS
    ]


def test_no_circle_of_imports_and_no_folder_with_more_modules_than_are_seen_at_once() -> None:
    assert circle(module_graph()) == []
    modules = Counter(path.parent for path in LIBRARY if path.name != "__init__.py")
    assert {label(f): n for f, n in modules.items() if n > MAX_MODULES and label(f) not in MANY_ALIKE} == {}


def test_names_are_plain_and_given_once() -> None:
    counts = Counter(name for path in LIBRARY for name in public_classes(path))
    assert [name for name, count in counts.items() if count > 1] == []
    assert complaints(LIBRARY, clauses_for_titles) == []
    assert len(complaints(LIBRARY, vague_names)) < 20, complaints(LIBRARY, vague_names)


def pretend(monkeypatch: pytest.MonkeyPatch, source: str) -> None:
    """Let every module have a source."""
    monkeypatch.setattr(f"{__name__}.nodes", lambda path: tuple(ast.walk(ast.parse(source))))
    monkeypatch.setattr(f"{__name__}.imports", imports.__wrapped__)


@pytest.mark.parametrize(
    ("source", "count"),
    [
        ("from ..commands import cli", 1),
        ("from .. import commands", 1),
        ("from ..domains import ending", 0),
        ("from .scene import Scene", 0),
        ("from .. import __version__", 0),
        ("from groundplan.domains import ending", 1),
        ("import datasets", 1),
        ("from ...outside import thing", 1),
        ("def f():\n    from ..planners import engine", 1),
    ],
)
def test_the_import_check_itself(source: str, count: int, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, source)
    assert len(misdirected(ROOT / "simulator" / "invented.py")) == count


@pytest.mark.parametrize(
    "source",
    [
        "try:\n    f()\nexcept:\n    pass",
        "try:\n    f()\nexcept (OSError, Exception):\n    pass",
        "try:\n    f()\nexcept BaseException:\n    raise",
        "with contextlib.suppress(Exception):\n    f()",
    ],
)
def test_the_except_check_itself(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    pretend(monkeypatch, source)
    assert len(broad_excepts(ROOT / "invented.py")) == 1


@pytest.mark.parametrize(
    ("module", "clauses", "count"),
    [
        ("__main__.py", ["except Exception as error:"], 0),
        ("__main__.py", ["except OSError:", "except Exception:"], 0),
        ("__main__.py", ["except OSError:"], 1),
        ("__main__.py", ["except BaseException:"], 2),
        ("__main__.py", ["except (OSError, Exception):"], 2),
        ("__main__.py", ["except:"], 2),
        ("__main__.py", ["except Exception:", "except BaseException:"], 1),
        ("__main__.py", ["except Exception:", "except Exception:"], 1),
        ("__init__.py", ["except Exception:"], 1),
        ("commands/__init__.py", ["except Exception:"], 1),
        ("commands/__main__.py", ["except Exception:"], 1),
        ("engines/engine.py", ["except Exception as error:"], 0),
        ("engines/engine.py", ["except Exception:", "except Exception:"], 1),
        ("engines/engine.py", ["except BaseException:"], 2),
        ("planners/engine.py", ["except Exception:"], 1),
    ],
)
def test_the_check_of_the_one_broad_except_itself(
    module: str, clauses: list[str], count: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = "\n".join(["try:", "    f()", *(line for clause in clauses for line in (clause, "    g()"))])
    pretend(monkeypatch, source)
    assert len(misplaced_excepts(ROOT / module)) == count


def loaded_by(tmp_path: Path, *arguments: str) -> tuple[int, str, set[str]]:
    """Run the command line in a child; return exit code, output, and the top-level modules it loaded."""
    code = (
        "import atexit, pathlib, sys\n"
        "sys.argv = ['groundplan', *sys.argv[1:]]\n"
        f"note = pathlib.Path({str(tmp_path / 'loaded')!r})\n"
        "atexit.register(lambda: note.write_text('\\n'.join(sys.modules)))\n"
        "from groundplan.__main__ import main\n"
        "main()\n"
    )
    child = subprocess.run(
        [sys.executable, "-P", "-c", code, *arguments],
        capture_output=True,
        text=True,
        cwd=tmp_path,
        timeout=60,
        check=False,
    )
    modules = (tmp_path / "loaded").read_text().splitlines()
    return child.returncode, child.stdout + child.stderr, {name.split(".")[0] for name in modules}


def test_help_loads_nothing_heavy(tmp_path: Path) -> None:
    code, output, modules = loaded_by(tmp_path, "--help")
    assert code == 0, output
    assert "groundplan" in output
    assert modules & HELP_NEVER_LOADS == set()


def test_planning_for_a_goal_loads_nothing_that_it_does_not_need(tmp_path: Path) -> None:
    code, output, modules = loaded_by(
        tmp_path, "plan", "--scene", "office", "--goal", "(closed cabinet5)", "--json"
    )
    assert code == 0, output
    assert modules & GOAL_NEVER_LOADS == set()
