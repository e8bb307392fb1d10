"""Write the reference of the public names, ``docs/api.md``, from their docstrings: ``make api``.

Public are the names that the face of a folder (``__init__.pyi``) lists. Files are parsed and not imported, so
the page is the same on every machine and with any extras.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
FOLDERS = (
    *("domains", "simulator", "compiler", "language", "engines", "datasets", "planners", "acting"),
    *("pipeline", "robot", "methods", "evaluation"),
)
HEAD = """# Reference

The public names of each folder, with their signatures and the first paragraphs of their docstrings; written
from the source by `make api`. `help(name)` has the whole docstring: units, errors, examples. The names under
`groundplan` are the few that most programs need; the others are imported from their folder, as in
`from groundplan.robot import translate`.
"""

Definition = ast.FunctionDef | ast.ClassDef | ast.Assign | ast.AnnAssign


@dataclass(frozen=True)
class Source:
    """The definition of a name, and the string below an assignment that documents it."""

    node: Definition
    note: str = ""


def faces() -> Iterator[tuple[str, Path]]:
    """Yield the packages with a face, in the order of the architecture, and the files of these."""
    yield "groundplan", ROOT / "__init__.pyi"
    for folder in FOLDERS:
        for path in sorted((ROOT / folder).rglob("__init__.pyi")):
            yield ".".join(("groundplan", *path.parent.relative_to(ROOT).parts)), path


def exported(face: Path) -> Iterator[tuple[str, Path]]:
    """Yield the names that a face exports, in its order, with the file of the module that has each."""
    tree = ast.parse(face.read_text(encoding="utf-8"))
    origin: dict[str, Path] = {}
    for node in tree.body:
        if isinstance(node, ast.ImportFrom) and node.level == 1:
            module = face.parent.joinpath(*(node.module or "").split("."))
            file = module.with_suffix(".py")
            for alias in node.names:
                origin[alias.asname or alias.name] = file if file.exists() else module / "__init__.pyi"
    for name in _all(tree):
        if name in origin:
            yield name, origin[name]


def _all(tree: ast.Module) -> list[str]:
    for node in tree.body:
        if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            return [str(name) for name in ast.literal_eval(node.value)]
    return []


def source_of(name: str, file: Path) -> Source:
    """Return where a name is defined, following imports. Raises ``LookupError`` for a name without one."""
    if file.suffix == ".pyi":
        return source_of(name, dict(exported(file))[name])
    tree = ast.parse(file.read_text(encoding="utf-8"))
    for node, after in zip(tree.body, [*tree.body[1:], None], strict=True):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and node.name == name:
            return Source(node)
        if isinstance(node, ast.Assign | ast.AnnAssign):
            target = node.target if isinstance(node, ast.AnnAssign) else node.targets[0]
            if isinstance(target, ast.Name) and target.id == name:
                text = after.value.value if _is_text(after) else ""  # type: ignore[union-attr]
                return Source(node, str(text))
        if isinstance(node, ast.ImportFrom) and any((a.asname or a.name) == name for a in node.names):
            base = file.parents[node.level - 1].joinpath(*(node.module or "").split("."))
            original = next(a.name for a in node.names if (a.asname or a.name) == name)
            return source_of(original, base.with_suffix(".py"))
    raise LookupError(f"{file}: no definition of {name}")


def _is_text(node: ast.stmt | None) -> bool:
    return (
        isinstance(node, ast.Expr)
        and isinstance(node.value, ast.Constant)
        and isinstance(node.value.value, str)
    )


def described(name: str, source: Source) -> Iterator[str]:
    """Yield the lines of a name: signature, first paragraph, and the public methods of a class."""
    node = source.node
    if isinstance(node, ast.FunctionDef):
        yield f"- `{name}{_signature(node)}`  "
        yield f"  {_summary(ast.get_docstring(node) or '')}"
    elif isinstance(node, ast.ClassDef):
        yield f"- **`{name}`**{_fields(node)}  "
        yield f"  {_summary(ast.get_docstring(node) or '')}"
        for part in node.body:
            if isinstance(part, ast.FunctionDef) and not part.name.startswith("_"):
                text = _summary(ast.get_docstring(part) or "")
                shown = part.name if _is_property(part) else f"{part.name}{_signature(part)}"
                yield f"  - `.{shown}`" + (f": {text}" if text else "")
    else:
        yield f"- `{name}`  "
        yield f"  {_summary(source.note) or '`' + ast.unparse(node) + '`'}"


def _is_property(node: ast.FunctionDef) -> bool:
    return any("property" in ast.unparse(one) for one in node.decorator_list)


def _signature(node: ast.FunctionDef) -> str:
    arguments = node.args
    first = [*arguments.posonlyargs, *arguments.args][:1]
    kept = ast.unparse(arguments)
    if first and first[0].arg in ("self", "cls"):
        kept = re.sub(r"^(self|cls)(, |$)", "", kept)
    returned = f" -> {ast.unparse(node.returns)}" if node.returns is not None else ""
    return f"({kept}){returned}".replace("\n", " ")


def _fields(node: ast.ClassDef) -> str:
    """Return the fields of a dataclass as its signature."""
    if not any("dataclass" in ast.unparse(one) for one in node.decorator_list):
        return ""
    fields = [
        ast.unparse(part)
        for part in node.body
        if isinstance(part, ast.AnnAssign) and not ast.unparse(part.target).startswith("_")
    ]
    return f" `({', '.join(fields)})`" if fields else ""


def _summary(docstring: str) -> str:
    """Return the first paragraph in one line, as Markdown."""
    text = " ".join(docstring.strip().split("\n\n")[0].split())
    text = re.sub(r":\w+:`~?([^`]+)`", r"`\1`", text)
    return text.replace("``", "`")


def page() -> str:
    """Return the text of the page."""
    lines, above = [HEAD], dict[str, str]()
    for package, face in faces():
        names = sorted(exported(face), key=lambda pair: pair[0].lower())
        if not names:
            continue
        lines.append(f"## {package}\n")
        for name, file in names:
            source = source_of(name, file)
            text = ast.dump(source.node)
            if text in above:
                lines.append(f"- `{name}`: under `{above[text]}` above")
                continue
            above[text] = package
            lines += described(name, source)
        lines.append("")
    return "\n".join(lines)


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    sys.stdout.write(f"written: {PAGE.relative_to(ROOT)}\n")
