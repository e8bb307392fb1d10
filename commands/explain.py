"""`groundplan explain`: what a code of `check` or `pack check`, or an outcome, means, and what to do.

The texts are in ``domains/diagnostics.toml``, which tests compare with the codes that are given. The options
and the keys of JSON are fixed, since scripts rely on them; texts and layout may be changed.
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
    if name in codes:
        if as_json:
            click.echo(json_text(asdict(codes[name])))
        else:
            _show(Screen(), codes[name])
    elif name in findings:
        if as_json:
            click.echo(json_text(asdict(findings[name])))
        else:
            _show_finding(Screen(), findings[name])
    elif name in outcomes:
        if as_json:
            click.echo(json_text({"outcome": name, "meaning": outcomes[name]}))
        else:
            Screen().line((name, HEAD), ": ", outcomes[name])
    else:
        hint = did_you_mean(name, [*codes, *findings, *outcomes]) or "`groundplan explain` lists all"
        raise InputError("explain", "a code of a diagnostic, or an outcome", clip(code), hint)


def _show(screen: Screen, one: CodeExplanation) -> None:
    screen.line((f"{one.severity}[{one.code}]", BAD if one.severity == "error" else UNSURE))
    screen.line(one.meaning, prefix=["  "])
    if one.example:
        verb = "find" if one.example.startswith("(find") else "goal"
        screen.line((one.example, NAME), prefix=["  ", (f"{verb}: ", QUIET)])
    screen.line(one.remedy, prefix=["  ", ("do: ", QUIET)])


def _show_finding(screen: Screen, one: FindingExplanation) -> None:
    screen.line((f"pack check [{one.code}]", UNSURE))
    screen.line(one.meaning, prefix=["  "])
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
