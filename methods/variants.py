"""Variants of methods: versions of prompts, forms of the scene, and methods without one of their parts.

A variant changes one parameter of a method, and where it runs beside the method itself it has a name of its
own (``hybrid-naming without repair``, ``sayplan with scene text listing``), so that it is a row of its own in
every table. The version of a prompt keeps the name: it replaces another and never stands beside it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial

from ..compiler.shown_part import COMPILE_FORMS
from ..domains.errors import InputError, clip, did_you_mean
from ..language.chat.prompt_form import OwnPrompt
from .conversations.declining import CONVERSATION_PROMPTS
from .conversations.dialogue import PARTS
from .groups import SCENE
from .hybrid import ABLATIONS, Hybrid
from .method import Method, needs_of
from .registry import METHODS
from .scene_texts import TELLS, check_names, has_way, telling, way_of, with_fields

ALL_PARTS = (*ABLATIONS, *PARTS)
"""Parts of methods that can be switched off: of the hybrid, and of SayPlan's search."""
FAMILIES: Mapping[str, tuple[str, ...]] = {
    "sayplan": ("sayplan",),
    "sayplan-star": ("sayplan-star",),
    "sayplan-lite": ("sayplan-lite-search", "sayplan-lite-plan"),
    "llm+p": ("llm-p",),
    "delta": ("delta",),
    "subgoals": ("subgoals",),
    "lookplangraph": ("lookplangraph",),
}
"""The prompts of baselines by the method that they are called after, with the beginnings of their files."""


def versions(family: str) -> tuple[int, ...]:
    """Return the versions that there are of a baseline's prompts."""
    return CONVERSATION_PROMPTS[FAMILIES[family][0]].versions


def with_prompts(methods: Sequence[Method], chosen: Mapping[str, int]) -> tuple[Method, ...]:
    """Return methods with other versions of their prompts, for every method that has these.

    Raises :class:`InputError` for a baseline without prompts, a version that there is not, and one that no
    method uses.
    """
    for family, version in chosen.items():
        if family not in FAMILIES:
            hint = did_you_mean(family, FAMILIES) or f"there are {', '.join(FAMILIES)}"
            raise InputError("prompt", "the name of a baseline with prompts", clip(family), hint)
        if version not in versions(family):
            there = ", ".join(map(str, versions(family)))
            raise InputError("prompt", f"a version of {family}: {there}", str(version))
        if all(_prompts(method) != FAMILIES[family] for method in methods):
            raise InputError("prompt", f"a method that uses the prompts of {family}", "none")
    by_files = {FAMILIES[family]: version for family, version in chosen.items()}
    return tuple(
        with_fields(m, variant=by_files[_prompts(m)]) if _prompts(m) in by_files else m for m in methods
    )


def check_used(own: Sequence[OwnPrompt], methods: Sequence[Method]) -> None:
    """Raise :class:`InputError` for a prompt of a user that none of some methods asks with.

    Those of the reader are left to it.
    """
    of_methods = {name for method in METHODS.values() for name in _prompts(method)}
    used = {name for method in methods for name in _prompts(method)}
    for one in own:
        if one.name in of_methods - used:
            names = ", ".join(name for name, m in METHODS.items() if one.name in _prompts(m))
            raise InputError(f"prompt {one.name}", "a method that uses it", "none", f"add one of {names}")


def with_scene_texts(methods: Sequence[Method], texts: Sequence[str]) -> tuple[Method, ...]:
    """Return each method once for each way to tell of the scene that it has; ``own`` is the method as it is.

    A method that has none of a way, or has it as its own, stays as it is. Raises :class:`InputError` for what
    is no way to tell of a scene, and for a way that none of the methods has.
    """
    ways = [way_of(text) for text in texts]
    for text, way in zip(texts, ways, strict=True):
        _check_had("scene text", f"a method that has {text}", methods, partial(has_way, way=way))
    rows = (telling(method, way) for method in methods for way in ways)
    return tuple({row.name: row for row in rows}.values())


def without_way(methods: Sequence[Method], texts: Sequence[str]) -> Mapping[str, tuple[str, ...]]:
    """Return by way to tell of the scene the methods that read, have none of it, and stay as they are."""
    reading = [method for method in methods if needs_of(method) != "nothing"]
    lacking = {text: tuple(m.name for m in reading if not has_way(m, way_of(text))) for text in texts}
    return {text: names for text, names in lacking.items() if names}


def with_compile_forms(methods: Sequence[Method], forms: Sequence[str]) -> tuple[Method, ...]:
    """Return each hybrid once for each form of its problems; a method that compiles none stays as it is.

    Raises :class:`InputError` for the name of no form.
    """
    check_names(forms, COMPILE_FORMS, "compile", "what a problem is compiled from")
    rows: dict[str, Method] = {}
    for method in methods:
        for form in forms:
            row, end = method, SCENE if form == "scene" else ""
            if isinstance(method, Hybrid) and method.without != "search":
                row = with_fields(method, name=method.name.removesuffix(SCENE) + end, compile_form=form)
            rows[row.name] = row
    return tuple(rows.values())


def with_ablations(methods: Sequence[Method], parts: Sequence[str]) -> tuple[Method, ...]:
    """Return methods, and after each the same without each of some parts that it has.

    Raises :class:`InputError` for the name of no part, and for one that none of the methods has.
    """
    check_names(parts, ALL_PARTS, "without", "a part of a method")
    for part in parts:
        _check_had("without", f"a method that has the part {part}", methods, partial(_has, part=part))
    rows: list[Method] = []
    for method in methods:
        rows.append(method)
        if TELLS not in method.name:
            mine = [part for part in parts if part in _parts(method)]
            rows += [with_fields(method, name=f"{method.name} without {p}", without=p) for p in mine]
    return tuple(rows)


def _check_had(where: str, expected: str, methods: Sequence[Method], has: Callable[[Method], bool]) -> None:
    """Raise :class:`InputError`, with the methods that have it, where none of some has what is asked for."""
    if not any(map(has, methods)):
        hint = f"add one of {', '.join(name for name, m in METHODS.items() if has(m))}"
        raise InputError(where, expected, "none", hint)


def _has(method: Method, part: str) -> bool:
    return part in _parts(method)


def _parts(method: Method) -> tuple[str, ...]:
    """Return the parts of a method that can be switched off, each by itself."""
    return () if getattr(method, "without", "") else getattr(method, "parts", ())


def _prompts(method: Method) -> tuple[str, ...]:
    return getattr(method, "prompts", ())
