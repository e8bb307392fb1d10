"""Ask why a goal cannot be reached: the check first, then a proof in terms of the scene.

Change the goals: the first two have errors that the check finds, the third has none and no plan.
"""

from groundplan import Engine, check, ground, load_pack, load_scene, parse_goal, plan_goal

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
