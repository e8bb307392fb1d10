"""Plan with unified-planning's own tools, and bring the plan back as commands for a robot.

Change the goal, or name another planner: any that unified-planning has takes the problem as its objects.
"""

import unified_planning.shortcuts as up

from groundplan import compile_problem, ground, load_pack, load_scene, parse_goal
from groundplan.robot import translate

up.get_environment().credits_stream = None
belief = ground(load_scene("office"), load_pack())
goal = parse_goal("(and (hot noodles) (closed microwave))")
compiled = compile_problem(goal, belief)  # costs=False is for planners that know none
print(compiled.problem.kind)

with up.OneshotPlanner(problem_kind=compiled.problem.kind) as planner:
    plan = planner.solve(compiled.problem).plan
with up.PlanValidator(name="sequential_plan_validator") as validator:
    print("unified-planning:", validator.validate(compiled.problem, plan).status.name)

result = compiled.carried_out(plan)  # printed steps, run in the simulator for the goal as it is written
print("simulator:", "verified" if result.verified else result.verification.feedback(), result.cost, "m")
for command in translate(result, belief, goal).commands:
    print(command.skill, command.target.node, "waits for:", [w.event for w in command.waits_for])
