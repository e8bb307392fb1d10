"""Write the pages that follow from the source: ``make api``.

``docs/api.md`` has the public names, from their docstrings. Public are the names that the face of a folder
(``__init__.pyi``) lists. ``docs/schemas.md`` has the keys of the JSON schemas, and
``examples/README.md`` a line on each example. Files are parsed and not imported, so the pages are
the same on every machine and with any extras.
"""

from __future__ import annotations

import ast
import json
import re
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "api.md"
SCHEMAS = ROOT / "commands" / "schemas"
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


def schemas_page() -> str:
    """Return the page of the JSON schemas: the keys of each output."""
    outputs = json.loads((ROOT / "commands" / "schemas" / "outputs.json").read_text(encoding="utf-8"))
    lines = [SCHEMAS_HEAD]
    for name in outputs:
        schema = json.loads(_schema_file(name).read_text(encoding="utf-8"))
        lines += [f"## {name}\n", f"{_cell(schema['title'])}.\n"]
        if text := schema.get("description"):
            lines.append(f"{_cell(text)}\n")
        lines += [*_keys(schema), ""]
    return "\n".join(lines)


SCHEMAS_HEAD = """# JSON schemas

The keys of every JSON output; written from the schemas by `make api`. `groundplan schema NAME` prints one
whole, with all that it refers to. [Outputs](outputs.md) says what each is for, [records](records.md) what the
keys of a run mean. A key in *italics* may be missing.
"""


def _schema_file(name: str) -> Path:
    ours = SCHEMAS / f"{name}.schema.json"
    return ours if ours.exists() else ROOT / "robot" / f"{name}.schema.json"


def _keys(schema: Mapping[str, object]) -> Iterator[str]:
    """Yield a table of the keys of an object, or a line on what is no object or has no keys of its own."""
    keys, required = schema.get("properties"), schema.get("required")
    if not isinstance(keys, dict):
        yield f"Is {_type(schema)}."
        return
    texts = {key: _cell(value.get("description", "")) for key, value in keys.items()}
    said = any(texts.values())
    yield from ("| key | type | what it is |", "|---|---|---|") if said else ("| key | type |", "|---|---|")
    for key, value in keys.items():
        shown = f"`{key}`" if isinstance(required, list) and key in required else f"*`{key}`*"
        yield f"| {shown} | {_type(value)} |{f' {texts[key]} |' if said else ''}"


def _type(schema: object) -> str:
    """Return the type of a value in a few words."""
    match schema:
        case {"$ref": str(where)}:
            return _referred(where)
        case {"const": value}:
            return f"`{json.dumps(value)}`"
        case {"enum": list(values)}:
            return " or ".join(f"`{json.dumps(value)}`" for value in values)
        case {"anyOf": list(forms)} | {"oneOf": list(forms)} | {"allOf": list(forms)}:
            return " or ".join(dict.fromkeys(_type(form) for form in forms))
        case {"type": "array", "items": items}:
            return f"array of {_type(items)}"
        case {"type": "object", "additionalProperties": dict(each)} if "properties" not in schema:
            return f"object of {_type(each)}"
        case {"type": "object", "properties": dict(keys)}:
            return f"object: {', '.join(f'`{key}`' for key in keys)}"
        case {"type": list(names)}:
            return " or ".join(names)
        case {"type": str(name)}:
            return name
    return "any"


def _referred(where: str) -> str:
    file, _, part = where.partition("#/")
    name = file.removesuffix(".schema.json")
    inner = part.rpartition("/")[2].replace("_", " ")
    if not name or name == "common":
        return inner
    return f"[{inner or name}](#{name})"


def _cell(text: str) -> str:
    """Return a text for a page in ``docs/``, in which names of others are links."""
    return re.sub(r"docs/(\w+)\.md", r"[\1](\1.md)", text).replace("|", "\\|")


def examples_page() -> str:
    """Return the list of the examples with the first sentence of each."""
    lines = ["# Examples\n", "Short programs to copy from; each runs as a test. Written by `make api`.\n"]
    for path in sorted((ROOT / "examples").rglob("*.py")):
        text = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
        name = path.relative_to(ROOT / "examples").as_posix()
        lines.append(f"- [`{name}`]({name}): {_summary(text)}")
    lines += [
        "- [`compare.ipynb`](compare.ipynb): A notebook that compares methods.",
        "- [`greenhouse/`](greenhouse/): A domain pack of one's own, with its scene, for `own_pack.py`.",
        "- [`flat_with_doors.json`](flat_with_doors.json): A scene by hand, with doors between rooms.",
    ]
    return "\n".join(lines) + "\n"


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


MADE = {"docs/api.md": page, "docs/schemas.md": schemas_page, "examples/README.md": examples_page}
"""What makes each page, by its path."""

if __name__ == "__main__":
    for name, made in MADE.items():
        (ROOT / name).write_text(made(), encoding="utf-8")
        sys.stdout.write(f"written: {name}\n")
