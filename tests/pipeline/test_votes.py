"""Votes: what most answers mean wins, however they are worded; what is turned down never does."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import pytest

from groundplan.commands import main
from groundplan.commands.readers import ModelOptions, reader_named
from groundplan.compiler.goals.goal import Goal, parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.engine import Engine
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.budget import Allowance
from groundplan.language.chat.servers.cassette import RecordedModel, RecordingModel
from groundplan.language.chat.servers.model import ChatRequest, Reply, ServiceError
from groundplan.language.chat.servers.profile import MAX_VOTES, profile
from groundplan.language.chat.servers.scripted import ScriptedModel, ScriptedReply
from groundplan.language.reader import Unreadable, Voting, Written
from groundplan.pipeline import settling
from groundplan.pipeline.events import Event, GoalWritten, Voted
from groundplan.pipeline.hybrid import run
from groundplan.pipeline.record import Record
from groundplan.pipeline.votes import Vote, hold
from groundplan.planners.request import Request
from groundplan.simulator.belief import Belief, ground

HEAT, BREAD, FRIDGE = "(hot chicken_kebab)", "(inside_of bread cabinet)", "(open fridge)"
IMPOSSIBLE = "(and (turned_on microwave) (open microwave))"
TASK = "Heat up the kebab."


@cache
def office() -> Belief:
    return ground(open_scene("office"), load_pack())


# The rule


def held(
    *texts: str, refused: Sequence[str] = (), ask: int | None = None, asking: bool = False
) -> tuple[Vote, list[str]]:
    """Hold a vote between texts of goals; the goals that were judged come with it."""
    judged: list[str] = []

    def judge(goal: Goal) -> str:
        judged.append(str(goal))
        return "unsolvable" if str(goal) in refused else "verified"

    def fault(written: Written) -> str:
        return "" if isinstance(written, Goal) else "unreadable"

    answers = {n: parse_goal(t) if t.startswith("(") else Unreadable(t, "") for n, t in enumerate(texts)}
    question = (lambda goals: ask) if asking else None
    return hold(answers, fault, judge, office(), question), judged


def test_what_most_answers_mean_wins() -> None:
    vote, judged = held(BREAD, HEAT, HEAT, FRIDGE, "no")
    assert vote.winner is not None and str(vote.winner.goal) == HEAT
    assert (vote.winner.answers, vote.share, vote.dropped) == ((1, 2), 0.4, {4: "unreadable"})
    assert judged == [HEAT]  # the others need no planning
    assert [c.outcome for c in vote.candidates] == ["verified", "", ""]


def test_meanings_are_counted_and_not_words() -> None:
    one, other = f"(and {BREAD} {FRIDGE})", "(and (not (closed fridge)) (inside_of bread cabinet))"
    vote, judged = held(HEAT, HEAT, one, other, f"(and {FRIDGE} {BREAD})")
    assert vote.winner is not None and vote.winner.answers == (2, 3, 4)
    assert judged == [one]


@pytest.mark.parametrize(
    ("texts", "winner"),
    [
        ((HEAT, BREAD), HEAT),
        ((BREAD, HEAT), BREAD),
        ((FRIDGE, HEAT, BREAD, BREAD, HEAT), HEAT),  # the answer that came first
        ((BREAD, HEAT, HEAT, BREAD), BREAD),
        (("no", HEAT, BREAD), HEAT),
    ],
)
def test_of_equally_many_the_first_answer_counts_more(texts: tuple[str, ...], winner: str) -> None:
    vote, _ = held(*texts)
    assert vote.winner is not None and str(vote.winner.goal) == winner


def test_what_is_turned_down_cannot_win() -> None:
    vote, judged = held(HEAT, HEAT, HEAT, BREAD, refused=[HEAT])
    assert vote.winner is not None and str(vote.winner.goal) == BREAD and judged == [HEAT, BREAD]
    assert vote.share == 0.25
    vote, _ = held(HEAT, BREAD, "no", refused=[HEAT, BREAD])
    assert vote.winner is None and vote.share is None
    assert vote.as_json()["chosen"] is None


def test_a_choice_is_between_what_has_a_plan() -> None:
    vote, judged = held(HEAT, HEAT, BREAD, FRIDGE, refused=[HEAT], ask=1, asking=True)
    assert vote.winner is not None and (str(vote.winner.goal), vote.by) == (FRIDGE, "asked")
    assert judged == [HEAT, BREAD, FRIDGE] and vote.share == 0.25
    vote, _ = held(HEAT, HEAT, BREAD, asking=True)  # no clear answer
    assert vote.winner is not None and (str(vote.winner.goal), vote.by) == (HEAT, "votes")
    vote, _ = held(HEAT, HEAT, ask=1, asking=True)  # nothing to choose: not asked
    assert vote.by == "votes"


# In a run


def move(command: str, node: str = "") -> str:
    return json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})


@dataclass
class Answers:
    """Answers of a model: to the search, to the first request, by seed, to repairs, and to a choice."""

    first: ScriptedReply
    drawn: Sequence[ScriptedReply] = ()
    repairs: Sequence[ScriptedReply] = ()
    choice: str = ""
    asked: int = 0
    repaired: int = 0

    def __call__(self, request: ChatRequest) -> str:
        reply = self.reply(request)
        if isinstance(reply, ServiceError):
            raise reply
        assert isinstance(reply, str)
        return reply

    def reply(self, request: ChatRequest) -> ScriptedReply:
        match request.purpose:
            case "search":
                opened = "expanded before" in request.messages[1].content
                return move("terminate") if opened else move("expand", "kitchen")
            case "goal":
                return self.first
            case "sample":
                assert request.sampling is not None and request.sampling.temperature == 0.7
                return self.drawn[request.sampling.seed - 1]
            case "repair":
                self.repaired += 1
                return self.repairs[self.repaired - 1]
        self.asked += 1
        lines = request.messages[1].content.splitlines()
        return next((line[0] for line in lines if line[1:2] == ":" and self.choice in line), "none")


def told(
    answers: Answers, voting: Voting, world: Belief | None = None
) -> tuple[Record, ScriptedModel, list[Event]]:
    model = ScriptedModel.always(answers)
    reader = ModelReader(model, office().pack, voting=voting, search_protocol="dialogue")
    events: list[Event] = []
    request = Request(office(), TASK, world=world)
    record = run(request, Engine.named("pyperplan"), reader, listener=events.append)
    assert reader.confidence == record.vote.get("share")
    return record, model, events


def purposes(model: ScriptedModel) -> dict[str, int]:
    asked = [r.purpose for r in model.history if r.purpose != "search"]
    return {purpose: asked.count(purpose) for purpose in dict.fromkeys(asked)}


def test_a_run_plans_for_what_most_answers_mean() -> None:
    record, model, events = told(Answers(BREAD, [HEAT, "no", HEAT, FRIDGE]), Voting(4))
    assert record.verified and str(record.goal).startswith("(and (hot chicken_kebab)")
    assert purposes(model) == {"goal": 1, "sample": 4}
    (turn,) = record.goals
    assert (str(turn.goal), turn.by, turn.fault) == (HEAT, "vote", "")
    assert turn.tokens == sum(record.usage[k] for k in ("prompt", "completion")) - sum(  # type: ignore[misc]
        int(str(step["tokens"])) for step in record.trace
    )
    assert record.vote["share"] == 0.4 and record.vote["dropped"] == [{"answer": 2, "fault": "unreadable"}]
    assert [c["goal"] for c in record.vote["candidates"]] == [HEAT, BREAD, FRIDGE]  # type: ignore[attr-defined]
    kinds = [type(e) for e in events]
    assert kinds.count(Voted) == 1
    # Listeners hear of the goal that won and of no other, after the vote.
    assert [str(e.written) for e in events if isinstance(e, GoalWritten)] == [HEAT]
    assert kinds.index(Voted) < kinds.index(GoalWritten)


def test_no_answer_is_drawn_without_votes() -> None:
    record, model, _ = told(Answers(HEAT), Voting())
    assert record.verified and record.vote == {} and purposes(model) == {"goal": 1}


def test_votes_only_where_the_first_goal_is_turned_down() -> None:
    when = Voting(3, "turned-down")
    record, model, _ = told(Answers(HEAT, [BREAD] * 3), when)
    assert record.verified and record.vote == {} and purposes(model) == {"goal": 1}
    for first, fault in (
        ("(hot unicorn7)", "unknown-name"),
        ("no", "unreadable"),
        (IMPOSSIBLE, "unsolvable"),
        ("(turned_on fridge)", "affordance"),
        ("(inside_of apple1 fridge)", "hidden-name"),
    ):
        record, model, _ = told(Answers(first, [BREAD, HEAT, HEAT]), when)
        assert record.verified and record.vote["share"] == 0.5, first
        *reopened, turned_down, won = record.goals
        assert (turned_down.fault, turned_down.by) == (fault, "write")
        assert all(r.reopened and r.fault == fault for r in reopened)
        assert (str(won.goal), won.by, won.fault) == (HEAT, "vote", "")
        assert "repair" not in purposes(model)


def test_without_a_winner_the_goal_is_repaired_as_ever() -> None:
    drawn = [IMPOSSIBLE, "(hot unicorn7)", '(missing "a fork")', "(inside_of apple1 fridge)"]
    for when in ("always", "turned-down"):
        answers = Answers("(turned_on fridge)", drawn, [HEAT])
        record, model, _ = told(answers, Voting(4, when))  # type: ignore[arg-type]
        assert record.verified and purposes(model) == {"goal": 1, "sample": 4, "repair": 1}
        assert [(r.by, r.fault) for r in record.goals] == [("write", "affordance"), ("repair", "")]
        assert record.vote["chosen"] is None
        faults = {d["answer"]: d["fault"] for d in record.vote["dropped"]}  # type: ignore[attr-defined]
        assert faults == {0: "affordance", 2: "unknown-name", 3: "missing", 4: "hidden-name"}
        (candidate,) = record.vote["candidates"]  # type: ignore[misc]
        assert candidate["outcome"] == "unsolvable"


def test_no_goal_is_planned_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    planned: list[str] = []
    plan_goal = settling.plan_goal

    def counting(goal: Goal, *arguments: object, **options: object) -> object:
        planned.append(str(goal))
        return plan_goal(goal, *arguments, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(settling, "plan_goal", counting)
    again = f"(and {HEAT})"
    record, _, _ = told(Answers(IMPOSSIBLE, [HEAT, IMPOSSIBLE, again, HEAT, IMPOSSIBLE]), Voting(5))
    assert record.verified and planned == [IMPOSSIBLE, HEAT]
    planned.clear()
    record, _, _ = told(Answers(IMPOSSIBLE, [IMPOSSIBLE] * 2, [HEAT]), Voting(2))
    assert record.outcome == "goal-drift" and planned == [IMPOSSIBLE]
    planned.clear()
    record, _, _ = told(Answers(IMPOSSIBLE, [HEAT, IMPOSSIBLE]), Voting(2, "turned-down"))
    assert record.verified and planned == [IMPOSSIBLE, HEAT]


def test_a_choice_is_asked_for_in_words() -> None:
    answers = Answers(BREAD, [BREAD, HEAT, IMPOSSIBLE], choice="Heat chicken_kebab")
    record, model, _ = told(answers, Voting(3, "always", "asked"))
    assert record.verified and str(record.goals[-1].goal) == HEAT
    assert (record.vote["by"], record.vote["share"]) == ("asked", 0.25)
    assert purposes(model) == {"goal": 1, "sample": 3, "choose": 1}
    assert "choose" in record.usage["prompts"]  # type: ignore[operator]
    (request,) = [r for r in model.history if r.purpose == "choose"]
    ways = [line for line in request.messages[1].content.splitlines() if line[1:2] == ":"]
    assert len(ways) == 2 and not any("microwave" in way for way in ways)  # that has no plan


def test_an_unclear_choice_leaves_it_to_the_votes() -> None:
    answers = Answers(BREAD, [HEAT, HEAT], choice="something else")
    record, _, _ = told(answers, Voting(2, "always", "asked"))
    assert str(record.goals[-1].goal) == HEAT and record.vote["by"] == "votes" and answers.asked == 1


def test_the_limits_of_a_run_end_the_drawing_and_not_the_run() -> None:
    spent = ServiceError("budget", "the run used its 4 model calls", "see --max-calls")
    record, model, _ = told(Answers(HEAT, [HEAT, spent, BREAD]), Voting(3))
    assert record.verified and record.vote["answers"] == 2
    assert record.vote["stopped"] == "the run used its 4 model calls; see --max-calls"
    assert purposes(model)["sample"] == 2


BROKEN = ServiceError("server-error", "h failed (500)")


def test_a_service_that_fails_cuts_the_vote_and_loses_no_answer() -> None:
    record, model, _ = told(Answers(HEAT, [BROKEN, HEAT]), Voting(2))
    assert record.verified and [str(r.goal) for r in record.goals] == [HEAT]
    assert (record.vote["answers"], record.vote["stopped"]) == (1, "h failed (500)")
    assert record.vote["share"] is None  # one answer alone is no agreement
    assert purposes(model) == {"goal": 1, "sample": 1}
    record, _, _ = told(Answers(BREAD, [HEAT, HEAT, BROKEN]), Voting(3))
    assert (
        record.verified and [str(r.goal) for r in record.goals] == [HEAT] and record.vote["share"] == 0.6667
    )


def test_a_service_that_fails_after_an_answer_that_is_turned_down_ends_the_run_with_that_answer() -> None:
    for when in ("always", "turned-down"):
        answers = Answers(IMPOSSIBLE, [BROKEN], [BROKEN])
        record, _, _ = told(answers, Voting(1, when))  # type: ignore[arg-type]
        assert (record.outcome, record.exit_code) == ("service-failed", 3)
        assert [(str(r.goal), r.fault) for r in record.goals] == [(IMPOSSIBLE, "unsolvable")]
        assert record.vote["stopped"] == "h failed (500)"


def test_a_service_that_fails_when_it_is_asked_to_choose_leaves_it_to_the_votes() -> None:
    @dataclass
    class Mute(Answers):
        def reply(self, request: ChatRequest) -> ScriptedReply:
            return BROKEN if request.purpose == "choose" else super().reply(request)

    record, _, _ = told(Mute(BREAD, [HEAT, HEAT]), Voting(2, "always", "asked"))
    assert record.verified and str(record.goals[-1].goal) == HEAT
    assert (record.vote["by"], record.vote["stopped"]) == ("votes", "h failed (500)")


def test_an_answer_that_a_recording_lacks_is_no_cut_vote() -> None:
    gone = ServiceError("no-recording", "no recorded answer")
    record, _, _ = told(Answers(HEAT, [HEAT, gone]), Voting(2))
    assert record.outcome == "service-failed"


def test_samples_count_against_the_limits_of_the_run() -> None:
    """A model behind an allowance: the calls of votes are its calls."""

    class Bounded:
        name = "bounded"

        def __init__(self, inner: ScriptedModel, allowance: Allowance) -> None:
            self.inner, self.allowance = inner, allowance

        def ask(self, request: ChatRequest) -> Reply:
            self.allowance.call()
            reply = self.inner.ask(request)
            self.allowance.spend(reply.usage)
            return reply

    model = ScriptedModel.always(Answers(HEAT, [HEAT] * 20))
    reader = ModelReader(
        Bounded(model, Allowance(calls=6)), office().pack, voting=Voting(20), search_protocol="dialogue"
    )
    record = run(Request(office(), TASK), Engine.named("pyperplan"), reader)
    assert record.verified and len(model.history) == 6 and record.usage["calls"] == 6
    assert record.vote["answers"] == 4 and "6 model calls" in str(record.vote["stopped"])


def test_drift_is_measured_against_what_won() -> None:
    """Another reading is no repair; what a repair may not drop is what the reader's own answer asked for."""
    record, _, _ = told(Answers(f"(and {HEAT} (turned_on fridge))", [HEAT, HEAT]), Voting(2))
    assert record.verified
    record, _, _ = told(Answers(f"(and {HEAT} {IMPOSSIBLE})", ["no"] * 2, [BREAD]), Voting(2))
    assert record.outcome == "goal-drift" and record.goals[-1].fault == "goal-drift"


def test_only_what_won_is_tried_on_the_true_world() -> None:
    """Candidates are judged on what the robot believes: only the plan that is chosen meets the world."""
    scene = office().scene
    cabinet = replace(scene.nodes["cabinet"], state=("open",))
    world = ground(replace(scene, nodes={**scene.nodes, "cabinet": cabinet}), office().pack)
    answers = Answers(BREAD, [HEAT, HEAT, BREAD, HEAT], choice="Heat")
    record, _, _ = told(answers, Voting(4, "always", "asked"), world)
    assert record.verified and str(record.goals[-1].goal) == HEAT
    assert "cabinet" not in " ".join(map(str, record.executed)), "it is seen open in passing, and no more"
    record, _, _ = told(Answers(BREAD, [BREAD]), Voting(1), world)
    assert record.verified and record.observations and str(record.goals[-1].goal) == BREAD


def test_the_same_answers_give_the_same_record() -> None:
    records = [
        told(Answers(BREAD, [HEAT, FRIDGE, HEAT], choice="Heat"), Voting(3, "always", "asked"))[0].as_json()
        for _ in range(2)
    ]
    for record in records:
        del record["timings"]
    assert json.dumps(records[0]) == json.dumps(records[1])


@pytest.mark.parametrize("choose", ["votes", "asked"])
def test_a_model_that_obeys_what_it_reads_wins_nothing_by_votes(choose: str) -> None:
    """However often a demand is answered and chosen: what could not be planned for is not planned for."""
    demands = ["goto(kitchen)", "(inside_of crown_jewels fridge)", IMPOSSIBLE, '{"plan": ["open(fridge)"]}']
    for demand in demands:
        answers = Answers(HEAT, [demand] * 5, choice="microwave")
        record, _, _ = told(answers, Voting(5, "always", choose))  # type: ignore[arg-type]
        assert record.verified and str(record.goals[-1].goal) == HEAT
        assert record.hashes["belief_before"] == record.hashes["belief_after"]
        assert answers.asked == 0
        answers = Answers(demand, [demand] * 5, [demand] * 6, choice="A")
        record, _, _ = told(answers, Voting(5, "always", choose))  # type: ignore[arg-type]
        assert not record.verified and record.plan == ()


# At the command line


def test_votes_are_told_and_played_back(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    cassette = tmp_path / "cassette.jsonl"
    inner = ScriptedModel.always(Answers(BREAD, ["no", HEAT, HEAT, IMPOSSIBLE]))
    recording = RecordingModel.open(inner, cassette, {})
    reader = ModelReader(recording, office().pack, voting=Voting(4), search_protocol="dialogue")
    assert run(Request(office(), TASK), Engine.named("pyperplan"), reader).verified
    plan = ["plan", TASK, "--scene", "office", "--reader", f"recorded:{cassette}"]
    assert main(plan) == 0  # the cassette says how it was made
    text = capsys.readouterr().out
    assert "Vote  5 answers, by votes" in text
    assert "✓ 2 of 5: Heat chicken_kebab." in text and "1 of 5: unreadable" in text
    assert main([*plan, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["vote"]["share"] == 0.4 and record["vote"]["candidates"][0]["answers"] == [2, 3]
    assert main([*plan, "--votes", "5"]) == 3
    assert "has no answer to sample" in capsys.readouterr().err
    assert main([*plan, "--votes", "0", "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["vote"] == {} and record["goals"][0]["goal"] == BREAD


@pytest.mark.parametrize(
    "voting", [3, {"votes": 3}, {"votes": -1, "vote": "always", "choose": "votes"}, {"votes": None}]
)
def test_a_recording_with_no_such_votes_is_refused(tmp_path: Path, voting: object) -> None:
    cassette = tmp_path / "cassette.jsonl"
    recording = RecordingModel.open(ScriptedModel.always(Answers(HEAT, [HEAT])), cassette, {})
    reader = ModelReader(recording, office().pack, voting=Voting(1), search_protocol="dialogue")
    assert run(Request(office(), TASK), Engine.named("pyperplan"), reader).verified
    lines = [json.loads(line) for line in cassette.read_text().splitlines()]
    assert all(line["made_with"]["voting"]["votes"] == 1 for line in lines)
    lines[0]["made_with"]["voting"] = voting
    cassette.write_text("".join(f"{json.dumps(line)}\n" for line in lines))
    with pytest.raises(InputError, match=r"made_with\.voting"):
        RecordedModel.open(cassette)


def test_votes_where_nothing_more_can_be_searched() -> None:
    record, _, _ = told(Answers('(missing "a crown")', [HEAT, HEAT]), Voting(2, "turned-down"))
    assert record.verified and [r.fault for r in record.goals] == ["missing", ""]
    assert [r.by for r in record.goals] == ["write", "vote"]


def test_votes_of_a_profile_and_of_options(tmp_path) -> None:
    file = tmp_path / "profiles.toml"
    file.write_text('[models.small]\nvotes = 5\nvote = "turned-down"\nchoose = "asked"\n')
    chosen = profile("small", file=file, environment={})
    assert (chosen.votes, chosen.vote, chosen.choose) == (5, "turned-down", "asked")
    assert not {"votes", "vote", "choose"} & set(chosen.settings)  # no answer depends on them
    with ExitStack() as keep:
        options = ModelOptions(base_url="http://127.0.0.1:9/v1", profiles=file, votes=2, seed=7)
        reader = reader_named("openai:small", load_pack(), options, keep)
        assert isinstance(reader, ModelReader)
        assert (reader.voting, reader.seed) == (Voting(2, "turned-down", "asked"), 7)
        plain = reader_named("openai:m", load_pack(), ModelOptions(base_url="http://h/v1"), keep)
        assert isinstance(plain, ModelReader) and plain.voting == Voting()


@pytest.mark.parametrize(
    "given",
    [
        {"votes": -1},
        {"votes": MAX_VOTES + 1},
        {"votes": True},
        {"votes": 1.5},
        {"vote": "never"},
        {"choose": []},
    ],
)
def test_settings_that_are_no_votes_are_refused(given) -> None:
    with pytest.raises(InputError, match=r"--(votes?|choose)"):
        profile("m", environment={}, **given)


def test_the_embedded_reader_takes_no_votes(capsys) -> None:
    assert main(["plan", "x", "--scene", "office", "--votes", "3"]) == 2
    assert "takes no model options (found --votes)" in capsys.readouterr().err
