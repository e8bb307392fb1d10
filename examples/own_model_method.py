"""A method of one's own with a chat model: it writes a plan from a listing, and has a second try on feedback.

`converse` makes a record of whatever ends a run, and the simulator judges. The model here is a script whose
first plan forgets a step. Prints `two-tries success: True`, its two plans and the tokens of its calls."""

from dataclasses import dataclass
from pathlib import Path

from groundplan.evaluation.bench import Comparison, CountedModel, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.language.chat.listing import listing
from groundplan.language.chat.prompt import messages
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.planners.methods import Tools
from groundplan.planners.methods.conversations.conversation import converse, judged


@dataclass(frozen=True)
class TwoTries:
    name: str = "two-tries"

    def run(self, request, tools, limits):
        return converse(self.name, request, tools, limits, self.talk)

    def talk(self, run):
        data = {"scene": listing(run.request.belief.scene).split("\n"), "task": run.instruction}
        for purpose in ("plan", "replan"):
            reply = run.ask(ChatRequest(messages("Write a plan.", data), None, 300, purpose))
            data |= {"feedback": list(run.attempt(reply, reply.text.split(), routed=True).feedback)}
        return judged(run)


def tools(case, seed, account, keep):
    right = "goto(jasons_office) access(cabinet5) close(cabinet5)"
    return Tools(CountedModel(ScriptedModel.of(right.replace("access(cabinet5) ", ""), right), account))


comparison = Comparison((TwoTries(),), chosen_tasks("office-planning-simple", 1))
(row,) = run_comparison(comparison, tools, Path("results")).rows
print(row.method, f"success: {row.succeeded}", *row.record["attempts"], row.tokens["purposes"])
