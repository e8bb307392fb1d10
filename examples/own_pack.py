"""Plan in a world of one's own: a domain, a mapping and a scene, no Python but this.

Change the files in ``greenhouse/``, or the goal below; ``docs/packs.md`` has every table of a pack.
"""

from pathlib import Path

from groundplan import Engine, Request, ground, load_pack, open_scene, parse_goal, run

HERE = Path(__file__).parent / "greenhouse"

belief = ground(open_scene(str(HERE / "scene.json")), load_pack(str(HERE)))
goal = parse_goal("(and (forall (?b - bed) (growing ?b)) (lies_on can1 bench1))")
record = run(Request(belief, goal=goal), Engine.named("pyperplan"))
print(record.outcome)
print(*record.plan, sep="\n")
