"""A robot's loop that keeps a trace: it is cut off in the middle of a line, goes on, and the trace replays.

Each line is on disk before the robot goes on. In place of a robot there is a hidden true world in which one
step of five fails. At the end one word of the trace is changed, and the replay says in which line.
"""

import tempfile
from pathlib import Path

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode
from groundplan.robot import TraceFile, read_trace, replay
from groundplan.simulator.observations import StepOutcome
from groundplan.simulator.sensing import Environment, with_hidden

office, engine = ground(load_scene("office"), load_pack()), Engine.named("pyperplan")
robot = Environment(office, failure=0.2, seed=1)
request = Request(with_hidden(office), goal=parse_goal("(exists (?b - banana) (holding ?b))"))
path = Path(tempfile.mkdtemp()) / "trace.jsonl"

with TraceFile(path) as trace:
    episode = Episode(request, engine=engine, recorder=trace)
    episode.report(StepOutcome(True, 0, robot.look()))
    while (step := episode.next()) is not None and len(episode.trajectory.executed) < 20:
        episode.report(robot.act(step))
with path.open("ab") as file:
    file.write(b'{"kind":"obs')  # the power fails while a line is written
print(f"cut off after {len(read_trace(path).lines)} lines")

with TraceFile(path, resume=True) as trace:
    episode = Episode.resume(request, trace.entries(), engine=engine, recorder=trace)
    while (step := episode.next()) is not None:
        episode.report(robot.act(step))
assert episode.finish is not None
print(f"{episode.finish.outcome} after {len(episode.trajectory.executed)} steps")
print(f"replays: {replay(read_trace(path), request, engine=engine).replays}")
path.write_text(path.read_text().replace("it did not work", "it worked", 1))
edited = replay(read_trace(path), request, engine=engine)
print(f"does not replay: line {edited.line}: {edited.reason}")
