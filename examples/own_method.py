"""A method of one's own beside `gold`: the reader has one try, without repair.

It gets a request without the task, so without the gold, and returns a record; every plan is judged alike.
Prints `one-try 1.0` and `gold 1.0`; the rows are in `one-try-results`."""

from dataclasses import dataclass
from pathlib import Path

from groundplan import Request, plan_goal
from groundplan.compiler.goals.goal import Goal
from groundplan.evaluation.bench import Comparison, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.evaluation.gold_reader import GoldReader
from groundplan.methods import Limits, Tools, method_named
from groundplan.pipeline.record import Record
from groundplan.simulator.view import View


@dataclass(frozen=True)
class OneTry:
    name: str = "one-try"

    def run(self, request: Request, tools: Tools, limits: Limits) -> Record:
        search = tools.reader.search(request.instruction, View.first(request.belief.scene))
        goal = tools.reader.write(request.instruction, search.scene)
        if not isinstance(goal, Goal):
            return Record("not-understood", failures=(str(goal),), engine=tools.engine.name)
        planning = plan_goal(goal, request.belief, tools.engine, limits.budget())
        return Record(planning.outcome, goal=goal, planning=planning, engine=tools.engine.name)


def tools(case, seed, account, keep) -> Tools:
    return Tools(reader=GoldReader(case))


comparison = Comparison((OneTry(), method_named("gold")), chosen_tasks("office-planning", limit=2))
results = run_comparison(comparison, tools, Path("one-try-results"))
for name in results.methods:
    good = [row.succeeded for row in results.rows if row.method == name]
    print(name, sum(good) / len(good))
