"""The readers by name, and the options that say which model is asked where.

``embedded`` needs no model. ``openai:MODEL`` asks a server with OpenAI's protocol, ``local:FILE`` serves a
GGUF file in this process, ``recorded:FILE`` answers from a cassette. A reader's module is loaded when it is
asked for.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import ExitStack
from dataclasses import dataclass
from math import isnan
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from ..domains.errors import InputError, clip, did_you_mean
from ..domains.pack import Pack
from ..language.reader import Reader, ReaderListener, ReplyPiece
from .console.escape import without_key

if TYPE_CHECKING:
    from ..language.chat.servers.budget import Allowance
    from ..language.chat.servers.model import ChatModel
    from ..language.chat.servers.openai import OpenAIModel

DEFAULT = "embedded"
KINDS = ("embedded", "openai:MODEL", "local:FILE", "recorded:FILE")

_Command = TypeVar("_Command", bound=Callable[..., Any])


class _Seconds(click.FloatRange):
    """A span of time; ``nan``, which no bound of a range turns down, is none."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        found = super().convert(value, param, ctx)
        if isnan(found):
            self.fail("nan is no number of seconds", param, ctx)
        return found


class _Number(click.ParamType):  # type: ignore[type-arg]
    """A number whose error does not repeat a long text: that may be a key in the wrong place.

    ``word`` may stand for it.
    """

    name = "number"

    def __init__(self, kind: Any, word: str | None = None) -> None:
        self.kind, self.word = kind, word

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        if value == self.word and value is not None:
            return value
        try:
            return self.kind.convert(value, param, ctx)
        except click.BadParameter:
            if len(str(value)) <= MOST_DIGITS:
                raise
            self.fail("expected a number, got another text", param, ctx)


MOST_DIGITS = 12
_WHOLE, _MANY = _Number(click.INT), _Number(click.IntRange(1, 10**9))
_TIME, _LONG = _Number(click.FLOAT), _Number(_Seconds(0, 1e9, min_open=True))
_TEMPERATURE = _Number(click.FLOAT, "default")


@dataclass(frozen=True, slots=True)
class Asking:
    """How a model is asked, as the options say; ``None`` where they are silent."""

    base_url: str | None = None
    record: Path | None = None
    profiles: Path | None = None
    form: str | None = None
    temperature: float | str | None = None
    seed: int | None = None
    api: str | None = None
    answer_timeout: float | None = None
    max_calls: int | None = None
    max_tokens: int | None = None
    max_seconds: float | None = None


def reader_options(command: _Command) -> _Command:
    """The options that make an :class:`Asking`, beside ``--reader`` itself."""
    path = click.Path(path_type=Path, dir_okay=False)
    for option in (
        click.option(
            "--max-seconds", metavar="S", type=_LONG, help="Seconds of the model for the whole run (300)."
        ),
        click.option("--max-tokens", metavar="N", type=_MANY, help="Tokens for the whole run (400000)."),
        click.option("--max-calls", metavar="N", type=_MANY, help="Model calls for the whole run (100)."),
        click.option("--answer-timeout", metavar="S", type=_TIME, help="Seconds that one answer may take."),
        click.option("--api", metavar="API", help="chat or responses."),
        click.option("--seed", metavar="N", type=_WHOLE, help="Seed of the model's sampling."),
        click.option(
            "--temperature",
            metavar="T",
            type=_TEMPERATURE,
            help="Temperature (0), or default to send none.",
        ),
        click.option("--form", metavar="FORM", help="Constraint: lark, gbnf, json-schema, json or text."),
        click.option("--profiles", type=path, metavar="FILE", help="TOML file with tables [models.NAME]."),
        click.option("--record", type=path, metavar="FILE", help="Append the model's answers to a cassette."),
        click.option("--base-url", metavar="URL", help="The model server, such as http://127.0.0.1:8080/v1."),
        click.option("--reader", metavar="NAME", help=f"Who reads: {', '.join(KINDS)} ({DEFAULT})."),
    ):
        command = option(command)
    return command


def asking(options: dict[str, Any]) -> Asking:
    """Take the reader options out of a command's keyword arguments."""
    return Asking(**{name: options.pop(name) for name in Asking.__slots__})


def reader_named(
    name: str,
    pack: Pack,
    how: Asking,
    keep: ExitStack,
    listen: ReaderListener = lambda event: None,
) -> Reader:
    """Return the reader of a name; ``keep`` closes what it opens, ``listen`` hears of its progress.

    Raises :class:`InputError` with the nearest names, or for options that the reader does not take.
    """
    kind, _, rest = name.partition(":")
    if kind == "embedded" and not rest:
        if how != Asking():
            raise InputError("reader embedded", "no options of a model", "some", "they are for openai:MODEL")
        from ..language.embedded.reader import EmbeddedReader

        return EmbeddedReader(pack=pack)
    if kind not in ("openai", "local", "recorded") or not rest:
        hint = did_you_mean(name, KINDS) or f"readers are {', '.join(KINDS)}"
        raise InputError("reader", "the name of a reader", repr(clip(name)), hint)
    from ..language.chat.reader import ModelReader

    return ModelReader(_model(kind, rest, how, keep, listen), pack, listen)


def _model(kind: str, rest: str, how: Asking, keep: ExitStack, listen: ReaderListener) -> ChatModel:
    from ..language.chat.servers.cassette import RecordedModel, RecordingModel
    from ..language.chat.servers.profile import profile

    if kind == "recorded":
        if how != Asking():
            raise InputError("reader recorded", "no options of a model", "some", "they are for openai:MODEL")
        return RecordedModel.open(Path(rest))

    def show(piece: str) -> None:
        listen(ReplyPiece(piece))

    changes: dict[str, Any] = {
        "form": how.form,
        "temperature": how.temperature,
        "seed": how.seed,
        "api": how.api,
        "timeout": how.answer_timeout,
    }
    model: OpenAIModel
    if kind == "local":
        from ..language.chat.servers.local import LocalModel

        if how.base_url is not None:
            raise InputError("--base-url", "none with local:FILE", clip(how.base_url), "use openai:MODEL")
        given = {name: value for name, value in changes.items() if value is not None}
        model = LocalModel.serve(Path(rest), _allowance(how), given, on_piece=show)
    else:
        from ..language.chat.servers.openai import OpenAIModel

        model = OpenAIModel(profile(rest, how.base_url, how.profiles, **changes), _allowance(how), show)
    keep.callback(model.close)
    if how.record is None:
        return model
    key = model.profile.key
    recording = RecordingModel.open(
        model, how.record, model.settings, lambda text: without_key(key.redact(text))
    )
    _check_writable(how.record)
    return recording


def _check_writable(path: Path) -> None:
    """Whether a file can be appended to, before anything is paid for that could not be kept."""
    new = not path.exists()
    try:
        path.open("ab").close()
        if new:
            path.unlink()  # a run without an answer leaves no cassette
    except OSError as error:
        raise InputError(clip(str(path), 200), "a file to record to", error.strerror or "none") from error


def _allowance(how: Asking) -> Allowance:
    """What the run may spend: the given limits, the usual ones where none is given."""
    from ..language.chat.servers.budget import Allowance

    given = {"calls": how.max_calls, "tokens": how.max_tokens, "seconds": how.max_seconds}
    return Allowance(**{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
