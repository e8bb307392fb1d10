"""Options that choose methods and their variants: names, prompts, ablations, scene texts, house searches."""

from __future__ import annotations

from typing import Any

import click

from ..methods.houses.errand import with_house_settings
from ..methods.method import Method
from ..methods.registry import method_named
from ..methods.sight import with_eyes
from ..methods.variants import (
    ALL_PARTS,
    with_ablations,
    with_compile_forms,
    with_prompts,
    with_scene_texts,
)
from .grouped import grouped
from .house_options import house_options, take_house_settings
from .prompts import take_versions

_PARTS = ", ".join(dict.fromkeys(ALL_PARTS))


def listed(value: str, option: str) -> tuple[str, ...]:
    """Split a list with commas; the same name twice counts once."""
    names = tuple(dict.fromkeys(name for one in value.split(",") if (name := one.strip())))
    if not names:
        raise click.BadParameter("give at least one name", param_hint=option)
    return names


method_options = grouped(
    house_options,
    click.option(
        "--methods", required=True, metavar="A,B", help="Methods (`groundplan methods`), or module:Class."
    ),
    click.option(
        "--without",
        metavar="A,B",
        default="",
        help=f"Methods also without a part that they have, a row each: {_PARTS}.",
    ),
    click.option(
        "--eye",
        "eyes",
        metavar="EYE",
        multiple=True,
        help="What tells methods that look of things, a row each: true:missed=..,renamed=..,relation=..,"
        "seed=.. (true: errs in nothing).",
    ),
    click.option(
        "--scene-text",
        metavar="A,B",
        default="own",
        help="How scenes are told of, a row each: a form (own, sayplan, listing), described or "
        "undescribed (with descriptions of nodes or not), or both, such as listing+undescribed.",
    ),
    click.option(
        "--compile",
        "compile_forms",
        metavar="A,B",
        default="",
        help="What hybrids plan with, a row each: subgraph (what the search showed, as hybrid) or scene "
        "(all of it, as hybrid-scene).",
    ),
)
"""Options that :func:`chosen_methods` takes."""


def chosen_methods(options: dict[str, Any]) -> tuple[Method, ...]:
    """Take the options of :func:`method_options` out of a command's keyword arguments: the methods to run.

    Raises :class:`InputError` for a name, a version or a part that does not exist.
    """
    names = listed(options.pop("methods"), "--methods")
    methods = with_prompts([method_named(name) for name in names], take_versions(options))
    forms = options.pop("compile_forms")
    methods = with_compile_forms(methods, listed(forms, "--compile")) if forms else methods
    methods = with_house_settings(methods, *take_house_settings(options))
    methods = with_scene_texts(methods, listed(options.pop("scene_text"), "--scene-text"))
    methods = with_eyes(methods, options.pop("eyes"))
    without = options.pop("without")
    return with_ablations(methods, listed(without, "--without") if without else ())
