"""Acting for instructions about things that nobody has seen: bound when seen, and never said wrongly."""

from __future__ import annotations

from dataclasses import replace

import pytest
from supposed_instructions import end_of, instructions

from groundplan import Engine, Request, ground, load_pack, load_scene
from groundplan.acting import Episode, LeastExpectedCost, act_in
from groundplan.datasets.library import find_task
from groundplan.domains.errors import SceneError
from groundplan.evaluation.judging import JudgedTask
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.model import ChatRequest
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.language.embedded import EmbeddedReader
from groundplan.language.english.lexical import Lexical
from groundplan.methods import METHODS, Limits, Tools
from groundplan.methods.looking import Instructed, read_instruction
from groundplan.simulator.belief import Belief
from groundplan.simulator.observations import StepOutcome
from groundplan.simulator.observations.observation import Observations
from groundplan.simulator.scene import Node
from groundplan.simulator.sensing import Environment
from groundplan.simulator.sensing.hiding import unexplored, with_hidden

OFFICE = ground(load_scene("office"), load_pack())
ENGINE = Engine.named("pyperplan")
READER = EmbeddedReader(Lexical())


def acted(instruction: str, truth: Belief = OFFICE, start: Belief | None = None, tidy: bool = True):
    """Read an instruction where only the furniture is known, and act in the true world."""
    belief = start or with_hidden(truth)
    record, goal, supposition = read_instruction(instruction, belief, READER, ENGINE)
    assert goal is not None, record.reasons
    request = Request(belief, goal=goal, tidy=tidy)
    episode = Episode(request, LeastExpectedCost(), ENGINE, supposition=supposition)
    environment = Environment(truth)
    finish = act_in(environment, episode)
    assert finish is not None
    return finish, episode, environment


def moved(**places: str) -> Belief:
    change = {name: {"parent": parent, "relation": "inside_of"} for name, parent in places.items()}
    return ground(load_scene("office").changed(change=change), load_pack())


def test_a_thing_that_is_seen_replaces_a_placeholder() -> None:
    finish, episode, environment = acted("Put the orange left on the kitchen bench in the fridge.")
    assert finish.outcome == "verified" and episode.knowledge.placeholders.things == {
        "unseen_orange": "orange1"
    }
    assert str(episode.goal) == "(and (inside_of orange1 fridge) (closed fridge))"
    assert environment.judge(episode.goal.formula).reached and len(episode.trajectory.looks) == 1
    assert "unseen_orange" not in episode.belief.scene.nodes


@pytest.mark.parametrize(
    ("where", "place"),
    [("desk in Niko's office", "desk1"), ("table in the manipulation lab", "table3")],
)
def test_a_place_in_a_room_is_where_the_thing_goes(where: str, place: str) -> None:
    """That is no orange on a desk of that room: it would be where it is to go."""
    finish, episode, _ = acted(f"Put the orange on the {where}.", tidy=False)
    assert finish.outcome == "verified" and str(episode.goal) == f"(ontop_of orange1 {place})"


def test_a_thing_elsewhere_is_another_thing() -> None:
    """The instruction says where the orange is; one that lies elsewhere is not it."""
    finish, episode, _ = acted(
        "Put the orange left on the kitchen bench in the fridge.", moved(orange1="cabinet4")
    )
    assert finish.outcome == "not-found" and not episode.knowledge.placeholders.things
    assert finish.reasons[0].startswith("nothing that was seen is 'the orange on the kitchen bench'")
    assert finish.reasons[0].endswith("called so, but elsewhere: orange1")
    assert "unsolvable" not in " ".join(finish.reasons)


def test_a_thing_of_another_owner_is_taken_when_all_was_looked_at() -> None:
    finish, episode, _ = acted("Place Will's drone on his desk.", moved(drone1="cabinet3", drone2="cabinet3"))
    assert finish.outcome == "verified" and episode.knowledge.placeholders.things["unseen_drone"] in (
        "drone1",
        "drone2",
    )


def test_what_is_nowhere_is_not_found_and_nothing_is_proved() -> None:
    finish, episode, _ = acted("Put the unicorn in the fridge.")
    assert finish.outcome == "not-found" and episode.knowledge.placeholders.unbound
    assert finish.reasons == ("nothing that was seen is 'the unicorn'", "every place was looked at")


def test_two_things_are_bound_to_two_things() -> None:
    finish, episode, environment = acted("Put the knife and the fork on the lunch table.")
    assert finish.outcome == "verified" and set(episode.knowledge.placeholders.things.values()) == {
        "knife",
        "fork",
    }
    assert environment.judge(episode.goal.formula).reached


def test_what_looks_have_opened_is_closed_again() -> None:
    finish, episode, _ = acted("Bring me a banana.", moved(banana1="cabinet4", banana2="cabinet4"))
    opened = {step.args[0] for step in episode.trajectory.executed if step.name == "open"}
    assert finish.outcome == "verified" and opened
    end = episode.knowledge.run.world
    assert all(end.holds("closed", (name,)) for name in opened)
    assert {str(atom) for atom in episode.tries.tidying.added} == {f"(closed {name})" for name in opened}
    untidy, other, _ = acted("Bring me a banana.", moved(banana1="cabinet4", banana2="cabinet4"), tidy=False)
    assert untidy.outcome == "verified" and not other.tries.tidying.added


def test_a_world_that_is_not_explored_is_read_about_as_far_as_it_is_seen() -> None:
    record, goal, _ = read_instruction("Put the orange in the fridge.", unexplored(OFFICE), READER, ENGINE)
    assert goal is None and record.outcome in ("not-understood", "search-exhausted")


@pytest.mark.parametrize(
    "question", ["Where is the orange?", "How many apples are there?", "Is the fridge open?"]
)
def test_questions_are_not_answered_from_what_was_not_seen(question: str) -> None:
    record, goal, _ = read_instruction(question, with_hidden(OFFICE), READER, ENGINE)
    assert goal is None and record.outcome == "not-understood" and record.answer is None
    assert read_instruction(question, OFFICE, READER, ENGINE)[0].outcome == "answered"


def test_a_goal_may_need_what_nobody_has_seen() -> None:
    """A towel is needed to wipe, and no towel was seen: that is no reason not to begin."""
    start = with_hidden(OFFICE)
    reader = EmbeddedReader(Lexical())
    wipes = Node("cloth9", "object", "kitchen_bench", "ontop_of", ("cloth",), ("pickup",))
    seen = ground(load_scene("office").changed(add=[wipes]), load_pack())
    assert read_instruction("Wipe the shelf in the admin room.", seen, reader, ENGINE)[1] is not None
    assert read_instruction("Wipe the shelf in the admin room.", start, reader, ENGINE)[1] is None  # declined


def test_a_real_thing_is_never_called_like_a_placeholder() -> None:
    start = with_hidden(OFFICE)
    _, goal, supposition = read_instruction("Bring me a banana.", start, READER, ENGINE)
    assert goal is not None
    episode = Episode(Request(start, goal=goal), engine=ENGINE, supposition=supposition)
    clash = Node("unseen_banana", "object", "desk1", "ontop_of", ("banana",), ("pickup",))
    here = start.scene.nodes["mobile_robotics_lab"]
    with pytest.raises(SceneError, match="no placeholder has"):
        episode.report(StepOutcome(True, 0, Observations(here.id, (here, clash), (), ())))


@pytest.mark.parametrize(
    ("task", "outcome", "success"),
    [
        ("grasif-hidden-02", "verified", True),
        ("grasif-hidden-10", "verified", True),
        ("grasif-hidden-25", "not-understood", False),
    ],
)
def test_the_method_is_told_the_instruction_alone(task: str, outcome: str, success: bool) -> None:
    case = JudgedTask.of(find_task(task), load_pack("grasif-looking"))
    request = Request(case.known, case.task.instruction, world=case.belief)
    tools = Tools(reader=EmbeddedReader(Lexical()), engine=ENGINE, similarity=Lexical())
    record = METHODS["hybrid-looking"].run(request, tools, Limits(60))
    assert record.outcome == outcome and record.method == "hybrid-looking"
    assert record.verified is success
    if success:
        assert all(name.startswith("unseen_") and thing for name, thing in record.supposed.items())
        again = Instructed().run(replace(request, belief=with_hidden(case.belief)), tools, Limits(60))
        assert again.goal == record.goal, "what the gold names is not known by name"


@pytest.mark.parametrize(("count", "reached"), [(6, 2), pytest.param(25, 8, marks=pytest.mark.slow)])
def test_drawn_instructions_are_never_verified_without_their_goal(count: int, reached: int) -> None:
    ends = [end_of(text, OFFICE, READER, ENGINE) for text in instructions(OFFICE, count, 11)]
    assert not [end for end in ends if end[0] == "verified" and not end[2]]
    assert not [end for end in ends if end[0] == "unsolvable"]
    assert sum(end[2] for end in ends) >= reached


@pytest.mark.parametrize(
    ("instruction", "words"),
    [
        ("Put the drone on the fridge door.", "'the fridge door' (not seen yet) cannot be given anything"),
        ("Open the unicorn.", "'the unicorn' (not seen yet) cannot be opened"),
    ],
)
def test_a_refusal_calls_what_is_supposed_by_the_words_of_the_instruction(
    instruction: str, words: str
) -> None:
    record, goal, _ = read_instruction(instruction, with_hidden(OFFICE), READER, ENGINE)
    assert goal is None and record.reasons[0] == words
    assert not any("unseen_" in reason for reason in record.reasons)


def test_what_a_model_asks_for_by_name_is_looked_for_like_what_the_instruction_supposes() -> None:
    """No sentence of "My parcel" parses as a request, so the instruction alone supposes nothing."""
    instruction = "My parcel has come, it goes on the kitchen bench."
    start = with_hidden(OFFICE)
    assert not read_instruction(instruction, start, READER, ENGINE)[2].phrases

    def answer(request: ChatRequest) -> str:
        prompt = request.messages[-1].content
        if request.purpose == "search":
            return '{"things": ["parcel"], "rooms": ["lobby"]}'
        shown = "unseen_parcel" in prompt
        return "(ontop_of unseen_parcel kitchen_bench)" if shown else '(missing "my parcel")'

    reader = ModelReader(ScriptedModel.always(answer), load_pack())
    record, goal, supposition = read_instruction(instruction, start, reader, ENGINE)
    assert goal is not None, record.reasons
    assert list(supposition.phrases) == ["unseen_parcel"]
    assert str(record.goals[-1].goal) == "(ontop_of unseen_parcel kitchen_bench)"


def test_what_is_supposed_is_in_every_prompt_for_a_goal() -> None:
    """Also where a model names other things than the instruction speaks of."""
    names = '{"things": ["apple", "banana"], "rooms": ["lobby"]}'
    model = ScriptedModel.of(names, '(missing "nothing: enough")')
    reader = ModelReader(model, load_pack(), search_protocol="naming")
    read_instruction("Bring the healthy snack to the kitchen bench.", with_hidden(OFFICE), reader, ENGINE)
    assert "unseen_healthy_snack" in model.history[-1].messages[-1].content
