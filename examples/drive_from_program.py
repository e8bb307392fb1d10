"""Drive a robot from its program alone, checking before and after each command what the program expects.

The simulated world stands for the robot: put your own navigation, gripper and sensors in its place.
"""

import json

from groundplan import Budget, Engine, find_task, ground, load_pack, parse_goal, plan_goal, read_steps
from groundplan.domains.evaluate import evaluate
from groundplan.robot import translate
from groundplan.simulator.step import Step
from groundplan.simulator.verification import watched
from groundplan.simulator.world import World

task = find_task("office-planning-long-01")
belief = ground(task.load(), load_pack())
goal = parse_goal(task.gold.goal)
result = plan_goal(goal, belief, Engine.named("pyperplan"), Budget(30))
program = json.loads(json.dumps(translate(result, belief, goal).as_json()))  # all that the robot gets

wanted = parse_goal(f"(and {' '.join(program['goal'])})").formula
robot = World(belief, watched(wanted, belief))
done = 0  # commands before this one were part of an earlier motion
for command in program["commands"]:
    if command["step"] < done:
        continue
    for fact in command["expects"]["before"]:
        assert evaluate(parse_goal(fact).formula, robot), fact
    stops = command["waypoints"]
    drive = [Step("goto", (stop["node"],)) for stop in stops]
    for step in drive or read_steps(command["printed"]):
        robot.apply(step)
    done = stops[-1]["step"] + 1 if stops else 0
    last = program["commands"][max(done - 1, command["step"])]
    awaited = [fact for event in last["waits_for"] for fact in event["facts"]]
    for fact in [*last["expects"]["after"], *awaited]:
        assert evaluate(parse_goal(fact).formula, robot), fact
    print(command["skill"], last["target"]["node"], last["target"]["position"], "waits for:", awaited)
print("goal:", evaluate(wanted, robot))
