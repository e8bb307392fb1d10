"""Gain of repairs by kind of fault, counted over the records of runs: ``python tools/repairs.py FOLDER``.

Each answer of a reader that was turned down has a kind of fault in its record; here is what the next answer
came to: a verified plan, another fault, the same fault again, or the same goal again. A verified plan is not
a right one: whether it is what the instruction meant is known of measured rows only, which have ``rounds``
and ``right``. Columns may be added; records without the kinds, written before there were any, are counted as
``unread`` and nowhere else.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from groundplan.domains.errors import InputError, clip
from groundplan.domains.files import parse_json, read_text

MAX_BYTES = 64 * 1024 * 1024
"""Most bytes of one file of records."""
ENDINGS = (".json", ".jsonl")
COLUMNS = (
    "fault",
    "answers",
    "repairs",
    "verified at once",
    "other fault",
    "same fault",
    "same goal",
    "by vote",
    "last",
    "verified in the end",
    "right in the end",
    "tokens a repair",
)


@dataclass(frozen=True, slots=True)
class JudgedGoal:
    """One answer of a reader as a record has it; ``by`` says how it came about: write, repair or vote."""

    goal: str
    fault: str
    by: str
    tokens: int


@dataclass(frozen=True, slots=True)
class FaultRow:
    """Answers with one kind of fault, and what came of them.

    Of ``repairs`` that were asked for, ``verified`` gave a verified plan at once, ``other`` an answer with
    another fault, ``same`` another goal with the same fault, ``repeated`` the same goal. ``voted`` answers
    were replaced by a vote, ``last`` were the end of their run. ``in_the_end`` of all these answers stood in
    runs that ended verified, ``right`` in runs that were judged to be right, of ``judged`` that anybody
    judged. ``tokens`` are those of the repairs.
    """

    fault: str
    answers: int = 0
    repairs: int = 0
    verified: int = 0
    other: int = 0
    same: int = 0
    repeated: int = 0
    voted: int = 0
    last: int = 0
    in_the_end: int = 0
    right: int = 0
    judged: int = 0
    tokens: int = 0

    def as_json(self) -> dict[str, object]:
        return {name: getattr(self, name) for name in FaultRow.__slots__}


@dataclass(frozen=True, slots=True)
class RepairTable:
    """Rows by kind of fault, the most frequent first.

    ``runs`` are those that a reader took part in, ``unread`` those whose records have no kinds of faults.
    """

    rows: tuple[FaultRow, ...]
    runs: int
    unread: int = 0

    def as_json(self) -> dict[str, object]:
        return {"runs": self.runs, "unread": self.unread, "rows": [row.as_json() for row in self.rows]}

    def markdown(self) -> str:
        """Return the table as Markdown; a share stands beside the number of repairs that it is of."""
        lines = [f"| {' | '.join(COLUMNS)} |", "|---" * len(COLUMNS) + "|"]
        for row in self.rows:
            share = f" ({100 * row.verified / row.repairs:.0f} %)" if row.repairs else ""
            each = f"{row.tokens / row.repairs:.0f}" if row.repairs else "-"
            cells = (row.fault, row.answers, row.repairs, f"{row.verified}{share}", row.other, row.same)
            right = row.right if row.judged else "-"
            more = (row.repeated, row.voted, row.last, row.in_the_end, right, each)
            lines.append(f"| {' | '.join(map(str, (*cells, *more)))} |")
        return "\n".join(lines)


def repair_table(folder: Path) -> RepairTable:
    """Count the repairs in all records below a folder: JSON files, and lines of JSON in ``.jsonl`` files.

    A line may also be a measured row, or have its record under ``record``. Objects without ``outcome`` and
    ``goals`` are no records and are left out. Raises :class:`InputError` for a file that cannot be read.
    """
    return count_repairs(_records(folder))


def count_repairs(records: Iterable[Mapping[str, object]]) -> RepairTable:
    """Count the repairs in the records of runs, as ``Record.as_json`` gives them."""
    counts: dict[str, dict[str, int]] = {}
    runs = unread = 0
    for record in records:
        turns = _turns(record)
        if turns is None:
            unread += 1
        runs += turns is not None and bool(turns)
        for index, turn in enumerate(turns or ()):
            if turn.fault:
                row = counts.setdefault(turn.fault, {})
                after = turns[index + 1] if turns and index + 1 < len(turns) else None
                ends = {"in_the_end": record.get("outcome") == "verified"}
                ends |= {"right": record.get("right") is True, "judged": type(record.get("right")) is bool}
                for name, number in (*_outcome(turn, after), *ends.items()):
                    row[name] = row.get(name, 0) + int(number)
    rows = sorted(
        (FaultRow(fault, **row) for fault, row in counts.items()), key=lambda r: (-r.answers, r.fault)
    )
    return RepairTable(tuple(rows), runs, unread)


def _outcome(turn: JudgedGoal, after: JudgedGoal | None) -> Iterator[tuple[str, int]]:
    """Yield what one answer that was turned down adds to its row."""
    yield "answers", 1
    if after is None:
        yield "last", 1
    elif after.by == "vote":
        yield "voted", 1
    else:
        yield "repairs", 1
        yield "tokens", after.tokens
        if not after.fault:
            yield "verified", 1
        elif after.goal == turn.goal:
            yield "repeated", 1
        else:
            yield ("same" if after.fault == turn.fault else "other"), 1


def _turns(record: Mapping[str, object]) -> Sequence[JudgedGoal] | None:
    """Return the answers that were judged; ``None`` for a record without the kinds of faults."""
    goals = record.get("rounds", record["goals"])
    turns = []
    for entry in goals if isinstance(goals, list | tuple) else ():
        if not isinstance(entry, dict) or "fault" not in entry:
            return None
        if not entry.get("reopened"):
            tokens = entry.get("tokens")
            turns.append(
                JudgedGoal(
                    str(entry.get("goal")),
                    str(entry["fault"] or ""),
                    str(entry.get("by")),
                    tokens if type(tokens) is int else 0,
                )
            )
    return turns


def _records(folder: Path) -> Iterator[Mapping[str, object]]:
    """Yield the records below a folder, by the names of their files."""
    if not folder.is_dir():
        raise InputError(clip(str(folder), 200), "a folder of records", "none")
    for path in sorted(p for p in folder.rglob("*") if p.suffix in ENDINGS and p.is_file()):
        text = read_text(path, MAX_BYTES)
        lines: dict[int | None, str] = {None: text}
        if path.suffix == ".jsonl":
            lines = {number: line for number, line in enumerate(text.split("\n"), 1)}
        for number, line in lines.items():
            if line.strip():
                raw = parse_json(line, clip(str(path), 200), line=number)
                nested = raw.get("record") if isinstance(raw, dict) else None
                record = nested if isinstance(nested, dict) else raw
                if isinstance(record, dict) and "outcome" in record and isinstance(record.get("goals"), list):
                    yield record


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    print(repair_table(parser.parse_args().folder).markdown())
