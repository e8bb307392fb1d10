"""Calls and tokens of each method on a task, with a model that answers rightly: the least that it can take.

Counted as a comparison counts them, by `cl100k_base`. Run it: ``python tools/method_tokens.py``
(a minute; ``python tools/method_tokens.py office-planning-simple-10`` for another task whose gold is facts).
"""

import sys
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from perfect_model import PerfectModel

from groundplan.datasets.library import find_task
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import Account, Cell, CellRunner, Comparison, CountedModel
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest, Reply, Usage
from groundplan.methods import METHODS, Tools

IN_GRASIF = ("sayplan-star", "sayplan-lite")


@dataclass
class Direct:
    """The model without a server."""

    answers: PerfectModel
    name: str = "perfect"

    def ask(self, request: ChatRequest) -> Reply:
        messages = [{"role": m.role, "content": m.content} for m in request.messages]
        return Reply(self.answers.answer(messages), "text", Usage(0, 0, "counted"))


def tools(case: JudgedTask, seed: int | None, account: Account, keep: ExitStack) -> Tools:
    model = CountedModel(Direct(PerfectModel(case)), account)
    return Tools(model, ModelReader(model, case.belief.pack))


def main(task_id: str) -> None:
    task = find_task(task_id)
    print(f"{task_id}: {task.instruction}\n\n| method | calls | tokens asked | answered |\n|---|---|---|---|")
    for name in METHODS:
        acts = getattr(METHODS[name], "acts", False)  # gold, and what finds things by looking
        if acts or name.endswith("-unconstrained"):
            continue
        pack = load_pack("grasif" if name in IN_GRASIF else "household").name
        comparison = Comparison((METHODS[name],), (task,), readers=("perfect",), pack=pack)
        row = CellRunner(comparison, tools)(Cell(name, "pyperplan", task_id))
        if row.outcome == "unsupported":
            continue
        assert row.succeeded, (name, row.reasons)
        spent = row.tokens
        print(f"| `{name}` | {spent['calls']} | {spent['prompt']:,} | {spent['completion']:,} |")


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["office-planning-simple-02"]))
