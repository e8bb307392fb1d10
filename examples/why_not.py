"""Ask why a goal cannot be reached: the check first, then a proof in terms of the scene."""

from groundplan.compiler.goals.checker import check
from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import load_scene
from groundplan.domains.pack import load_pack
from groundplan.planners.classical import plan_goal
from groundplan.planners.engines.engine import Engine
from groundplan.simulator.belief import ground

belief = ground(load_scene("office"), load_pack())
for text in ("(closed chair2)", "(inside_of aple1 fridge)", "(and (turned_on microwave) (open microwave))"):
    goal = parse_goal(text)
    report = check(goal, belief)
    print(text)
    for diagnostic in report.diagnostics:
        print("  ", diagnostic)
    if report.ok:
        planned = plan_goal(goal, belief, Engine.named("pyperplan"))
        print("  ", planned.ending.value, planned.proof, *planned.reasons)
