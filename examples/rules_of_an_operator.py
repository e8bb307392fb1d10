"""Plan under the rules of an operator: a place, a step and an order that every plan keeps.

Change a rule, or forbid `(robot_at kitchen)`: then a proof that names it is all there is.
"""

from groundplan import Engine, ground, load_pack, load_scene, parse_goal, plan_goal
from groundplan.compiler.certificates import read_rules

RULES = """
(never (robot_at pose13))               ; the shortest way to the kitchen
(never (do open ?x) :when (holding orange1))
(sometime-before (holding orange1) (robot_at lunch_table))
"""

office = ground(load_scene("office"), load_pack())
belief, goal = read_rules(RULES, office), parse_goal("(holding orange1)")
engine = Engine.named("pyperplan")
for name, case in (("free", office), ("ruled", belief)):
    result = plan_goal(goal, case, engine)
    print(f"{name}: {result.outcome}, {result.verification.metres:.2f} metres", *result.steps, sep="\n  ")
for rule in result.verification.rules:
    print("kept" if rule.kept else "broken", rule.rule)
