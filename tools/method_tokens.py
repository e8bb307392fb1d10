"""Calls and tokens of each method on a task, with a model that answers rightly: the least that it can take.

Counted as a comparison counts them, by `cl100k_base`. Run it: ``python tools/method_tokens.py``
(a minute; ``python tools/method_tokens.py office-planning-simple-10`` for another task whose gold is facts).
``python tools/method_tokens.py office-planning hybrid sayplan llm+p`` gives means over tasks of a set that
have such golds, with BCa intervals.
"""

import sys
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))

from perfect_model import PerfectModel

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.task import Task
from groundplan.domains.formula import Atom, conjuncts
from groundplan.domains.pack import load_pack
from groundplan.evaluation.bench import Account, Cell, CellRunner, Comparison, CountedModel
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.judging import JudgedTask
from groundplan.evaluation.report.statistics import bootstrap
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


def spent_on(method: str, task: Task) -> Mapping[str, int] | None:
    """Return the tokens of a method on a task; ``None`` where it cannot do it."""
    pack = load_pack("grasif" if method in IN_GRASIF else "household").name
    comparison = Comparison((METHODS[method],), (task,), readers=("perfect",), pack=pack)
    row = CellRunner(comparison, tools)(Cell(method, "pyperplan", task.id))
    return row.tokens if row.succeeded else None


def of_task(task: Task) -> None:
    print(f"{task.id}: {task.instruction}\n\n| method | calls | tokens asked | answered |\n|---|---|---|---|")
    for name in METHODS:
        acts = getattr(METHODS[name], "acts", False)  # gold, and what finds things by looking
        if acts or name.endswith("-unconstrained"):
            continue
        if (spent := spent_on(name, task)) is not None:
            print(f"| `{name}` | {spent['calls']} | {spent['prompt']:,} | {spent['completion']:,} |")


def of_set(tasks: Sequence[Task], methods: Sequence[str]) -> None:
    """Print the mean of the tokens over the tasks on which each of some methods can be answered for."""
    facts = [t for t in tasks if all(isinstance(p, Atom) for p in conjuncts(parse_goal(t.gold.goal).formula))]
    rows = {task.id: [spent_on(method, task) for method in methods] for task in facts}
    whole = [tokens for tokens in rows.values() if all(tokens)]
    print(f"{len(whole)} of {len(tasks)} tasks\n\n| method | tokens | interval |\n|---|---|---|")
    for column, method in enumerate(methods):
        sums = [[float(one[column]["prompt"] + one[column]["completion"])] for one in whole]
        mean = bootstrap(sums)
        print(f"| `{method}` | {mean.value:,.0f} | {mean.low:,.0f} to {mean.high:,.0f} |")


def main(name: str, methods: Sequence[str]) -> None:
    tasks = chosen_tasks(name)
    of_task(tasks[0]) if len(tasks) == 1 else of_set(tasks, methods)


if __name__ == "__main__":
    main((sys.argv[1:] or ["office-planning-simple-02"])[0], sys.argv[2:] or ["hybrid", "sayplan", "llm+p"])
