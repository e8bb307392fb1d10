"""Draw the ten pictures of ``docs/how-it-works.md`` from one run: ``python -P tools/make_pictures.py``.

The run is real but for the reader, which is a script in place of a language model, so that the pictures are
the same on every machine. Its first goal has a name that the scene does not have. All else in the pictures is
computed: the search, the check, the PDDL, the engine's plan, the routes, the simulation and the program.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

from groundplan import Engine, Record, Request, ground, load_pack, load_scene, parse_goal, run
from groundplan.commands.pictures.picture import picture_of
from groundplan.commands.pictures.svg import svg_of
from groundplan.compiler.goals.checker import check
from groundplan.compiler.pddl import compile_goal
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers.scripted import ScriptedModel
from groundplan.robot import translate
from groundplan.simulator.belief import Belief
from groundplan.simulator.step import Step
from groundplan.simulator.world import Effect, World

ROOT = Path(__file__).resolve().parent.parent
FOLDER = ROOT / "docs" / "images" / "how-it-works"
INSTRUCTION = "Make Niko a coffee and place the mug on his desk."
FIRST = "(and (filled coffee_mug) (ontop_of coffee_mug nikos_desk))"
SECOND = "(and (filled coffee_mug) (ontop_of coffee_mug desk1))"
WIDTH = 720
STYLE = """
text { font: 14px system-ui, sans-serif; fill: #1f2328 }
.code { font: 13px ui-monospace, Menlo, Consolas, monospace; white-space: pre }
.title { font-size: 17px; font-weight: 600 } .small { font-size: 12px } .dim { fill: #59636e }
.good { fill: #1a7f37 } .bad { fill: #cf222e } .hot { fill: #0969da; font-weight: 600 }
.page { fill: #ffffff } .card { fill: #f6f8fa; stroke: #d0d7de } .mark { fill: #ddf4ff; stroke: #0969da }
.line { stroke: #d0d7de; stroke-width: 1.5 } .arrow { stroke: #59636e; stroke-width: 1.5; fill: none }
.dot { fill: #afb8c1 }
.open { fill: #0969da } .robot { fill: #cf222e }
"""
DARK = """@media (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .dim { fill: #9198a1 } .good { fill: #3fb950 } .bad { fill: #f85149 }
.hot { fill: #4493f8 } .page { fill: #0d1117 } .card { fill: #151b23; stroke: #3d444d }
.mark { fill: #121d2f; stroke: #4493f8 }
.line { stroke: #3d444d } .arrow { stroke: #9198a1 } .dot { fill: #656c76 }
.open { fill: #4493f8 } .robot { fill: #f85149 } }
"""


class Picture:
    """SVG text: shapes on a page of one width, in colours for light and dark pages."""

    def __init__(self, title: str, height: int) -> None:
        self.height, self.title = height, title
        self.shapes: list[str] = []
        self.text(20, 32, title, "title")

    def text(self, x: float, y: float, words: str, kind: str = "") -> None:
        space = ' xml:space="preserve"' if words != words.strip() or "  " in words else ""
        self.shapes.append(f'<text x="{x:g}" y="{y:g}" class="{kind}"{space}>{escape(words)}</text>')

    def code(self, x: float, y: float, lines: Sequence[str], kind: str = "") -> None:
        for number, line in enumerate(lines):
            self.text(x, y + 19 * number, line, f"code {kind}".strip())

    def box(self, x: float, y: float, width: float, height: float, kind: str = "card") -> None:
        size = f'width="{width:g}" height="{height:g}"'
        self.shapes.append(f'<rect x="{x:g}" y="{y:g}" {size} rx="6" class="{kind}"/>')

    def dot(self, x: float, y: float, radius: float, kind: str = "dot") -> None:
        self.shapes.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius:g}" class="{kind}"/>')

    def path(self, points: Sequence[tuple[float, float]], kind: str = "line") -> None:
        turns = " ".join(f"{x:g},{y:g}" for x, y in points)
        self.shapes.append(f'<polyline points="{turns}" class="{kind}"/>')

    def arrow(self, start: tuple[float, float], end: tuple[float, float]) -> None:
        """Draw an arrow to the right or downwards."""
        (x, y), down = end, end[0] == start[0]
        self.path([start, end], "arrow")
        self.path(
            [(x - 5, y - 6), end, (x + 5, y - 6)] if down else [(x - 6, y - 5), end, (x - 6, y + 5)], "arrow"
        )

    def svg(self) -> str:
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {self.height}" role="img">'
        page = f'<rect width="{WIDTH}" height="{self.height}" class="page"/>'
        name = f"<title>{escape(self.title)}</title>"
        return "\n".join([head, name, f"<style>{STYLE}{DARK}</style>", page, *self.shapes, "</svg>", ""])


class OfficeMap:
    """The office from above: rooms and poses at their positions, 330 wide, drawn on a picture."""

    def __init__(self, belief: Belief, picture: Picture, left: float = 24, top: float = 56) -> None:
        self.belief, self.picture, self.left, self.top = belief, picture, left, top

    def at(self, node: str) -> tuple[float, float]:
        """Return where a room or pose is drawn. Raises ``ValueError`` for a node without a position."""
        position = self.belief.scene.nodes[node].position
        if position is None:
            raise ValueError(f"{node} has no position")
        return round(self.left + 7.2 * position[0], 1), round(self.top + 7.2 * (37 - position[1]), 1)

    def draw(self, opened: Sequence[str] = ()) -> None:
        for link in self.belief.scene.links:
            self.picture.path([self.at(link.a), self.at(link.b)])
        for room in self.belief.scene.by_type["room"]:
            self.picture.dot(*self.at(room), 7 if room in opened else 5, "open" if room in opened else "dot")
        for room in opened:
            self.name(room)

    def name(self, room: str) -> None:
        """Write the name of a room above it, or to its left in the lower half, where there is room."""
        x, y = self.at(room)
        lower = y > self.top + 133
        self.picture.text(x - 60 if lower else x + 10, y + 5 if lower else y - 8, room, "small hot")


def scripted_run(belief: Belief) -> Record:
    """Run the pipeline with a script for a reader: two rooms are opened, the second of two goals is right."""
    moves = [("expand", "nikos_office"), ("expand", "kitchen"), ("terminate", "")]
    answers = [
        json.dumps({"move": {"chain_of_thought": "", "command": command, "node": node}})
        for command, node in moves
    ]
    model = ScriptedModel.of(*answers, FIRST, SECOND)
    reader = ModelReader(model, belief.pack, search_protocol="dialogue")
    return run(Request(belief, INSTRUCTION), Engine.named("pyperplan"), reader)


def conjuncts(goal: str) -> list[str]:
    """Return the parts of a conjunction as they are written."""
    return [str(part) for part in parse_goal(goal).formula.parts]  # type: ignore[attr-defined]


def collapsed(belief: Belief) -> Picture:
    picture = Picture("1  A sentence, and a scene of which only the rooms are shown", 330)
    office = OfficeMap(belief, picture)
    office.draw()
    x, y = office.at("pose8")
    picture.dot(x, y, 6, "robot")
    picture.text(x - 42, y - 10, "robot", "small bad")
    picture.box(390, 60, 310, 44, "mark")
    picture.text(404, 80, "Make Niko a coffee and")
    picture.text(404, 97, "place the mug on his desk.")
    kinds = belief.scene.by_type
    shown = f"{len(kinds['room'])} rooms are shown to the reader."
    rest = f"{len(kinds['asset'])} pieces of furniture and {len(kinds['object'])} things"
    picture.text(390, 140, shown)
    picture.text(390, 164, rest)
    picture.text(390, 184, "are in closed rooms: they cost nothing yet.")
    picture.text(390, 228, "dot: a room; line: a way, with its length", "dim small")
    return picture


def searched(belief: Belief, record: Record) -> Picture:
    picture = Picture("2  The reader opens the rooms that it needs", 330)
    OfficeMap(belief, picture).draw(record.opened)
    y = 76
    for entry in record.trace:
        command, node = str(entry["command"]), str(entry["node"])
        picture.code(390, y, [f"{command}({node})"], "hot")
        inside = [n for n in belief.scene.descendants(node) if n in record.shown] if node else []
        lines = _wrapped(inside, 42)
        for line in lines[:4] + (["..."] if len(lines) > 4 else []):
            y += 17
            picture.text(404, y, line, "code small dim")
        y += 28
    closed = len(belief.scene.by_type["room"]) - len(record.opened)
    picture.text(390, y + 4, f"{closed} rooms stay closed.")
    return picture


def _wrapped(names: Sequence[str], width: int) -> list[str]:
    """Return names in lines of at most some characters."""
    lines = [""]
    for name in names:
        if lines[-1] and len(lines[-1]) + len(name) + 1 > width:
            lines.append("")
        lines[-1] = f"{lines[-1]} {name}".strip()
    return lines


def written(record: Record) -> Picture:
    picture = Picture("3  The reader writes a goal, and nothing else", 226)
    goal = str(record.goals[0].as_json()["goal"])
    picture.box(20, 52, 680, 36, "mark")
    picture.text(34, 75, INSTRUCTION)
    picture.text(530, 75, "what was said", "dim small")
    picture.arrow((300, 92), (300, 116))
    picture.box(20, 120, 680, 36)
    picture.code(34, 143, [goal])
    picture.text(530, 143, "what is to hold at the end", "dim small")
    picture.text(
        20, 184, "No plan, no initial state, no domain: those come from the scene and from the domain pack."
    )
    picture.text(20, 206, "This first answer has a fault.", "dim")
    return picture


def checked(belief: Belief) -> Picture:
    picture = Picture("4  The goal is checked like source code", 200)
    goal = parse_goal(FIRST)
    picture.box(20, 52, 680, 60)
    picture.code(34, 76, [FIRST])
    y = 140
    for finding in check(goal, belief).diagnostics:
        if finding.span is None:
            raise ValueError(f"{finding.code} has no place in the goal")
        length = finding.span.end - finding.span.start
        picture.code(34, 93, [" " * finding.span.start + "^" * length], "bad")
        picture.code(20, y, [f"error[{finding.code}]"], "bad")
        picture.text(200, y, finding.message)
        y += 22
    picture.text(
        20,
        y + 12,
        "Names, types, what can be done with a thing, contradictions and counts are checked.",
        "dim",
    )
    return picture


def repaired(record: Record) -> Picture:
    picture = Picture("5  The goal is repaired, and only the goal", 262)
    first, second = (entry.as_json() for entry in record.goals)
    picture.box(20, 52, 680, 36)
    picture.code(34, 75, [str(first["goal"])], "bad")
    picture.arrow((60, 92), (60, 122))
    picture.code(76, 112, [str(line) for line in first["feedback"]], "small dim")  # type: ignore[attr-defined]
    picture.box(20, 126, 680, 36)
    picture.code(34, 149, [str(second["goal"])], "good")
    picture.arrow((60, 166), (60, 196))
    picture.text(
        76, 186, "nobody asked for it, but the machine was off, so it is to be off again", "small dim"
    )
    picture.box(20, 200, 680, 36, "mark")
    picture.code(34, 223, [f"(and {' '.join(conjuncts(str(record.as_json()['goal'])))})"])
    return picture


def compiled(belief: Belief, record: Record) -> Picture:
    problem = compile_goal(parse_goal(str(record.as_json()["goal"])).formula, belief)
    text = problem.files()["problem.pddl"].splitlines()
    objects = [line.strip() for line in text if " - " in line and "?" not in line]
    facts = [line.strip() for line in text if line.startswith("    (") and "distance" not in line]
    picture = Picture("6  Compiled: a planning problem over what the goal depends on", 350)
    picture.box(20, 52, 210, 130)
    picture.text(34, 78, "scene and domain pack", "hot")
    everything = len(list(belief.facts))
    for row, words in enumerate(
        (
            f"{len(belief.scene.nodes)} nodes",
            f"{everything} facts",
            f"{len(belief.pack.domain.actions)} actions and events",
        )
    ):
        picture.text(34, 106 + 24 * row, words)
    picture.arrow((234, 116), (264, 116))
    picture.box(268, 52, 432, 280, "mark")
    used = problem.files()["domain.pddl"].count("(:action ")
    names = sum(len(line.split(" - ")[0].split()) for line in objects)
    picture.text(282, 78, f"problem.pddl: {names} objects, {len(facts) - 1} facts, {used} actions", "hot")
    picture.code(282, 104, ["(:objects", *(f"   {line}" for line in objects)], "small")
    chosen = [
        f for f in facts if any(word in f for word in ("ontop_of", "stands_at", "brews", "vessel", "hand"))
    ]
    picture.code(282, 186, ["(:init", *(f"   {fact}" for fact in chosen), "   ..."], "small")
    picture.text(20, 216, "Distances are in the costs:")
    picture.text(20, 238, "no other place and", "dim")
    picture.text(20, 258, "no other thing is left.", "dim")
    return picture


def planned(record: Record) -> Picture:
    picture = Picture("7  A classical planner finds the steps", 250)
    actions = record.planning.plan or ()
    for number, action in enumerate(actions):
        x, y = 20 + 137 * (number % 5), 60 + 78 * (number // 5)
        event = action.event
        picture.box(x, y, 118, 58, "mark" if event else "card")
        picture.text(x + 10, y + 20, action.name, "good" if event else "hot")
        for row, name in enumerate(action.args[-2:]):
            picture.text(x + 10, y + 36 + 14 * row, name, "small")
        if number % 5 < 4 and number + 1 < len(actions):
            picture.arrow((x + 121, y + 29), (x + 134, y + 29))
    picture.text(
        20,
        236,
        "A drive is one action here, whatever is on the way. brew is an event: it happens by itself.",
        "dim",
    )
    return picture


def simulated(belief: Belief, record: Record) -> Picture:
    parts = conjuncts(str(record.as_json()["goal"]))
    formulas = parse_goal(str(record.as_json()["goal"])).formula.parts  # type: ignore[attr-defined]
    rows = list(_runs(belief, record.planning.steps))
    picture = Picture("9  The simulator carries out every step", 110 + 24 * len(rows))
    for column, part in enumerate(parts):
        picture.text(390, 60 + 17 * column, part, "code small dim")
        picture.text(368, 60 + 17 * column, f"{column + 1}", "small hot")
        picture.text(300 + 22 * column, 94, f"{column + 1}", "small hot")
    for number, (words, world, events) in enumerate(rows):
        y = 118 + 24 * number
        picture.code(20, y, [words])
        for column, atom in enumerate(formulas):
            true = world.holds(atom.predicate, atom.args)
            picture.text(298 + 22 * column, y, "✓" if true else "·", "good" if true else "dim")
        if events:
            picture.text(390, y, events, "small good")
    return picture


def _runs(belief: Belief, steps: Sequence[Step]) -> Iterator[tuple[str, World, str]]:
    """Yield printed steps, drives in a row as one, with the world after them and the events that happened."""
    world = World(belief)
    waiting: list[Step] = []
    first = 1
    for number, step in enumerate(steps, start=1):
        effect = world.apply(step)
        if not isinstance(effect, Effect):
            raise ValueError(f"{step} cannot be done: {effect}")
        waiting.append(step)
        following = steps[number] if number < len(steps) else None
        if step.name == "goto" and following is not None and following.name == "goto":
            continue
        numbers = f"{first}" if first == number else f"{first}–{number}"
        events = [str(action) for action in effect.actions if action.event]
        yield f"{numbers:>5}  {step}", world.fork(), " ".join(f"event: {event}" for event in events)
        waiting, first = [], number + 1


def translated(belief: Belief, record: Record) -> Picture:
    program = translate(record.planning, belief, parse_goal(str(record.as_json()["goal"])))
    command = next(c for c in program.commands if c.skill == "pick").as_json()
    picture = Picture("10  A program for a robot", 450)
    picture.text(20, 62, f"{len(program.commands)} commands, a skill each:")
    skills: list[list[object]] = []
    for each in program.commands:
        if skills and skills[-1][0] == each.skill:
            skills[-1][1] = int(str(skills[-1][1])) + 1
        else:
            skills.append([each.skill, 1])
    for row, (skill, count) in enumerate(skills):
        name = f"{skill} × {count}" if count != 1 else str(skill)
        picture.text(
            34, 86 + 20 * row, name, "code small" + (" hot" if skill == command["skill"] and row < 4 else "")
        )
    picture.box(250, 52, 450, 382, "mark")
    shown = ("skill", "arguments", "pose", "position", "printed", "serves", "target", "expects")
    y = 78
    for key in shown:
        picture.code(264, y, [key], "hot")
        for line in _lines(command[key]):
            picture.code(356, y, [line], "small")
            y += 19
        y += 6
    return picture


def _lines(value: object) -> list[str]:
    """Return a value of a command in lines, an entry each where it has entries."""
    if isinstance(value, dict):
        lines = []
        for key, each in value.items():
            parts = each if isinstance(each, list) and key != "position" else [each]
            texts = [part if isinstance(part, str) else json.dumps(part) for part in parts]
            lines += (
                [f"{key}:", *(f"  {text}" for text in texts)] if len(texts) > 1 else [f"{key}: {texts[0]}"]
            )
        return lines
    return [value if isinstance(value, str) else json.dumps(value)]


def pictures() -> dict[str, str]:
    """Return the ten pictures by their file names."""
    belief = ground(load_scene("office"), load_pack())
    record = scripted_run(belief)
    drawn = {
        "01-scene": collapsed(belief),
        "02-search": searched(belief, record),
        "03-goal": written(record),
        "04-check": checked(belief),
        "05-repair": repaired(record),
        "06-compile": compiled(belief, record),
        "07-plan": planned(record),
        "09-simulator": simulated(belief, record),
        "10-program": translated(belief, record),
    }
    texts = {f"{name}.svg": picture.svg() for name, picture in drawn.items()}
    return texts | {"08-routes.svg": svg_of(picture_of(record.as_json(), belief))}


if __name__ == "__main__":
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name, text in pictures().items():
        (FOLDER / name).write_text(text, encoding="utf-8")
        print(FOLDER / name)
