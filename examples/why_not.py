"""Ask why a goal cannot be reached, and what can be had instead: the check first, then proofs and plans.

Change the goals: the first two have errors that the check finds, the third has none and no plan.
"""

from groundplan import Engine, check, ground, load_pack, load_scene, parse_goal, why_not

belief = ground(load_scene("office"), load_pack())
for text in ("(closed chair2)", "(inside_of aple1 fridge)", "(and (turned_on microwave) (open microwave))"):
    goal = parse_goal(text)
    report = check(goal, belief)
    print(text)
    for diagnostic in report.diagnostics:
        print("  ", diagnostic)
    if report.ok:
        answer = why_not(goal, belief, Engine.named("pyperplan"))
        print("  ", answer.outcome, answer.conflict.proof, *answer.conflict.reasons)
        for one in answer.corrections:
            print("  ", "nearest" if one.nearest else "", one.goal, one.result.verification.metres, "metres")
