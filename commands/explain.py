"""`groundplan explain`: what a code of `check` or `pack check`, or an outcome, means, and what to do.

The texts are in ``domains/diagnostics.toml``, which tests compare with the codes that are given.
"""

from __future__ import annotations

from dataclasses import asdict

import click

from ..domains.diagnostic import (
    CodeExplanation,
    FindingExplanation,
    explained_codes,
    explained_findings,
    explained_outcomes,
)
from ..domains.errors import InputError, clip, did_you_mean
from .console.escape import json_text
from .console.terminal import BAD, HEAD, NAME, QUIET, UNSURE, Screen


@click.command(name="explain")
@click.argument("code", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(code: str | None, as_json: bool) -> None:
    """Say what a CODE of `check` or `pack check`, or an outcome of `plan`, means; without one, list all."""
    codes, findings, outcomes = explained_codes(), explained_findings(), explained_outcomes()
    if code is None:
        _list_all(as_json)
        return
    name = code.strip().strip("[]").lower()
    explained = codes.get(name) or findings.get(name)
    if explained is None and name not in outcomes:
        hint = did_you_mean(name, [*codes, *findings, *outcomes]) or "`groundplan explain` lists all"
        raise InputError("explain", "a code of a diagnostic, or an outcome", clip(code), hint)
    if as_json:
        outcome = {"outcome": name, "meaning": outcomes.get(name)}
        click.echo(json_text(outcome if explained is None else asdict(explained)))
    elif explained is None:
        Screen().line((name, HEAD), ": ", outcomes[name])
    else:
        _show(Screen(), explained)


def _show(screen: Screen, one: CodeExplanation | FindingExplanation) -> None:
    if isinstance(one, CodeExplanation):
        screen.line((f"{one.severity}[{one.code}]", BAD if one.severity == "error" else UNSURE))
    else:
        screen.line((f"pack check [{one.code}]", UNSURE))
    screen.line(one.meaning, prefix=["  "])
    if isinstance(one, CodeExplanation) and one.example:
        verb = "find" if one.example.startswith("(find") else "goal"
        screen.line((one.example, NAME), prefix=["  ", (f"{verb}: ", QUIET)])
    screen.line(one.remedy, prefix=["  ", ("do: ", QUIET)])


def _list_all(as_json: bool) -> None:
    codes, findings, outcomes = explained_codes(), explained_findings(), explained_outcomes()
    if as_json:
        listed = {"codes": [asdict(c) for c in codes.values()], "outcomes": dict(outcomes)}
        click.echo(json_text(listed | {"findings": [asdict(f) for f in findings.values()]}))
        return
    screen = Screen()
    screen.heading("Diagnostics")
    screen.rows(((c.code, NAME), (c.severity, QUIET), c.meaning) for c in codes.values())
    screen.heading("Findings about packs")
    screen.rows(((f.code, NAME), f.meaning) for f in findings.values())
    screen.heading("Outcomes")
    screen.rows(((name, NAME), meaning) for name, meaning in outcomes.items())
