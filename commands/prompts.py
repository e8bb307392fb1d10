"""The option `--prompt`: a prompt of one's own in place of one that comes along, or another version of that.

Files are read and checked as the command line is parsed, before anybody is asked. All prompts by name are in
:func:`prompt_forms`; a new one has an entry in ``forms.toml`` of its room.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domains.errors import InputError, clip, did_you_mean

if TYPE_CHECKING:
    from ..language.chat.prompt_form import OwnPrompt, PromptForm


@dataclass(frozen=True, slots=True)
class PromptVersion:
    """A version of the prompts of a method that come along."""

    family: str
    number: int


def prompt_forms() -> Mapping[str, PromptForm]:
    """Return every prompt by name: of readers, of vision, of beliefs, of methods and of a judge."""
    from ..acting.beliefs.asking import USUAL
    from ..evaluation.golds.model_judge import JUDGE
    from ..language.chat.prompt import READER_PROMPTS
    from ..language.vision.eye import DESCRIBE
    from ..methods.conversations.declining import CONVERSATION_PROMPTS
    from ..methods.houses.advice import ADVICE_PROMPTS

    others = {form.name: form for form in (USUAL, DESCRIBE, JUDGE)}
    return {**READER_PROMPTS, **CONVERSATION_PROMPTS, **ADVICE_PROMPTS, **others}


def own_prompts(given: Sequence[OwnPrompt | PromptVersion] | None) -> tuple[OwnPrompt, ...]:
    """Return the prompts of a user among what is given. Raises :class:`click.UsageError` for a version."""
    for one in given or ():
        if isinstance(one, PromptVersion):
            raise click.UsageError(f"--prompt {one.family}={one.number} is a version, which methods have")
    return tuple(one for one in given or () if not isinstance(one, PromptVersion))


def take_versions(options: dict[str, Any]) -> dict[str, int]:
    """Take the versions out of the option's value in a command's keyword arguments."""
    given = options["prompt"] or ()
    options["prompt"] = tuple(one for one in given if not isinstance(one, PromptVersion)) or None
    return {one.family: one.number for one in given if isinstance(one, PromptVersion)}


def _read_all(
    ctx: click.Context, param: click.Parameter, values: tuple[str, ...]
) -> tuple[OwnPrompt | PromptVersion, ...] | None:
    prompts = tuple(map(_read, values))
    names = [one.name for one in prompts if not isinstance(one, PromptVersion)]
    if twice := [name for name in names if names.count(name) > 1]:
        raise click.UsageError(f"--prompt {twice[0]} is given twice")
    return prompts or None


def _read(value: str) -> OwnPrompt | PromptVersion:
    """Read NAME=FILE or NAME=N. Raises :class:`InputError`."""
    name, equals, target = (part.strip() for part in value.partition("="))
    if not equals or not target:
        raise InputError("prompt", "NAME=FILE, or NAME=N such as sayplan=2", clip(value))
    if target.isascii() and target.isdigit() and len(target) <= 3:
        return PromptVersion(name, int(target))
    forms = prompt_forms()
    form = forms.get("llm-p" if name == "llm+p" else name)
    if form is None:
        hint = did_you_mean(name, forms) or f"there are {', '.join(forms)}"
        raise InputError("prompt", "the name of a prompt", clip(name), hint)
    return form.own(Path(target))


prompt_option = click.option(
    "--prompt",
    multiple=True,
    metavar="NAME=FILE",
    callback=_read_all,
    help="A prompt of your own (docs/prompts.md); NAME=N takes version N of a method's.",
)
"""Option whose value is a tuple of prompts and versions, ``None`` where it is not given."""
