"""Readers by name, and the options of the model behind one.

``embedded`` needs no model. ``openai:MODEL`` uses a server with OpenAI's protocol, ``local:FILE`` serves a
GGUF file in this process, ``recorded:FILE`` replies from a cassette, and ``stored:FILE`` by task, which a
comparison alone has. A reader's module is loaded when its name is given. A new option is a field of
:class:`ModelOptions` and a line in :func:`reader_options`; names of readers and options stay, since scripts
rely on them.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domains.errors import InputError, clip, did_you_mean
from ..domains.pack import Pack
from ..language.chat.search.protocols import ASKING, PROTOCOLS
from ..language.chat.search.protocols import DEFAULT as PROTOCOL
from ..language.reader import ModelAsked, Reader, ReaderListener, ReplyPiece
from .console.escape import without_key
from .grouped import grouped
from .options import NumberRange
from .prompts import own_prompts, prompt_option
from .unexpected import ensure_memory

if TYPE_CHECKING:
    from ..language.chat.prompt_form import OwnPrompt, PromptForm
    from ..language.chat.servers.budget import Allowance
    from ..language.chat.servers.model import ChatModel
    from ..language.chat.servers.openai import OpenAIModel
    from ..language.chat.servers.profile import GoalForm

DEFAULT = "embedded"
MODELS = ("openai", "local", "recorded", "stored")
"""Kinds of readers behind which there is a chat model."""
KINDS = ("embedded", "openai:MODEL", "local:FILE", "recorded:FILE")


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
            if len(str(value)) <= MAX_SHOWN:
                raise
            self.fail("expected a number, got another text", param, ctx)


CLIENT_MB = 96
"""Address space without which a model's client is not begun; its modules alone take 38 MB."""
MAX_SHOWN = 12
"""Characters of the longest wrong number that a message repeats."""
_WHOLE, _MANY = _Number(click.INT), _Number(click.IntRange(1, 10**9))
_TIME, _LONG = _Number(click.FLOAT), _Number(NumberRange(0, 1e9, min_open=True))
_TEMPERATURE = _Number(click.FLOAT, "default")


OpenModel = tuple["ChatModel", "GoalForm | None"]
Opener = Callable[["str", "ModelOptions", ExitStack, ReaderListener], OpenModel]


@dataclass(frozen=True, slots=True)
class ModelOptions:
    """Options of the reader and the model behind it; ``None`` where one is not given."""

    base_url: str | None = None
    record: Path | None = None
    profiles: Path | None = None
    form: str | None = None
    temperature: float | str | None = None
    seed: int | None = None
    api: str | None = None
    answer_timeout: float | None = None
    context: int | None = None
    """Tokens of prompt and answer together; of a file that is served here only."""
    max_calls: int | None = None
    max_tokens: int | None = None
    max_answer_tokens: int | None = None
    max_seconds: float | None = None
    search: str | None = None
    goal_form: str | None = None
    place: str | None = None
    """Where the instruction is given; of the embedded reader only."""
    prompt: tuple[OwnPrompt, ...] | None = None


_FILE = click.Path(path_type=Path, dir_okay=False)
_BASE_URL = click.option(
    "--base-url", metavar="URL", help="The model server, such as http://127.0.0.1:8080/v1."
)
_PROFILES = click.option(
    "--profiles", type=_FILE, metavar="FILE", help="TOML file with tables [models.NAME]."
)
_API = click.option("--api", metavar="API", help="chat or responses.")
_ANSWER_TIMEOUT = click.option(
    "--answer-timeout", metavar="S", type=_TIME, help="Seconds that one answer may take (120)."
)
_RECORD = click.option(
    "--record", type=_FILE, metavar="FILE", help="Append the model's answers to a cassette."
)
model_flags = grouped(
    click.option(
        "--from",
        "place",
        metavar="PLACE",
        help='Where the instruction is given, which "me" and "here" mean (where the robot stands).',
    ),
    _BASE_URL,
    click.option(
        "--search",
        metavar="PROTOCOL",
        help=f"How a model searches: {', '.join(PROTOCOLS)} ({PROTOCOL}; with sentences {ASKING}).",
    ),
    click.option(
        "--goal-form",
        metavar="FORM",
        help="How a model writes goals: pddl (the default) or sentences (that of local:FILE).",
    ),
    _RECORD,
    _PROFILES,
    click.option("--form", metavar="FORM", help="Constraint: lark, gbnf, json-schema, json or text."),
    click.option(
        "--temperature", metavar="T", type=_TEMPERATURE, help="Temperature (0), or default to send none."
    ),
    click.option(
        "--seed",
        metavar="N",
        type=_WHOLE,
        help="Seed of the model's sampling; of failing steps in run, of the tasks drawn in bench.",
    ),
    _API,
    click.option(
        "--context",
        metavar="N",
        type=_WHOLE,
        help="Tokens of prompt and answer together, of local:FILE (8192).",
    ),
    _ANSWER_TIMEOUT,
    click.option("--max-calls", metavar="N", type=_MANY, help="Model calls for the whole run (100)."),
    click.option(
        "--max-answer-tokens",
        metavar="N",
        type=_MANY,
        help="Tokens of one answer (4000; 8192 for a model that thinks first).",
    ),
    click.option("--max-tokens", metavar="N", type=_MANY, help="Tokens for the whole run (400000)."),
    click.option(
        "--max-seconds", metavar="S", type=_LONG, help="Seconds of the model for the whole run (300)."
    ),
    prompt_option,
)
"""Options that make :class:`ModelOptions`."""
reader_options = grouped(
    model_flags,
    click.option("--reader", metavar="NAME", help=f"Who reads: {', '.join(KINDS)} ({DEFAULT})."),
)
"""Options that make :class:`ModelOptions`, and ``--reader`` itself."""
server_options = grouped(_BASE_URL, _PROFILES, _API, _ANSWER_TIMEOUT, _RECORD, prompt_option)
"""Options of a model that reads no instruction: where it is, and what is kept of its answers.

A command takes them as ``options``, and what they name by :func:`server_model`.
"""


def server_model(
    reader: str,
    options: Mapping[str, Any],
    form: PromptForm,
    keep: ExitStack,
    kinds: Sequence[str] = KINDS[1:],
) -> tuple[ChatModel, tuple[OwnPrompt, ...]]:
    """Return the model of a name, with the prompts of a user for requests of one form.

    Raises :class:`InputError` for another name, and :class:`click.UsageError` for options that do not fit.
    """
    kind, _, target = reader.partition(":")
    if not target or kind not in [one.partition(":")[0] for one in kinds]:
        raise InputError("--reader", " or ".join(kinds), clip(repr(reader)))
    own = own_prompts(options["prompt"])
    if others := [one.name for one in own if one.name != form.name]:
        raise click.UsageError(f"--prompt {others[0]}: this verb asks with {form.name} alone")
    given = ModelOptions(**{name: value for name, value in options.items() if name != "prompt"})
    if kind != "recorded":
        given = unlimited(given)
    return open_model(reader, given, keep, lambda event: None)[0], own


def unlimited(options: ModelOptions) -> ModelOptions:
    """Return options without limits of a run: whoever asks has others."""
    return replace(options, max_calls=10**9, max_tokens=10**9, max_seconds=1e9)


def model_options(options: dict[str, Any]) -> ModelOptions:
    """Take the options of the model out of a command's keyword arguments."""
    options["prompt"] = own_prompts(options["prompt"]) or None
    return ModelOptions(**{name: options.pop(name) for name in ModelOptions.__slots__})


OPTIONS_OF: Mapping[str, frozenset[str]] = {
    "openai": frozenset(ModelOptions.__slots__) - {"context", "place"},
    "local": frozenset(ModelOptions.__slots__) - {"base_url", "place"},
    "recorded": frozenset({"search", "goal_form", "prompt"}),
    "stored": frozenset({"search", "goal_form", "prompt"}),
    "embedded": frozenset({"place"}),
}
"""The options that each kind of reader takes; any other takes none."""
_WITH_OPTIONS = re.compile(r"(.*?)((?:\s+[a-z][a-z-]*=\S+)*)", re.DOTALL)


@click.command("reader")
@model_flags
def _own_options(**options: object) -> None:
    """Parse the options of one reader among several."""


def bare_name(reader: str) -> str:
    """Return the name of a reader without options of its own behind it."""
    match = _WITH_OPTIONS.fullmatch(reader)
    return match.group(1) if match else reader


def several_readers(values: Sequence[str], common: ModelOptions) -> dict[str, ModelOptions]:
    """Return readers by name with their options: ``NAME OPTION=VALUE ..`` has some of its own.

    ``common`` are those of all readers: a single one gets them all, and each of several those that its kind
    takes. Raises :class:`click.UsageError` for an option that there is not, and for a reader named twice.
    """
    readers: dict[str, ModelOptions] = {}
    for value in values:
        name = bare_name(value.strip())
        rest = value.strip().removeprefix(name)
        options = common
        if len(values) > 1:
            takes = OPTIONS_OF.get(name.partition(":")[0], frozenset())
            options = ModelOptions(**{n: getattr(common, n) for n in takes})
        own = _own(name, rest.split())
        if own.seed is not None:
            raise click.UsageError("--seed is one for all readers; give it beside them")
        given = {n: v for n in ModelOptions.__slots__ if (v := getattr(own, n)) is not None}
        shown = without_key(f"{name} {' '.join(rest.split())}".strip())
        if shown in readers:
            raise click.UsageError(f"the reader {clip(shown)} is there twice")
        readers[shown] = replace(options, **given)
    return readers


def _own(name: str, words: Sequence[str]) -> ModelOptions:
    """Return the options behind the name of a reader. Raises :class:`click.UsageError`."""
    try:
        parsed = _own_options.make_context("reader", [f"--{word}" for word in words])
    except click.UsageError as error:
        raise click.UsageError(f"--reader {clip(name)}: {error.format_message()}") from error
    return model_options(dict(parsed.params))


def check_unread(options: ModelOptions, of_task: bool) -> None:
    """Refuse options of a reader where a goal is given, or taken from a task, and nobody reads.

    Raises :class:`click.UsageError`.
    """
    if given := _flags(options):
        verb = "says" if len(given) == 1 else "say"
        hint = "; with --reader the instruction of the task is read" if of_task else ""
        raise click.UsageError(
            f"{', '.join(given)} {verb} how an instruction is read; a goal is planned for as it stands{hint}"
        )


def reader_named(
    name: str,
    pack: Pack,
    options: ModelOptions,
    keep: ExitStack,
    listen: ReaderListener = lambda event: None,
    around: Callable[[ChatModel], ChatModel] = lambda model: model,
    opened: Opener | None = None,
    asks: bool = False,
) -> Reader:
    """Return the reader of a name; ``keep`` closes what it opens, ``listen`` hears of its progress.

    With ``asks`` a model is asked at once for what a search needs, since nobody says later what it missed.

    ``around`` gets the model before the reader does, to count what it is asked; ``opened`` opens a model in
    place of :func:`open_model`, so that one may serve several readers.

    Raises :class:`InputError` with the nearest names, and :class:`click.UsageError` for options that the
    reader does not take.
    """
    kind, _, target = name.partition(":")
    if kind == "embedded" and not target:
        refuse_options(replace(options, place=None), "embedded")
        from ..language.embedded.reader import EmbeddedReader

        return EmbeddedReader(pack=pack, place=options.place)
    if options.place is not None:
        raise click.UsageError("--from is for the embedded reader; tell a model the place in the instruction")
    if kind not in MODELS or not target:
        hint = did_you_mean(name, KINDS) or f"readers are {', '.join(KINDS)}"
        raise InputError("reader", "the name of a reader", repr(clip(name)), hint)
    from ..language.chat.prompt import READER_PROMPTS
    from ..language.chat.reader import ModelReader
    from ..language.chat.servers.cassette import AnnouncedModel, MadeWith, RecordedModel
    from ..language.chat.servers.profile import checked

    given = checked({"goal": options.goal_form})["goal"]
    rest = replace(options, search=None, goal_form=None, prompt=None)
    model, of_profile = (opened or open_model)(name, rest, keep, listen)
    usual = model.way if isinstance(model, RecordedModel) else MadeWith("", _usual_form(kind, pack))
    goal_form = checked({"goal": given or of_profile or usual.goal})["goal"]
    searches = options.search or usual.search or (ASKING if asks or goal_form == "sentences" else PROTOCOL)
    return ModelReader(
        around(AnnouncedModel(model, lambda request: listen(ModelAsked(request.purpose)))),
        pack,
        listen,
        searches,
        "sentences" if goal_form == "sentences" else "pddl",
        own_prompts=tuple(one for one in options.prompt or () if one.name in READER_PROMPTS),
    )


def _usual_form(kind: str, pack: Pack) -> str:
    """Return the form of goals where none is asked for: a file is a small model, which writes no formulas."""
    has_sentences = pack.language is not None and bool(pack.language.sentences)
    return "sentences" if kind == "local" and has_sentences else "pddl"


def refuse_options(options: ModelOptions, reader: str) -> None:
    """Raise :class:`click.UsageError` for options of a model with a reader that has none to set."""
    if given := _flags(options):
        raise click.UsageError(
            f"--reader {reader} takes no model options (found {', '.join(given)}); use openai:MODEL"
        )


def _flags(options: ModelOptions) -> list[str]:
    """Return the options that are given, as they are written on the command line."""
    given = [n for n in ModelOptions.__slots__ if getattr(options, n) is not None]
    return ["--from" if n == "place" else f"--{n.replace('_', '-')}" for n in given]


def open_model(name: str, options: ModelOptions, keep: ExitStack, listen: ReaderListener) -> OpenModel:
    """Return the model of a reader's name, and the form of goals that its profile says."""
    from ..language.chat.servers.cassette import RecordedModel, RecordingModel
    from ..language.chat.servers.profile import profile

    kind, _, target = name.partition(":")
    if kind == "stored":
        raise click.UsageError("stored:FILE answers by task: it is a reader of groundplan bench")
    if kind == "recorded":
        refuse_options(options, "recorded:FILE")
        recorded = RecordedModel.open(Path(target))
        return recorded, None
    ensure_memory(CLIENT_MB)

    def show(piece: str) -> None:
        listen(ReplyPiece(piece))

    settings: dict[str, Any] = {
        "form": options.form,
        "temperature": options.temperature,
        "seed": options.seed,
        "api": options.api,
        "timeout": options.answer_timeout,
        "max_tokens": options.max_answer_tokens,
    }
    model: OpenAIModel
    if kind == "local":
        from ..language.chat.servers.local import CONTEXT, LocalModel

        if options.base_url is not None:
            raise click.UsageError("--reader local:FILE takes no --base-url; use openai:MODEL")
        given = {name: value for name, value in settings.items() if value is not None}
        context = CONTEXT if options.context is None else options.context
        model = LocalModel.serve(Path(target), _allowance(options), given, on_piece=show, context=context)
    else:
        from ..language.chat.servers.openai import OpenAIModel

        if options.context is not None:
            raise click.UsageError("--context is for local:FILE; a server has its own")
        chosen = profile(target, options.base_url, options.profiles, **settings)
        model = OpenAIModel(chosen, _allowance(options), show)
    keep.callback(model.close)
    if options.record is None:
        return model, model.profile.goal
    key = model.profile.key
    recording = RecordingModel.open(
        model, options.record, model.settings, lambda text: without_key(key.redact(text))
    )
    return recording, model.profile.goal


def _allowance(options: ModelOptions) -> Allowance:
    """Return the limits of the run: those given, and the usual ones."""
    from ..language.chat.servers.budget import Allowance

    given = {"calls": options.max_calls, "tokens": options.max_tokens, "seconds": options.max_seconds}
    return Allowance(**{k: v for k, v in given.items() if v is not None})  # type: ignore[arg-type]
