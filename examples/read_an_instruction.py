"""Read an instruction without a language model, and print the commands of the robot program.

Change the instruction, or the scene: a name or a file for ``open_scene``.
"""

from groundplan import Engine, Request, ground, load_pack, load_scene, run
from groundplan.language.embedded import EmbeddedReader
from groundplan.robot import translate

belief = ground(load_scene("office"), load_pack())
record = run(Request(belief, "Heat up the chicken kebab."), Engine.named("pyperplan"), EmbeddedReader())
print(record.outcome, record.goal)
for command in translate(record.planning, belief).commands:
    print(command.pose, command.skill, *command.arguments)
