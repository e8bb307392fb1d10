"""Anybody's planner by its command line, Kairos, searches of Fast Downward, what engines tell."""

from __future__ import annotations

import itertools
import shlex
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from groundplan.commands.console.outcomes import advice
from groundplan.compiler.engine_plan import action_lines
from groundplan.compiler.goals.goal import parse_goal
from groundplan.compiler.pddl import compile_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.deadline import LimitReached, check_time, limited
from groundplan.domains.ending import Ending
from groundplan.domains.errors import InputError
from groundplan.domains.pack import load_pack
from groundplan.engines.base import Budget, PddlText, TextResult
from groundplan.engines.command import Command, command_words
from groundplan.engines.engine import Engine
from groundplan.engines.fast_downward import FastDownward, search_aliases
from groundplan.engines.registry import ENGINES, EngineOptions, get_engine
from groundplan.engines.statistics import read_statistics
from groundplan.pipeline.hybrid import Request, run
from groundplan.pipeline.record import Record
from groundplan.planners import optimality
from groundplan.planners.classical import plan_goal
from groundplan.simulator.belief import Belief, ground
from groundplan.simulator.step import MAX_STEPS

PLANNER = Path(__file__).parent / "engine_commands" / "planner.py"
SWITCH = """(define (domain switch) (:requirements :strips)
  (:predicates (left) (right) (charged) (far))
  (:action go_left :parameters () :precondition (and (charged)) :effect (and (left) (not (charged))))
  (:action go_right :parameters () :precondition (and (charged)) :effect (and (right) (not (charged)))))"""
BUDGET = Budget(seconds=30)
needs_kairos = pytest.mark.skipif(not ENGINES["kairos"].installed, reason="kairos-planner is not installed")


@pytest.fixture(scope="module")
def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def switch(goal: str) -> PddlText:
    return PddlText(SWITCH, f"(define (problem p) (:domain switch) (:init (charged)) (:goal {goal}))")


def command(what: str, source: str = "-") -> str:
    program = shlex.join([sys.executable, str(PLANNER)])
    return f"{program} {what} {source} {{domain}} {{problem}} {{plan}}"


def solve(what: str, source: str = "-", seconds: float = 30.0) -> TextResult:
    return Command(command_words(command(what, source))).solve_text(switch("(left)"), Budget(seconds))


@pytest.fixture
def plan_file(tmp_path: Path) -> str:
    file = tmp_path / "a plan's file.txt"
    file.write_text("; a comment\n0: (GO_LEFT) [1]\n; cost = 12 (general cost)\n")
    return f'"{file}"'


def test_the_plan_is_what_counts(plan_file: str) -> None:
    copied = solve("copy", plan_file)
    assert (copied.ending, copied.plan, copied.reproducible) == (Ending.SOLVED, (("go_left",),), True)
    assert copied.cost is copied.bound is copied.proof is None and not copied.optimal
    assert copied.statistics == {"expanded": 7, "generated": 21, "plan_cost": 12}
    assert copied.times == {"search": 0.25}
    assert solve("numbered", plan_file).plan == (("go_left",),)


def test_a_plan_under_a_name_of_the_planners_own_is_read(plan_file: str) -> None:
    assert solve("own-names", plan_file).plan == (("go_left",),)
    words = command_words(command("own-names", plan_file).replace("{plan}", "unused"))
    assert Command(words).solve_text(switch("(left)"), BUDGET).plan == (("go_left",),)


def test_a_planner_that_improves_its_plan_is_stopped_and_its_last_whole_plan_taken(plan_file: str) -> None:
    improved = solve("improve", plan_file, seconds=2.0)
    assert (improved.ending, improved.plan, improved.reproducible) == (
        Ending.SOLVED, (("go_left",),), False,
    )  # fmt: skip


@pytest.mark.parametrize(
    ("what", "ending", "words"),
    [
        ("nothing", Ending.NOT_FOUND, "exit code 0 and wrote no plan"),
        ("unsolvable", Ending.NOT_FOUND, "exit code 11 and wrote no plan"),
        ("babble", Ending.CRASHED, "its plan:1: expected an action in parentheses"),
        ("hang", Ending.TIMED_OUT, "without a plan"),
    ],
)
def test_exit_codes_and_words_are_not_believed(what: str, ending: Ending, words: str) -> None:
    result = solve(what, seconds=1.0 if what == "hang" else 30.0)
    assert result.ending is ending and words in result.detail and result.proof is None
    assert solve("crash").ending is Ending.SOLVED  # the simulator will say what that plan is worth


@pytest.mark.parametrize(
    ("what", "ending", "words"),
    [
        ("folder", Ending.CRASHED, "its plan is a folder"),
        ("pipe", Ending.CRASHED, "its plan is no file"),
        ("long", Ending.CRASHED, f"its plan:{MAX_STEPS + 1}: expected at most {MAX_STEPS} actions, got more"),
        ("greedy", Ending.OUT_OF_MEMORY, "exit code 1 and wrote no plan: its memory of 60 MB ran out"),
    ],
)
def test_answers_that_are_no_plan_are_told_apart(what: str, ending: Ending, words: str) -> None:
    memory = 60 if what == "greedy" else 400
    result = Command(command_words(command(what))).solve_text(
        switch("(left)"), Budget(30.0, memory_mb=memory)
    )
    assert result.ending is ending and words in result.detail and result.plan is None
    assert not result.reproducible


def test_reading_a_long_plan_ends_at_the_deadline() -> None:
    now = itertools.count()
    text = "; nothing\n" * 100_000
    with limited(10.0, lambda: float(next(now))), pytest.raises(LimitReached, match="reading a plan"):
        action_lines(text)


def test_the_deadline_of_a_call_is_no_crash_of_its_engine(office: Belief) -> None:
    @dataclass(frozen=True)
    class Slow:
        name: str = "slow"
        supports_costs: bool = True

        def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
            while True:
                check_time("reading a plan")

        def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
            return [self.solve_text(text, budget) for text in texts]

    result = plan_goal(parse_goal("(open fridge)"), office, Engine("slow", Slow()), Budget(1.0))
    assert result.outcome == "timed-out"


def test_an_engine_gets_no_more_time_than_is_left_for_a_problem_that_is_text() -> None:
    given: list[float] = []

    @dataclass(frozen=True)
    class Noting:
        name: str = "noting"
        supports_costs: bool = True

        def solve_text(self, text: PddlText, budget: Budget) -> TextResult:
            given.append(budget.seconds)
            return TextResult(Ending.NOT_FOUND)

        def solve_many(self, texts: Sequence[PddlText], budget: Budget) -> list[TextResult]:
            return [self.solve_text(text, budget) for text in texts]

    now = 0.0
    engine = Engine("noting", Noting())
    with limited(5.0, lambda: now):
        now = 2.0
        engine.solve_text(switch("(left)"), Budget(30.0))
        now = 6.0
        with pytest.raises(LimitReached, match="asking the engine"):
            engine.solve_text(switch("(left)"), Budget(30.0))
    assert given == [3.0] and engine.calls == 1


def test_a_planner_gets_its_files_in_a_folder_of_its_own() -> None:
    assert solve("inputs").plan == (("of", "domain.pddl", "problem.pddl", "true", "false"),)


def test_a_command_may_name_files_from_where_it_is_given(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, plan_file: str
) -> None:
    (tmp_path / "my planner").write_text(f"#!{sys.executable}\n{PLANNER.read_text()}")
    (tmp_path / "my planner").chmod(0o755)
    monkeypatch.chdir(tmp_path)
    words = command_words(f'"./my planner" copy {plan_file} {{domain}} {{problem}} --out={{plan}}')
    assert words[0] == str(tmp_path / "my planner")
    assert words[3:] == ("{domain}", "{problem}", "--out={plan}")
    assert command_words("true notes.txt {domain} {problem} {plan}")[1] == "notes.txt"
    (tmp_path / "notes.txt").write_text("")
    assert command_words("true notes.txt {domain} {problem} {plan}")[1] == str(tmp_path / "notes.txt")


def test_nothing_in_a_command_is_for_a_shell(tmp_path: Path) -> None:
    words = command_words(f"{command('nothing')} ; touch {tmp_path}/made $(touch {tmp_path}/made)")
    Command(words).solve_text(switch("(left)"), BUDGET)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("planner 'open", "quotes closed"),
        ("", r"\{domain\} and \{problem\}"),
        ("true {domain} {plan}", r"\{problem\}"),
        ("no-such-planner {domain} {problem} {plan}", "a program that can be run"),
    ],
)
def test_a_command_that_cannot_be_is_told_at_once(line: str, words: str) -> None:
    with pytest.raises(InputError, match=words):
        Engine.named("pyperplan", EngineOptions(command=line))


def test_a_command_is_an_engine_in_python(office: Belief, tmp_path: Path) -> None:
    goal = parse_goal("(holding banana2)")
    symbols = compile_goal(goal.formula, office, whole=True).table
    (tmp_path / "plan").write_text(f"({symbols.actions['open']} {symbols.objects['banana2']})\n")
    engine = Engine.command(command("copy", str(tmp_path / "plan")), EngineOptions(whole=True))
    record = run(Request(office, goal=goal), engine)
    assert (record.outcome, record.engine) == ("rejected", "command")  # it can be read, and does not work
    assert not engine.complete and engine.whole
    assert not Engine.named("fast-downward", EngineOptions(search="astar(blind(),bound=1)")).complete


def test_a_plan_that_does_not_work_is_first_the_fault_of_the_command(office: Belief, tmp_path: Path) -> None:
    (tmp_path / "plan").write_text("")
    engine = Engine.command(command("copy", str(tmp_path / "plan")))
    record = run(Request(office, goal=parse_goal("(holding banana2)")), engine)
    assert record.outcome == "rejected"
    for sentence in (record.reasons[0], advice(record)):
        assert 0 <= sentence.find("the engine command") < sentence.find("the domain pack")
    named = replace(record, engine="fast-downward", engine_options={})
    assert "please report it" in advice(named)


def test_numbers_are_read_from_what_is_printed() -> None:
    fast_downward = """[t=0.003s, 10544 KB] Plan length: 8 step(s).
[t=0.003585s, 10544 KB] Expanded 21 state(s).
[t=0.003585s, 10544 KB] Evaluated 95 state(s).
[t=0.003585s, 10544 KB] Generated 262 state(s).
[t=0.003585s, 10544 KB] Expanded until last jump: 1 state(s).
[t=0.003585s, 10544 KB] Search time: 0.000796s"""
    printed = read_statistics(fast_downward)
    assert printed.counts == {"expanded": 21, "evaluated": 95, "generated": 262}
    assert printed.seconds == {"search": 0.000796}
    kairos = """kairos: parse 1.1 ms, normalize 0.3 ms, ground 1.1 ms, sas 0.5 ms, search 1.9 ms, total 4.2 ms
kairos: 68 atoms, 218 actions (0 durative), 18 states, 15 expanded, 18 evaluated, 1 plans, 7 MB peak"""
    printed = read_statistics(kairos)
    assert printed.counts == {"expanded": 15, "evaluated": 18}
    assert printed.seconds == pytest.approx({"search": 0.0019, "translate": 0.0005})
    assert read_statistics("").counts == read_statistics("").seconds == {}


# Kairos


@needs_kairos
def test_kairos_plans_and_its_other_endings_are_told_apart() -> None:
    kairos = get_engine("kairos")
    one = kairos.solve_text(switch("(left)"), BUDGET)
    assert (one.ending, one.plan, one.cost) == (Ending.SOLVED, (("go_left",),), 1)
    assert one.statistics["expanded"] > 0 and one.times.keys() == {"translate", "search"} and one.reproducible
    goals = ["(left)", "(and (left) (right))", "(charged)"]
    together = kairos.solve_many([switch(goal) for goal in goals], BUDGET)
    assert [one.plan for one in together] == [(("go_left",),), None, ()]
    assert together[1].ending is Ending.UNSOLVABLE and together[1].proof == "reported by kairos"
    assert kairos.solve_text(PddlText("(define", "(define"), BUDGET).ending is Ending.CRASHED


@needs_kairos
def test_kairos_does_not_plan_for_a_goal_that_nobody_declared() -> None:
    result = get_engine("kairos").solve_text(switch("(and (left) (unheard_of))"), BUDGET)
    assert result.ending is Ending.CRASHED and "unheard_of" in result.detail


@needs_kairos
def test_the_word_of_kairos_is_no_proof(office: Belief) -> None:
    goal = parse_goal("(and (open microwave) (turned_on microwave))")
    rendered = compile_goal(goal.formula, office, whole=True)
    result = Engine.named("kairos").solve(rendered.source, BUDGET)
    assert result.ending is Ending.NOT_FOUND and result.proof is None
    assert "its word alone is not taken for a proof" in result.detail
    solved = run(Request(office, goal=parse_goal("(holding banana2)")), Engine.named("kairos"))
    assert solved.verified


# Searches of Fast Downward, the whole problem, proofs that were wanted


def planned(belief: Belief, goal: str, name: str = "fast-downward", **options: object) -> Record:
    engine = Engine.named(name, EngineOptions(**options))  # type: ignore[arg-type]
    return run(Request(belief, goal=parse_goal(goal)), engine, budget=Budget(20))


def test_searches_by_alias_and_in_fast_downwards_own_words() -> None:
    assert "lama" in search_aliases() and "lama-first" in search_aliases()
    for search in ("lama-first", "seq-opt-lmcut", "astar(blind())", "lama"):
        result = FastDownward(search=search).solve_text(switch("(left)"), BUDGET)
        assert (result.ending, result.plan, result.optimal) == (Ending.SOLVED, (("go_left",),), False)
        assert result.reproducible and result.times["translate"] > 0
        assert result.statistics.keys() == {"expanded", "evaluated", "generated"}
        unsolvable = FastDownward(search=search).solve_text(switch("(and (left) (right))"), BUDGET)
        assert unsolvable.ending is Ending.UNSOLVABLE
    broken = FastDownward(search="astar(no_such_heuristic())").solve_text(switch("(left)"), BUDGET)
    assert broken.ending is Ending.CRASHED and "no_such_heuristic" in broken.detail
    with pytest.raises(InputError, match="lama-first"):
        Engine.named("fast-downward", EngineOptions(search="lama-frist"))
    for name in ("fast-downward-opt", "pyperplan"):
        with pytest.raises(InputError, match="fast-downward"):
            Engine.named(name, EngineOptions(search="lama"))
    with pytest.raises(ValueError, match="proofs"):
        FastDownward("fast-downward-opt", search="astar(blind())")


def test_a_search_that_improves_its_plan_is_stopped_in_time(office: Belief) -> None:
    goal = parse_goal("(and (in_room apple1 kitchen) (open fridge) (ontop_of orange1 table1))")
    engine = Engine.named("fast-downward", EngineOptions(search="lama", whole=True))
    first = run(Request(office, goal=goal), Engine.named("fast-downward", EngineOptions(whole=True)))
    best = run(Request(office, goal=goal), engine, budget=Budget(5))
    assert first.verified and best.verified and best.statistics["answers"] == 1
    assert (best.planning.cost_mm or 0) < (first.planning.cost_mm or 0)
    if not best.planning.reproducible:  # where the clock ended it, the record says so
        assert best.planning.cut_off


def test_the_whole_problem_goes_to_the_engine_in_one_piece(office: Belief) -> None:
    goal = "(and (ontop_of apple1 table1) (open fridge) (or (open microwave) (holding banana2)))"
    split = planned(office, goal)
    whole = planned(office, goal, whole=True)
    assert split.verified and split.statistics["answers"] > 1
    assert whole.verified and whole.statistics["answers"] == whole.statistics["plans"] == 1
    assert whole.planning.assembly.mode == "joint"
    assert whole.engine_options == {"whole": True} and split.engine_options == {}
    assert whole.statistics["plan_length"] >= len([a for a in whole.planning.plan or () if not a.event])
    assert whole.as_json()["statistics"] == whole.statistics
    assert {"engine", "engine_translate", "engine_search", "own"} <= whole.timings.keys()
    again = planned(office, goal, whole=True)
    assert again == whole and again.statistics == whole.statistics


def test_a_proof_that_was_wanted_and_is_missing_has_a_reason(office: Belief) -> None:
    goal = "(holding banana2)"
    proved = planned(office, goal, "fast-downward-opt", optimal=True)
    assert proved.planning.optimal and not proved.reasons
    missing = planned(office, goal, "pyperplan", optimal=True)
    assert missing.verified and "pyperplan proves no plan to be the cheapest" in missing.reasons[0]
    assert not planned(office, goal, "pyperplan").reasons


def test_a_proof_that_the_clock_cut_off_says_at_which_share(office: Belief) -> None:
    proved = planned(office, "(holding banana2)", "fast-downward-opt").planning
    cut = replace(proved, bound_mm=None, cut_off=(optimality.PROOF,), reproducible=False)
    for wanted, share in ((False, "30%"), (True, "90%")):
        engine = Engine.named("fast-downward-opt", EngineOptions(optimal=wanted))
        [reason] = optimality.with_reason(cut, engine, office).reasons
        assert reason.endswith(f"for a proof was cut off at {share} of the time limit")
        assert not optimality.with_reason(proved, engine, office).reasons
        [other] = optimality.with_reason(replace(proved, bound_mm=None), engine, office).reasons
        assert "gave no bound" in other


def test_engines_without_costs_and_with_more_of_the_environment(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("LICENCE_SERVER", "here")
    engine = get_engine("fast-downward", EngineOptions(costs=False, environment=("LICENCE_SERVER",)))
    assert isinstance(engine, FastDownward) and not engine.supports_costs
    assert engine.solve_text(switch("(left)"), BUDGET).ending is Ending.SOLVED
    options = EngineOptions(costs=False, environment=("LICENCE_SERVER",))
    assert options.as_json() == {"costs": False, "environment": ["LICENCE_SERVER"]}
