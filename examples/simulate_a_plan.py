"""Run a printed plan in the scene-graph simulator and read its feedback.

Change the plan or the goal: this one fails, since nothing opens the fridge.
"""

from groundplan import ground, load_pack, load_scene, parse_goal, read_steps, verify_plan

PLAN = """
goto(pose13) goto(pose14) goto(pose23) goto(pose24) goto(pose25) goto(kitchen)
access(fridge) pickup(banana2)
""".split()

belief = ground(load_scene("office"), load_pack())
result = verify_plan(read_steps("\n".join(PLAN), "plan"), belief, parse_goal("(holding banana2)").formula)
print(result.verified, *result.feedback(), sep="\n")
