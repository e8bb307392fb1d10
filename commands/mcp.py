"""`groundplan mcp`: goals checked, compared and planned for by agents, over the Model Context Protocol.

Each tool runs the verb of its name in a process of its own and returns its JSON, so the server has no state
and outlives whatever a goal does. Goals go in by standard input: none is read as an option or a file. A
client may name any file as a scene, so nothing is told of one that is none.
"""

from __future__ import annotations

import importlib.util
import json
import os
import subprocess
import sys
from typing import Any

import click

from .. import __version__
from ..domains.errors import InputError, clip

SECONDS = 60
"""Time of one call; the verb ends itself before."""
SLACK = 30
"""Seconds that a verb may take to start and to end."""


@click.command(name="mcp")
def command() -> None:
    """Serve the tools check, diff and plan over the Model Context Protocol, on standard input and output.

    An agent starts it, such as by {"command": "groundplan", "args": ["mcp"]}. It needs the extra `mcp`.
    Scenes are names that come along or files that this user may read.
    """
    if importlib.util.find_spec("mcp") is None:
        raise InputError("mcp", "the package mcp", "none", "pip install 'groundplan[mcp]'")
    from mcp.server.mcpserver import MCPServer
    from mcp.server.mcpserver.tools import Tool

    class OwnTool(Tool):
        """A tool that refuses arguments that it has not; the library leaves them out."""

        async def run(self, arguments: dict[str, Any], *context: Any, **options: Any) -> Any:
            names = self.parameters["properties"]
            if others := [name for name in arguments if name not in names]:
                raise _refused(f"{self.name} takes {', '.join(names)}, and no {clip(others[0])}")
            return await super().run(arguments, *context, **options)

    tools = [OwnTool.from_function(verb) for verb in (check, diff, plan)]
    for tool in tools:
        tool.parameters["additionalProperties"] = False
    server: Any = MCPServer(
        "groundplan",
        version=__version__,
        instructions="Goals are PDDL over the nodes of a scene, such as (inside_of apple1 fridge) in office.",
        log_level="WARNING",
        tools=tools,
    )
    server.run("stdio")


def check(goal: str, scene: str) -> dict[str, Any]:
    """Check a goal against a scene before anything is planned: what is wrong with it, with place and fix.

    The answer has the goal in words (says) and diagnostics, each with code, severity and message; none means
    that the goal is well-formed, and that no short proof shows it to be impossible.
    """
    return _answer("check", scene, ["--goal=@-"], goal)


def diff(a: str, b: str, scene: str, reachable: bool = False) -> dict[str, Any]:
    """Say how two goals relate: equal, stronger, weaker, overlapping, disjoint or unknown.

    Each difference has a witness, a state in which one goal holds and the other does not. With reachable it
    is planned for as well, which takes longer.
    """
    words = ["@-", *(["--reachable"] if reachable else [])]
    answer = _answer("diff", scene, words, json.dumps({"a": a, "b": b}))
    if "pairs" not in answer:  # the time limit cut it off
        return answer
    first: dict[str, Any] = (answer["pairs"] or answer["faults"])[0]
    return first


def plan(scene: str, goal: str = "", instruction: str = "") -> dict[str, Any]:
    """Plan for a goal, or for an instruction in plain English, and verify the plan step by step.

    Give one of the two. The answer has the outcome (verified, unsolvable, not-found, ..), the plan as printed
    steps, and the reasons where there is none.
    """
    if bool(goal) == bool(instruction):
        raise _refused("give a goal or an instruction, one of the two")
    if goal:
        return _answer("plan", scene, ["--goal=@-"], goal)
    return _answer("plan", scene, ["--", instruction], "")


def _answer(verb: str, scene: str, words: list[str], text: str) -> dict[str, Any]:
    """Return what a verb prints as JSON. Raises an error of the protocol where it prints none."""
    if any("\0" in word or len(word) > 10_000 for word in (scene, *words)):
        raise _refused("a name or an instruction holds a null character, or has more than 10,000 characters")
    ran = _ran([verb], [f"--scene={scene}", *words], text)
    try:
        made: dict[str, Any] = json.loads(ran.stdout)
    except ValueError:
        if os.path.exists(scene) and _ran(["scene", "validate"], [f"--scene={scene}"], "").returncode:
            why = (
                "scene: expected a scene, got a file that is none; `groundplan scene validate FILE` says why"
            )
        else:
            why = clip(ran.stderr.decode("utf-8", "replace").strip(), 2000)
        raise _refused(why) from None
    return made


def _ran(verb: list[str], words: list[str], text: str) -> subprocess.CompletedProcess[bytes]:
    """Run a verb to its end. Raises an error of the protocol where it has none in time."""
    line = [sys.executable, "-P", "-m", "groundplan", *verb, "--json", f"--timeout={SECONDS}", *words]
    try:
        return subprocess.run(
            line,
            input=text.encode("utf-8", "backslashreplace"),
            capture_output=True,
            timeout=SECONDS + SLACK,
            check=False,
        )
    except subprocess.TimeoutExpired:
        raise _refused(f"{' '.join(verb)} did not end within {SECONDS + SLACK} seconds") from None


def _refused(why: str) -> Exception:
    """Return an error that the agent is told, as the protocol has it."""
    from mcp.server.mcpserver.exceptions import ToolError

    return ToolError(why)
