"""Act in a world that is known in part, step by step, as a robot's node would.

The robot has seen no movable thing yet. It asks for a step, does it, and reports what it sees; the program
stops in the middle, keeps the log, and goes on from it. In place of a robot there is a hidden true world in
which one step of five fails; with a robot, the outcome says what its cameras see.
"""

import json

from groundplan import Engine, Request, ground, load_pack, load_scene, parse_goal
from groundplan.acting import Episode, log_from_json, log_to_json
from groundplan.simulator.observations import StepOutcome
from groundplan.simulator.sensing import Environment, with_hidden

office = ground(load_scene("office"), load_pack())
robot = Environment(office, failure=0.2, seed=1)
goal = parse_goal("(exists (?b - banana) (and (inside_of ?b fridge) (closed fridge)))")
request = Request(with_hidden(office), goal=goal)
engine = Engine.named("pyperplan")

episode = Episode(request, engine=engine)
episode.report(StepOutcome(True, 0, robot.look()))  # what is seen from where the robot is
while (step := episode.next()) is not None and len(episode.trajectory.executed) < 30:
    episode.report(robot.act(step))

kept = json.dumps(log_to_json(episode.log))  # the node stops here, and starts again
episode = Episode.resume(request, log_from_json(json.loads(kept)), engine=engine)
while (step := episode.next()) is not None:
    episode.report(robot.act(step))

done = episode.trajectory
assert episode.finish is not None
print(f"{episode.finish.outcome} after {len(done.executed)} steps and {len(done.looks)} looks")
print(f"{done.executed_mm / 1000} m, as the world counted: {done.executed_mm == robot.moved_mm}")
print(f"the goal is reached in the true world: {robot.judge(goal.formula).reached}")
