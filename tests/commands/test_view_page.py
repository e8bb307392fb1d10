"""Pages of scenes and runs: what is played is what the simulator does, and nothing runs, loads or leaves."""

from __future__ import annotations

import base64
import hashlib
import json
import math
import re
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser
from draws import draws
from golds import TASKS, belief_of, gold_plan
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

from groundplan import ground, load_scene, parse_goal, verify_plan
from groundplan.commands.pictures.page import page_of, page_of_scene
from groundplan.commands.pictures.playback import goal_parts, played
from groundplan.commands.schema import output_schema
from groundplan.datasets.library import find_scene
from groundplan.domains.pack import load_pack
from groundplan.pipeline.record import OUTCOMES
from groundplan.simulator.belief import Belief
from groundplan.simulator.scene import Link, Node, Scene

HERE = Path(__file__).parents[2] / "commands" / "pictures"
SAMPLES = Path(__file__).parents[1] / "datasets" / "formats"
OFFICE = ("--scene", "office")
PAYLOADS = (
    "</script><script>document.title='bad'</script>",
    "<img src=x onerror=document.title='bad'>",
    "a\u202eb",
)
REFUSED = {
    "outcome": "rejected",
    "instruction": "Heat the banana.",
    "goal": "(inside_of banana2 microwave)",
    "plan": ["goto(pose13)", "goto(pose14)", "goto(pose23)", "goto(pose24)", "goto(pose25)", "goto(kitchen)",
             "access(fridge)", "pickup(banana2)", "access(microwave)"],
    "violations": [{"index": 7, "message": "cannot pick up banana2: fridge is closed"}],
}  # fmt: skip


def data_of(page: str) -> dict[str, object]:
    (text,) = re.findall(r'<script type="application/json" id="data">(.*?)</script>', page, re.S)
    data: dict[str, object] = json.loads(text)
    return data


def office() -> Belief:
    return ground(load_scene("office"), load_pack())


def test_nothing_but_its_own_script_and_style_may_run_or_load():
    page = page_of(REFUSED, office())
    (policy,) = re.findall(r'http-equiv="Content-Security-Policy" content="([^"]*)"', page)
    allowed = set(re.findall(r"sha256-[\w+/=]+", policy))
    blocks = re.findall(r"<(?:script|style)>(.*?)</(?:script|style)>", page, re.S)
    hashes = {f"sha256-{base64.b64encode(hashlib.sha256(b.encode()).digest()).decode()}" for b in blocks}
    assert hashes == allowed and len(blocks) == 2
    assert "default-src &#x27;none&#x27;" in policy and "unsafe" not in policy
    assert set(re.findall(r"https?://[^\"' )]+", page)) == {"http://www.w3.org/2000/svg"}
    assert not re.search(r"\s(?:style|on\w+|src|href)=", page.split('id="data"')[0])


@pytest.mark.parametrize(
    "name",
    "innerHTML outerHTML insertAdjacent document.write eval( Function( fetch( XMLHttp DOMParser".split(),
)
def test_the_script_makes_no_markup_and_sends_nothing(name):
    assert name not in (HERE / "page.js").read_text(encoding="utf-8")


@pytest.mark.parametrize("task", TASKS[::5], ids=lambda t: t.id)
def test_what_is_played_is_what_the_simulator_does(task):
    belief, plan = belief_of(task.id), gold_plan(task.id)
    goal = parse_goal(task.gold.goal)
    parts = goal_parts(task.gold.goal, belief)
    moments = played([str(s) for s in plan.steps], belief, parts)
    assert len(moments) == len(plan.steps) + 1 and set(moments[-1]["goal"]) == {"1"} and parts
    for number in range(0, len(moments), 7):
        judged = verify_plan(plan.steps[:number], belief, goal.formula)
        assert ("0" not in moments[number]["goal"]) == judged.goal_value


def test_a_step_that_cannot_be_done_has_its_unmet_literal_and_where_it_stands():
    (track,) = data_of(page_of(REFUSED, office()))["tracks"]
    last = track["moments"][-1]
    assert last["step"] == "pickup(banana2)" and last["refused"] == "cannot pick up banana2: fridge is closed"
    assert [(f["words"], f["nodes"]) for f in last["unmet"]] == [("fridge is closed", ["fridge"])]
    assert last["at"] == "fridge" and not any(m.get("refused") for m in track["moments"][:-1])


def test_a_change_is_told_once_though_two_facts_say_it():
    moments = played(["goto(pose13)", *REFUSED["plan"][1:7], "open(fridge)"], office(), ())
    words = [fact["words"] for fact in moments[-1]["changes"]]
    assert "fridge is open" in words and len(words) == len(set(words))
    assert all(fact["holds"] for fact in moments[-1]["changes"] if fact["words"] == "fridge is open")


def test_plans_of_a_model_are_tracks_of_their_own():
    record = {"outcome": "rejected", "attempts": [{"text": "1", "steps": ["access(fridge)"]},
                                                  {"text": "2", "steps": ["goto(pose13)"]}],
              "plan": ["goto(pose13)"]}  # fmt: skip
    tracks = data_of(page_of(record, office()))["tracks"]
    assert [t["name"] for t in tracks] == ["plan", "attempt 1"]
    assert "it is in kitchen" in tracks[1]["moments"][1]["refused"]


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_every_outcome_has_a_page(outcome):
    data = data_of(
        page_of({"outcome": outcome, "reasons": ["a reason"], "goal": "(((", "plan": ["x", 3]}, office())
    )
    assert data["outcome"] == outcome and data["goal"]["parts"] == []


@pytest.mark.parametrize(
    "record",
    [
        {},
        {"plan": 3, "attempts": [3, {"steps": 4}], "goal": 7, "diagnostics": [3, {"code": 1}], "trace": 4},
        {"goal": "(sometime (sometime (open fridge)))"},
        {"goal": "(open nowhere)", "executed": ["nothing(x)"]},
        {"goal": "(exists (?x - object) (hot ?x))", "hashes": 4, "shown": [None], "opened": "kitchen"},
    ],
)  # fmt: skip
def test_what_is_no_record_of_ours_has_a_page(record):
    assert data_of(page_of(record, office()))["nodes"]["id"][0] in office().scene.nodes


@pytest.mark.parametrize("name", sorted(p.name for p in SAMPLES.iterdir()))
def test_every_format_has_a_page(cli, tmp_path, name):
    several = cli("scene", "show", SAMPLES / name).err
    item = (
        ("--item", several.split("choose one: ")[1].split(",")[0].strip()) if "choose one" in several else ()
    )
    assert cli("view", SAMPLES / name, *item, "-o", tmp_path / "a.html").code == 0
    assert len(data_of((tmp_path / "a.html").read_text(encoding="utf-8"))["nodes"]["id"]) > 1


def test_a_finding_is_marked_in_the_goal_as_it_is_shown(cli, tmp_path):
    goal = "(and   (open fridg)\n (hot noodles))"
    cli("plan", *OFFICE, "--goal", goal, "--out", tmp_path / "out")
    assert cli("view", tmp_path / "out", *OFFICE, "-o", tmp_path / "a.html").code == 0
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    (finding,) = data["diagnostics"]
    assert data["goal"]["text"][finding["span"]["start"] : finding["span"]["end"]] == "fridg"


def test_a_page_is_named_after_what_it_shows_and_replaces_nothing(cli, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    assert cli("view", "office").last == "written to office.html"
    refused = cli("view", "office")
    assert refused.code == 2 and "use --force" in refused.err
    first = Path("office.html").read_bytes()
    assert cli("view", "office", "--force").code == 0 and Path("office.html").read_bytes() == first


def test_what_was_done_in_another_world_is_played_there(cli, tmp_path):
    scene = load_scene("office")
    truth = scene.changed(change={"orange1": {"parent": "lunch_table", "relation": "ontop_of"}})
    from groundplan.simulator.scene_json import scene_to_json

    world = tmp_path / "truth.json"
    world.write_text(json.dumps(scene_to_json(truth)))
    goal = "(inside_of orange1 fridge)"
    assert cli("plan", *OFFICE, "--goal", goal, "--world", world, "--out", tmp_path / "out").code == 0
    assert cli("view", tmp_path / "out", *OFFICE, "--world", world, "-o", tmp_path / "a.html").code == 0
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    moments = data["tracks"][0]["moments"]
    assert data["tracks"][0]["name"] == "done in the true world" and moments[-1]["goal"].strip("1") == ""
    assert not any(m.get("refused") for m in moments) and data["record"]["observations"]


RUN = ("run", *OFFICE, "--goal", "(holding orange1)", "--knows", "furniture", "--policy", "nearest-unlooked",
       "--failure", "0.2", "--seed", "3")  # fmt: skip


def test_a_trace_has_a_page_of_what_was_known_when(cli, tmp_path):
    trace = tmp_path / "trace.jsonl"
    run = cli(*RUN, "--trace", trace, "--json", "--view", tmp_path / "run.html")
    assert cli("view", trace, *OFFICE, "-o", tmp_path / "a.html", "--svg", tmp_path / "a.svg").code == 0
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    moments = data["tracks"][0]["moments"]
    assert [m["step"] for m in moments[1:]] == run.json["executed"] and moments[-1]["goal"] == "1"
    assert data["unseen"] == ["object"] and data["goal"]["words"] == "Hold orange1."
    first = data["seen"]["orange1"]
    assert 0 < first < len(moments) and any(
        one["after"] == first and one["text"].startswith("sees orange1: ") for one in data["record"]["story"]
    )
    assert any("failed: it did not work" in one["text"] for one in data["record"]["story"])
    page = data_of((tmp_path / "run.html").read_text(encoding="utf-8"))
    assert page["tracks"][0]["moments"] == moments and page["outcome"] == "verified"
    trace.write_bytes(trace.read_bytes()[:-300])
    assert cli("view", trace, *OFFICE, "-o", tmp_path / "cut.html").code == 0
    cut = data_of((tmp_path / "cut.html").read_text(encoding="utf-8"))
    assert cut["reasons"] == ["the trace has no end: the run was cut off"]
    other = cli("view", trace, "--scene", "home", "-o", tmp_path / "b.html")
    assert other.code == 2 and "expected the scene of the run, got home" in other.err


def test_plan_makes_the_page_that_view_makes_of_its_record(cli, tmp_path):
    run = (
        "plan",
        *OFFICE,
        "--goal",
        "(hot noodles)",
        "--out",
        tmp_path / "out",
        "--view",
        tmp_path / "a.html",
    )
    done = cli(*run)
    assert done.code == 0 and f"written to {tmp_path / 'a.html'}" in done.out
    assert cli("view", tmp_path / "out", *OFFICE, "-o", tmp_path / "b.html").code == 0
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()
    refused = cli("plan", *OFFICE, "--goal", "(hot noodles)", "--view", tmp_path / "a.html")
    assert refused.code == 2 and "use --force" in refused.err and refused.out == ""


@pytest.mark.usefixtures("inline")
def test_failed_runs_of_a_comparison_have_pages_that_say_why(cli, tmp_path):
    folder, report, pages = tmp_path / "results", tmp_path / "report.html", tmp_path / "pages of runs"
    reader = "synthetic:wrong_action=0.9,incomplete_search=0.5"
    tasks = "office-planning-simple,office-search-simple"
    bench = (
        "bench",
        "--tasks",
        tasks,
        "--limit",
        4,
        "--methods",
        "hybrid",
        "--reader",
        reader,
        "--out",
        folder,
    )
    assert cli(*bench).code == 0
    assert cli("report", folder, "--format", "html", "--out", report, "--view", pages).code == 0
    links = re.findall(r'<a href="(pages%20of%20runs/run-\d+\.html)"', report.read_text(encoding="utf-8"))
    assert len(links) == len(list(pages.iterdir())) > 1
    judged = [data_of(file.read_text(encoding="utf-8"))["judged"] for file in sorted(pages.iterdir())]
    assert len({one["key"] for one in judged}) == len(judged) == 8
    assert {one["success"] for one in judged} == {True, False}
    for file in pages.iterdir():
        data = data_of(file.read_text(encoding="utf-8"))
        if data["judged"]["success"]:
            continue
        truth = data["tracks"][0]["moments"][-1]["goal"][data["asked"] :]
        assert "0" in truth or data["judged"].get("gold answers")
        key = data["judged"]["key"]
        assert cli("view", folder, "--row", key, "-o", tmp_path / "one.html", "--force").code == 0
        assert (tmp_path / "one.html").read_bytes() == file.read_bytes()
    again = cli("report", folder, "--format", "html", "--out", report, "--view", pages, "--force")
    assert again.code == 0
    (pages / "mine.html").write_text("mine")
    again = cli("report", folder, "--format", "html", "--out", report, "--view", pages, "--force")
    assert again.code == 2 and "mine.html" in again.err and (pages / "mine.html").read_text() == "mine"
    assert "needs --format html" in cli("report", folder, "--view", tmp_path / "x").err
    assert "did you mean" in cli("view", folder, "--row", key[:-3], "-o", tmp_path / "x.html").err


@pytest.mark.parametrize(
    ("steps", "goal", "outcome", "last"),
    [
        (("goto(kitchen)", "access(fridge)", "open(fridge)"), "(open fridge)", "verified", "open(fridge)"),
        (("goto(kitchen)", "access(fridge)"), "(open fridge)", "goal-not-reached", "access(fridge)"),
        (("goto(kitchen)", "access(fridge)"), "", "executable", "access(fridge)"),
        (("goto(kitchen)", "pickup(banana2)", "done()"), "", "not-executable", "pickup(banana2)"),
    ],
)
def test_a_plan_of_anybody_has_a_page(cli, tmp_path, steps, goal, outcome, last):
    (tmp_path / "plan.txt").write_text("\n".join(steps))
    given = ("--goal", goal) if goal else ()
    run = ("simulate", *OFFICE, *given, "--plan", tmp_path / "plan.txt", "--route")
    page = tmp_path / "a.html"
    assert cli(*run, "--view", page).code == int(outcome not in ("verified", "executable"))
    data = data_of(page.read_text(encoding="utf-8"))
    assert data["outcome"] == outcome and data["tracks"][0]["moments"][-1]["step"] == last
    assert bool(data["reasons"]) == (outcome in ("goal-not-reached", "not-executable"))
    assert cli(*run, "--view", page).code == 2


def test_a_search_of_a_house_is_played_leg_by_leg_and_the_map_grows(cli, tmp_path):
    pytest.importorskip("shapely")
    task = ("--task", "multi-object-search-gen_000", "--method", "nearest-door")
    assert cli("plan", *task, "--out", tmp_path / "out", "--view", tmp_path / "a.html").code == 0
    record = json.loads((tmp_path / "out" / "record.json").read_text(encoding="utf-8"))
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    (track,) = data["tracks"]
    walk, moments = record["house"]["walk"], track["moments"]
    assert [m["step"] for m in moments] == [leg["intent"] for leg in walk]
    found = {find["target"]: find["moves"] for find in record["house"]["finds"]}
    assert [part["formula"] for part in data["goal"]["parts"]] == record["house"]["targets"]
    for moment, leg in zip(moments, walk, strict=True):
        assert moment["goal"] == "".join("01"[found[t] <= leg["moves"]] for t in record["house"]["targets"])
    assert data["seen"] == {name: n for n, leg in enumerate(walk) for name in leg["seen"]}
    assert set(data["seen"]) < set(data["nodes"]["id"]) and "object" in data["unseen"]
    left, top, width, height = track["fog"]
    boxes = [box for moment in moments for box in moment["floor"]]
    assert all(
        left <= x and top <= y and x + w <= left + width and y + h <= top + height for x, y, w, h in boxes
    )
    corners = {(x, y) for moment in moments for x, y in moment["way"]}
    assert len(corners) > 5 and "its way" in (tmp_path / "out" / "plan.svg").read_text(encoding="utf-8")
    assert "its way" not in svg_of_page(tmp_path / "a.html"), "the page draws it leg by leg"


def svg_of_page(path: Path) -> str:
    return path.read_text(encoding="utf-8").partition("<svg")[2].partition("</svg>")[0]


def test_an_errand_in_a_house_has_the_search_and_the_plan(cli, tmp_path):
    pytest.importorskip("onnxruntime")
    pytest.importorskip("shapely")
    errand = ("plan", "Find the plate and put it on the bed.", "--task", "multi-object-search-gen_000")
    kept = ("--view", tmp_path / "a.html", "--out", tmp_path / "run")
    assert cli(*errand, "--method", "least-cost-errand", *kept).code == 0
    assert cli("certify", tmp_path / "run", *errand[-2:]).code == 0
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert [track["name"] for track in data["tracks"]] == ["search", "plan"]
    search, plan = (track["moments"] for track in data["tracks"])
    assert {m["goal"] for m in search} == {""} and plan[-1]["goal"] == "1"


NO_LEG = {"way": [[1], ["a", 2], [math.inf, 1]], "floor": [[1, 2], [1, 2, "x"]], "seen": [3], "moves": "x"}


@pytest.mark.parametrize("walk", [7, [7, {}], [NO_LEG]])
def test_a_walk_that_is_not_as_it_should_be_has_a_page(walk):
    house = {"walk": walk, "targets": [3, "mug"], "finds": [7, {"target": "mug", "moves": "x"}]}
    assert data_of(page_of({"outcome": "answered", "house": house}, office()))["nodes"]["id"]


# In a browser


@pytest.fixture(scope="module")
def browser(tmp_path_factory) -> Iterator[Browser]:
    if CHROMIUM is None:
        pytest.skip("no Chromium is installed")
    opened = Browser(tmp_path_factory.mktemp("browser"))
    yield opened
    opened.close()


def opened(browser: Browser, path: Path, page: str, fragment: str = "") -> None:
    """Open a page, and check that it asked for nothing and complained of nothing."""
    path.write_text(page, encoding="utf-8")
    browser.requests.clear()
    browser.complaints.clear()
    browser.open(f"{path.as_uri()}{fragment}")
    assert [r for r in browser.requests if not r.startswith((path.as_uri(), "about:"))] == []
    assert browser.complaints == []


def text(browser: Browser, selector: str) -> str:
    value = browser.value(f"document.querySelector({json.dumps(selector)}).textContent")
    assert isinstance(value, str)
    return value


def test_a_whole_plan_is_walked_by_keys(browser, tmp_path):
    task = TASKS[4]
    belief, plan = belief_of(task.id), gold_plan(task.id)
    record = {"outcome": "verified", "goal": task.gold.goal, "plan": [str(s) for s in plan.steps]}
    opened(browser, tmp_path / "a.html", page_of(record, belief))
    total = len(plan.steps)
    for step in range(total):
        assert text(browser, "#count") == f"{step} of {total}"
        browser.press("ArrowRight")
    assert text(browser, "#moment h2") == f"Step {total}: {plan.steps[-1]}"
    assert browser.value("[...document.querySelectorAll('#goal td.bad')].length") == 0
    assert browser.value("location.hash") == f"#step={total}"
    browser.press("Home")
    assert text(browser, "#count") == f"0 of {total}" and browser.value("location.hash") == ""
    browser.press("End", "ArrowLeft")
    assert text(browser, "#count") == f"{total - 1} of {total}"
    assert browser.complaints == []


def test_goals_that_were_turned_down_are_branches_and_beliefs_that_changed_stand_where_they_did(
    browser, tmp_path
):
    task = TASKS[4]
    plan = [str(step) for step in gold_plan(task.id).steps]
    first = {
        "goal": "(clean <img>)",
        "fault": "unknown-name",
        "feedback": ["there is no <img>"],
        "tokens": 12,
    }
    again = {"goal": task.gold.goal, "trigger": "check", "tokens": 9, "by": "repair"}
    record = {
        "outcome": "verified", "goal": task.gold.goal, "plan": plan, "goals": [first, first, again],
        "observations": [{"step": 2, "node": "fridge", "believed": "closed", "seen": "open"}],
    }  # fmt: skip
    opened(browser, tmp_path / "a.html", page_of(record, belief_of(task.id)))
    labels = browser.value("[...document.querySelectorAll('#timeline g')].map((g) => g.ariaLabel)")
    assert labels == [
        "goal 1 of 3, turned down: unknown-name",
        "goal 2 of 3, turned down: unknown-name",
        "after step 2: sees fridge was believed closed; it is open",
    ]
    browser.value("document.querySelectorAll('#timeline g')[1].focus()")
    browser.press("Enter")
    shown = text(browser, "#moment")
    assert shown.startswith("Goal 2 of 3: turned down") and "there is no <img>" in shown
    assert task.gold.goal in shown
    browser.value("document.querySelectorAll('#timeline g')[2].dispatchEvent(new MouseEvent('click'))")
    assert text(browser, "#count") == f"2 of {len(plan)}"
    opened(
        browser,
        tmp_path / "b.html",
        page_of(record | {"goals": [again], "observations": []}, belief_of(task.id)),
    )
    assert text(browser, "#timeline") == "" and browser.complaints == []


def test_moves_of_an_older_search_of_a_house_are_listed_without_its_walk():
    record = {"outcome": "found", "trace": [{"intent": "goes to the kitchen"}, {"intent": "looks around"}]}
    listed = data_of(page_of(record, office()))["record"]["trace"]
    assert [move["intent"] for move in listed] == ["goes to the kitchen", "looks around"]


def test_the_tree_is_walked_by_keys_and_the_address_holds_step_and_node(browser, tmp_path):
    page = page_of(REFUSED, office())
    opened(browser, tmp_path / "a.html", page, "#step=8&node=banana2")
    assert "cannot pick up banana2: fridge is closed" in text(browser, "#moment")
    assert text(browser, "#node h2") == "banana2" and "inside_of" in text(browser, "#node")
    assert browser.value("document.querySelector('[aria-selected=true]').firstChild.textContent").startswith(
        "banana2"
    )
    browser.value("document.querySelector('#tree [role=treeitem]').focus()")
    browser.press("ArrowDown", "ArrowRight", "ArrowDown", "Enter")
    node = text(browser, "#node h2")
    assert office().scene.nodes[node].parent == office().scene.by_type["room"][1]
    assert browser.value("location.hash") == f"#step=8&node={node}"
    browser.value("location.hash = '#step=3&node=fridge'")
    time.sleep(0.1)
    assert text(browser, "#count") == "3 of 8" and text(browser, "#node h2") == "fridge"
    browser.press("/")
    assert browser.value("document.activeElement.id") == "find"
    browser.press("b", "a", "n", "a", "n")
    assert "banana1" in text(browser, "#hits")


def test_playing_goes_on_by_itself_and_stops_at_the_end(browser, tmp_path):
    record = {"outcome": "verified", "plan": ["goto(pose13)", "goto(pose14)"], "goal": "(robot_at pose14)"}
    opened(browser, tmp_path / "a.html", page_of(record, office()))
    browser.press(" ")
    end = time.monotonic() + 20
    while text(browser, "#count") != "2 of 2" or text(browser, "#play") != "Play":
        assert time.monotonic() < end
        time.sleep(0.1)


def test_what_is_not_seen_yet_is_told_from_what_is(browser, cli, tmp_path):
    trace = tmp_path / "trace.jsonl"
    cli(*RUN, "--trace", trace)
    assert cli("view", trace, *OFFICE, "-o", tmp_path / "a.html").code == 0
    browser.open(f"{(tmp_path / 'a.html').as_uri()}#step=3&node=orange1")
    selected = "document.querySelector('[aria-selected=true] > .row').className"
    assert "unseen" in browser.value(selected) and "first seen" in text(browser, "#node")
    browser.press("End")
    assert "unseen" not in browser.value(selected)


ODD = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "kitchen", "x\n", *PAYLOADS]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.sampled_from(["node", "step", "diff", "goal", "text", "span", "feedback"]), inner, max_size=3
        )
    ),
    max_leaves=8,
)
KEYS = [*sorted(output_schema("record")["properties"]), "story", "seen", "unseen"]


@given(st.dictionaries(st.sampled_from(KEYS), ODD, max_size=12))
@draws(60, by_day=15, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_json_is_shown_without_a_fault(browser, tmp_path, record):
    opened(browser, tmp_path / "a.html", page_of(record, office()), "#step=1&node=kitchen")
    assert text(browser, "#node h2") == "kitchen" and browser.value("document.title") != "bad"


@pytest.mark.parametrize("payload", PAYLOADS)
def test_payloads_are_shown_as_text(browser, tmp_path, payload):
    nodes = [
        Node("hall", "room"),
        Node(payload, "room", classes=(payload,)),
        Node("agent", "agent", at="hall"),
    ]
    nodes.append(Node("table", "asset", payload, attributes=(payload,), affordances=("release",)))
    scene = Scene(payload, {n.id: n for n in nodes}, (Link("hall", payload, 2),))
    belief = ground(scene, load_pack())
    record = {
        **dict.fromkeys(("outcome", "instruction", "goal", "says", "engine"), payload),
        **{key: [payload] for key in ("reasons", "plan", "notes", "looks")},
        "trace": [{"command": payload, "node": payload, "thought": payload}],
        "goals": [{"goal": payload, "feedback": [payload], "by": payload, "fault": payload}],
        "attempts": [{"text": payload, "steps": [payload], "feedback": [payload]}],
        "diagnostics": [{"code": payload, "message": payload, "severity": payload}],
        "observations": [{"node": payload, "step": 1, "believed": payload, "seen": payload}],
    }
    for page in (page_of(record, belief), page_of_scene(scene)):
        opened(browser, tmp_path / "a.html", page)
        assert browser.value("document.title") != "bad"
        assert browser.value("document.querySelectorAll('script, img').length") == 2
        shown = text(browser, "#title")
        assert shown == payload or ("\u202e" in payload and "\\u202e" in shown)
        assert "\u202e" not in browser.value("document.body.innerText")


def test_an_office_is_drawn_at_once(browser, tmp_path):
    path = tmp_path / "a.html"
    page = page_of_scene(load_scene("office"))
    assert len(page) < 300_000
    times = []
    for _ in range(4):  # the first page also starts the browser's own parts, and a machine has other work
        opened(browser, path, page)
        code = "performance.timing.domContentLoadedEventEnd - performance.timing.navigationStart"
        times.append(browser.value(code))
    assert min(times) <= 500, times


@pytest.mark.slow
def test_a_hundred_thousand_nodes_are_there_in_seconds(browser, cli, tmp_path):
    assert cli("scene", "generate", "--nodes", 100_000, "-o", tmp_path / "b.json").code == 0
    opened(browser, tmp_path / "a.html", page_of_scene(find_scene(str(tmp_path / "b.json"))))
    assert browser.value("performance.timing.loadEventEnd - performance.timing.navigationStart") <= 3000
    started = time.monotonic()
    browser.press("/")
    browser.press(*"office99")
    assert "office99" in text(browser, "#hits") and time.monotonic() - started < 3


def test_why_a_run_was_no_success_stands_at_the_top_and_no_tick_with_it(browser, tmp_path):
    record = {"outcome": "answered", "instruction": "Find the kale.", "subgraph": ["kitchen", "kale_leaves1"]}
    why = ["right is kale_leaves2; handed on was kitchen, kale_leaves1"]
    page = page_of(record, office(), judged={"success": False, "why": why})
    opened(browser, tmp_path / "a.html", page)
    assert "no success" in text(browser, "#reasons") and why[0] in text(browser, "#reasons")
    assert text(browser, "#outcome") == "✗ answered, and judged wrong"


@pytest.mark.parametrize("dark", [False, True])
def test_text_can_be_read_in_the_dark_and_in_the_light(browser, tmp_path, dark):
    opened(browser, tmp_path / "a.html", page_of(REFUSED, office()), "#step=8")
    browser.screenshot(tmp_path / "a.png", dark=dark)
    for selector in ("body", "#moment .bad", "#node, .quiet", ".link"):
        code = f"(() => {{ const one = document.querySelector({json.dumps(selector)});"
        code += "return [getComputedStyle(one).color, getComputedStyle(document.body).backgroundColor]; })()"
        ink, paper = (luminance(c) for c in browser.value(code))
        lighter, darker = max(ink, paper), min(ink, paper)
        assert (lighter + 0.05) / (darker + 0.05) >= 4.5, selector  # WCAG 2.1, level AA


def luminance(colour: str) -> float:
    """Return the relative luminance of ``rgb(r, g, b)``, as WCAG 2.1 defines it."""
    parts = [int(p) / 255 for p in re.findall(r"\d+", colour)[:3]]
    linear = [p / 12.92 if p <= 0.03928 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]


def test_all_is_on_paper_when_it_is_printed(browser, tmp_path):
    record = REFUSED | {"trace": [{"command": "expand", "node": "kitchen", "tokens": 12}]}
    opened(browser, tmp_path / "a.html", page_of(record, office()))
    browser.value("dispatchEvent(new Event('beforeprint'))")
    assert browser.value("[...document.querySelectorAll('details')].every((one) => one.open)")
    assert "expand kitchen 12 tokens" in text(browser, "#more")
    data = base64.b64decode(browser.ask("Page.printToPDF")["data"])
    assert data.startswith(b"%PDF")


def test_a_walk_through_a_house_uncovers_the_floor(browser, cli, tmp_path):
    pytest.importorskip("shapely")
    task = ("--task", "multi-object-search-gen_000", "--method", "nearest-door")
    assert cli("plan", *task, "--view", tmp_path / "made.html").code == 0
    opened(browser, tmp_path / "a.html", (tmp_path / "made.html").read_text(encoding="utf-8"), "#step=0")
    holes = "document.querySelector('#map svg path[fill-rule=evenodd]').getAttribute('d').split('M').length"
    unseen = "[...document.querySelectorAll('#tree .unseen')].length"
    before, hidden = browser.value(holes), browser.value(unseen)
    browser.press("End")
    assert browser.value(holes) > before and browser.value(unseen) < hidden
    assert "what was not seen yet is covered" in text(browser, "#moment")
    assert browser.complaints == []


@pytest.mark.usefixtures("inline")
def test_runs_of_own_tasks_have_pages_with_their_golds_from_the_folder_alone(cli, tmp_path):
    own = tmp_path / "own.jsonl"
    lines = [
        {"id": "a", "instruction": "Put the orange in the fridge.", "scene": "office",
         "goal": "(and (inside_of orange1 fridge) (inside_of apple1 fridge))"},
        {"id": "b", "instruction": "Go to the lobby.", "scene": "office", "goal": "(robot_at lobby)"},
    ]  # fmt: skip
    own.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    folder, out, pages = tmp_path / "r", tmp_path / "r.html", tmp_path / "pages"
    assert cli("bench", "--methods", "hybrid", "--tasks", own, "--out", folder).code == 0
    own.unlink()
    made = cli("report", folder, "--format", "html", "--out", out, "--view", pages)
    assert made.code == 0 and f"2 pages in {pages}" in made.err
    data = data_of((pages / "run-1.html").read_text(encoding="utf-8"))
    assert data["judged"]["success"] is False and "note" not in data["judged"]
    assert data["tracks"][0]["moments"][-1]["goal"][data["asked"] :] == "10", (
        "one part of the gold is not met"
    )


@pytest.mark.usefixtures("inline")
def test_a_run_under_another_state_of_its_pack_says_so_and_one_of_another_scene_has_no_page(cli, tmp_path):
    folder = tmp_path / "r"
    words = ("--methods", "gold", "--tasks", "office-planning-simple", "--limit", "1")
    assert cli("bench", *words, "--out", folder).code == 0
    rows = (folder / "rows.jsonl").read_text()
    manifest = (folder / "manifest.json").read_text()
    pack = json.loads(rows)["record"]["hashes"]["pack_before"]
    (folder / "rows.jsonl").write_text(rows.replace(pack, "0" * 64))
    (folder / "manifest.json").write_text(manifest.replace(pack, "0" * 64))
    key = json.loads(rows)["key"]
    assert cli("view", folder, "--row", key, "-o", tmp_path / "a.html").code == 0
    data = data_of((tmp_path / "a.html").read_text(encoding="utf-8"))
    assert data["judged"]["note"].startswith("the pack household has changed since this run")
    other = cli("view", folder, "--row", key, "--scene", "home", "-o", tmp_path / "b.html")
    assert other.code == 2 and "expected the scene of the run" in other.err
    scene = json.loads(manifest)["tasks"]["office-planning-simple-01"]["scene"]
    (folder / "manifest.json").write_text(manifest.replace(scene, "1" * 64))
    made = cli(
        "report", folder, "--format", "html", "--out", tmp_path / "r.html", "--view", tmp_path / "pages"
    )
    assert "0 pages in" in made.err and "1 run without a page: expected the scene of the run" in made.err
