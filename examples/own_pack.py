"""Plan in a world of one's own: a pack of two files and a scene, no Python but this."""

from pathlib import Path

from groundplan.compiler.goals.goal import parse_goal
from groundplan.datasets.scenes import open_scene
from groundplan.domains.pack import load_pack
from groundplan.planners.engines.engine import Engine
from groundplan.planners.hybrid import Request, run
from groundplan.simulator.belief import ground

HERE = Path(__file__).parent / "greenhouse"

belief = ground(open_scene(str(HERE / "scene.json")), load_pack(str(HERE)))
goal = parse_goal("(and (forall (?b - bed) (growing ?b)) (lies_on can1 bench1))")
record = run(Request(belief, goal=goal), Engine.named("pyperplan"))
print(record.outcome)
print(*record.plan, sep="\n")
