"""A method of one's own with a chat model: it writes a plan from a listing, and has a second try on feedback.

Prints `two-tries success: True`, the two plans of a scripted model with their feedback, and its tokens."""

from dataclasses import dataclass
from pathlib import Path

from groundplan.evaluation.bench import Comparison, CountedModel, run_comparison
from groundplan.evaluation.bench.comparison import chosen_tasks
from groundplan.language.chat.listing import listing
from groundplan.language.chat.prompt import messages
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import Tools
from groundplan.methods.conversations.conversation import converse, judged


@dataclass(frozen=True)
class TwoTries:
    name: str = "two-tries"

    def run(self, request, tools, limits):
        return converse(self.name, request, tools, limits, self.talk)

    def talk(self, run):
        data = {"scene": listing(run.request.belief.scene), "task": run.instruction}
        for purpose in ("plan", "replan"):
            reply = run.ask(ChatRequest(messages("Write a plan.", data), purpose=purpose))
            data |= {"feedback": list(run.attempt(reply, reply.text.split(), routed=True).feedback)}
        return judged(run)


def tools(case, seed, account, keep):
    plans = "goto(jasons_office) close(cabinet5)", "goto(jasons_office) access(cabinet5) close(cabinet5)"
    return Tools(CountedModel(ScriptedModel.of(*plans), account))


tasks = chosen_tasks("office-planning-simple", 1)
(row,) = run_comparison(Comparison((TwoTries(),), tasks), tools, Path("two-tries-results")).rows
print(row.method, f"success: {row.succeeded}", *row.record["attempts"], row.tokens["purposes"])
