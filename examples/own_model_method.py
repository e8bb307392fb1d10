"""A method of one's own with a chat model: it writes a plan from a listing, and has a second try on feedback.

    groundplan plan "Close it." --scene office --method own_model_method:TwoTries --reader openai:MODEL

runs it where this file is; `groundplan bench --methods own_model_method:TwoTries,sayplan ..` compares it.
As a program it has a scripted model, and prints `executable`, its two plans with feedback, and its tokens."""

from dataclasses import dataclass

from groundplan import Request, ground, load_pack, load_scene
from groundplan.language.chat.listing import listing
from groundplan.language.chat.prompt import messages
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.methods import Limits, Tools
from groundplan.methods.conversations import converse, judged


@dataclass(frozen=True)
class TwoTries:
    needs = "model"  # refused before a run with a reader that has none
    name: str = "two-tries"

    def run(self, request, tools, limits):
        return converse(self.name, request, tools, limits, self.talk)

    def talk(self, run):
        data = {"scene": listing(run.request.belief.scene), "task": run.instruction}
        for purpose in ("plan", "replan"):
            reply = run.ask(ChatRequest(messages("Write a plan, a step a line.", data), purpose=purpose))
            data |= {"feedback": list(run.attempt(reply, reply.text.split(), routed=True).feedback)}
        return judged(run)


if __name__ == "__main__":
    plans = "goto(jasons_office) close(cabinet5)", "goto(jasons_office) access(cabinet5) close(cabinet5)"
    request = Request(ground(load_scene("office"), load_pack()), "Close Jason's cabinet.")
    record = TwoTries().run(request, Tools(ScriptedModel.of(*plans)), Limits())
    print(record.outcome, *record.attempts, record.usage, sep="\n")
