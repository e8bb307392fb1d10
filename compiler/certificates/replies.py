"""Rechecking the record of a question: its query is asked of the scene again, the answers are compared."""

from __future__ import annotations

from collections.abc import Mapping

from ...domains.errors import GoalError, InputError, clip
from ...simulator.belief import Belief
from ..goals.goal import GoalSyntaxError
from ..query.answers import find
from ..query.query import parse_query
from .records import NOT_CHECKED, Finding


def recheck_answer(record: Mapping[str, object], belief: Belief, where: str = "record") -> dict[str, Finding]:
    """Recheck the record of a question against a scene; return a finding for each of its fields, in order.

    That the query is what the sentence meant is not rechecked, and neither are words. Raises
    :class:`InputError` for a record without a query, or with one that cannot be asked of the scene.
    """
    text = record.get("query")
    if not isinstance(text, str):
        raise InputError(f"{where}: query", "a question", "none", "the run answered nothing")
    try:
        result = find(parse_query(text, f"{where}: query"), belief)
    except (GoalSyntaxError, GoalError) as error:
        raise InputError(f"{where}: query", "a question about the scene", clip(text), str(error)) from error
    fitting = [a.nodes[0] for a in result.answers]
    listed = record.get("answers")
    names = (
        [one.get("id") if isinstance(one, dict) else None for one in listed]
        if isinstance(listed, list)
        else None
    )
    same = names == fitting
    findings = dict.fromkeys(record, NOT_CHECKED)
    findings["hashes"] = Finding("rechecked", "the scene and the pack are those of the run")
    findings["query"] = Finding("not checked", "whether the sentence asks this")
    findings["answers"] = (
        Finding("rechecked", "what fits the query in this scene")
        if same
        else Finding("refused", f"{len(fitting)} nodes fit the query: {clip(', '.join(fitting), 200)}")
    )
    value = record.get("answer")
    if isinstance(value, int) and not isinstance(value, bool):
        right = value == len(fitting)
        words = "the number of nodes that fit" if right else f"{len(fitting)} nodes fit"
        findings["answer"] = Finding("rechecked" if right else "refused", words)
    elif value is True and not fitting:
        findings["answer"] = Finding("refused", "nothing fits the query")
    refused = any(f.status == "refused" for f in findings.values())
    findings["outcome"] = (
        Finding("refused", "another answer") if refused else Finding("rechecked", "the answer")
    )
    return findings
