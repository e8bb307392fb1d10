"""`groundplan scene generate`: a furnished building of any size as a scene file.

The building is made by ``datasets.generate.buildings``; here are the options. The same options and seed must
give the same bytes, so defaults stay; help and messages may be changed.
"""

from __future__ import annotations

from pathlib import Path

import click

from ...datasets.generate.buildings import ASSETS_PER_ROOM, OBJECTS_PER_ROOM, Sizes, furnished_building
from ...simulator.scene_json import scene_text
from ..console.terminal import GOOD, NAME, Screen
from ..output.folder import check_file, write_file

ROOMS = 10


@click.command(name="generate")
@click.option("--floors", type=int, metavar="N", help="Floors, joined by stairs (1).")
@click.option("--rooms", type=int, metavar="N", help=f"Rooms on all floors together ({ROOMS}).")
@click.option("--assets", type=int, metavar="N", help=f"Pieces of furniture ({ASSETS_PER_ROOM} a room).")
@click.option("--objects", type=int, metavar="N", help=f"Things in and on them ({OBJECTS_PER_ROOM} a room).")
@click.option("--locks", type=int, metavar="N", help="Locked furniture; needs --pack household-locks (0).")
@click.option("--nodes", type=int, metavar="N", help="All of it: a usual building of so many nodes.")
@click.option("--seed", type=int, default=0, metavar="N", help="Another seed is another building (0).")
@click.option("-o", "--out", metavar="FILE", default="-", help="Where to write it (standard output).")
@click.option("--force", is_flag=True, help="Replace the file if it exists.")
def generate(
    floors: int | None,
    rooms: int | None,
    assets: int | None,
    objects: int | None,
    locks: int | None,
    nodes: int | None,
    seed: int,
    out: str,
    force: bool,
) -> None:
    """Make a furnished building: the same sizes and seed give the same bytes on every machine."""
    if out != "-":
        check_file(Path(out), force)
    if nodes is not None:
        if any(n is not None for n in (floors, rooms, assets, objects, locks)):
            raise click.UsageError("give --nodes, or the number of floors, rooms, assets, objects and locks")
        sizes = Sizes.of_nodes(nodes)
    else:
        number = ROOMS if rooms is None else rooms
        sizes = Sizes(
            1 if floors is None else floors,
            number,
            ASSETS_PER_ROOM * number if assets is None else assets,
            OBJECTS_PER_ROOM * number if objects is None else objects,
            locks or 0,
        )
    scene = furnished_building(sizes, seed)
    text = scene_text(scene)
    if out == "-":
        click.echo(text, nl=False)
        return
    write_file(Path(out), text, force)
    pack = "; plan there with --pack household-locks" if sizes.locks else ""
    Screen().line(("written: ", GOOD), (out, NAME), f", {len(scene.nodes)} nodes{pack}")
