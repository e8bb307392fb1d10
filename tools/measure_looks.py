"""Print how each acting run of benchmarks ended, in rows for ``tests/evaluation/measured/hidden_looks.tsv``.

    groundplan bench .. --out DIR
    python -P tools/measure_looks.py DIR .. > FILE

Folders are those of ``groundplan bench`` with methods that act.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

from groundplan.evaluation.bench import load_results

COLUMNS = ("method", "task", "succeeded", "false_done", "looks", "metres", "steps", "outcome")


def main(folders: Sequence[str]) -> None:
    rows = [row for folder in folders for row in load_results(Path(folder)).rows]
    print(*COLUMNS, sep="\t")
    for row in sorted(rows, key=lambda row: (row.method, row.task)):
        acting = row.measures["acting"]
        counted = (int(row.succeeded), int(acting["false_done"]), acting["looks"])
        print(
            row.method, row.task, *counted, f"{acting['metres']:.3f}", acting["steps"], row.outcome, sep="\t"
        )


if __name__ == "__main__":
    main(sys.argv[1:])
