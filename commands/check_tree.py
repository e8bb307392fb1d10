"""`groundplan check-tree`: what is wrong with a behavior tree for BehaviorTree.CPP, whoever wrote it.

The check is in ``robot.exports.tree_check``; here are the options and what is printed.
"""

from __future__ import annotations

import click

from ..domains.files import MAX_XML, read_xml
from ..domains.pack import load_pack
from ..robot.exports.tree_check import TreeFinding, check_tree
from ..robot.exports.tree_nodes import pack_nodes
from .console.escape import json_text
from .console.terminal import BAD, GOOD, NAME, QUIET, UNSURE, Screen, number_of
from .options import read_text, timeout_option


@click.command(name="check-tree")
@click.argument("tree", metavar="FILE")
@timeout_option()
@click.option("--pack", metavar="NAME_OR_DIR", help="A domain pack: the nodes that its skills become.")
@click.option(
    "--model",
    "models",
    metavar="FILE",
    multiple=True,
    help="A file with a TreeNodesModel of more nodes, such as Nav2's, whose ports may be left out;"
    " may be repeated.",
)
@click.option(
    "--set",
    "given",
    metavar="KEY",
    multiple=True,
    help="An entry of the blackboard or a constant of scripts that the tree's program sets; may be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def command(
    tree: str, pack: str | None, models: tuple[str, ...], given: tuple[str, ...], as_json: bool
) -> None:
    """Check the XML of a behavior tree, FILE or - for standard input, line by line.

    BehaviorTree.CPP 4 loads trees that fail only when a node is ticked: a port that is missing, an entry of
    the blackboard that nothing sets. Here those are errors, as is a model that does not fit its use, a node
    that nobody declares, a value of the wrong type, a script that does not parse, a name that is not allowed.
    Exit code 1 with errors, 0
    with warnings only, 2 for a file that cannot be read.
    """
    where = "standard input" if tree == "-" else tree
    nodes = pack_nodes(load_pack(pack)) if pack is not None else None
    declared = [read_xml(read_text(name, MAX_XML), name) for name in models]
    text = read_text(tree, MAX_XML)
    findings = check_tree(text, where, nodes, declared, given)
    errors = sum(finding.severity == "error" for finding in findings)
    if as_json:
        click.echo(json_text({"errors": errors, "findings": [finding.as_json() for finding in findings]}))
    else:
        _show(Screen(), findings, errors, where)
    raise click.exceptions.Exit(1 if errors else 0)


def _show(screen: Screen, findings: tuple[TreeFinding, ...], errors: int, where: str) -> None:
    for one in findings:
        color = BAD if one.severity == "error" else UNSURE
        screen.line(
            (f"{where}:{one.line}", NAME),
            ": ",
            (f"{one.severity}: ", color),
            one.message,
            (f" [{one.code}]", QUIET),
        )
    counts = [number_of(errors, "error")] if errors else []
    if warnings := len(findings) - errors:
        counts.append(number_of(warnings, "warning"))
    screen.line((", ".join(counts) or "no findings", BAD if errors else GOOD))
