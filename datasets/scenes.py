"""Scenes by name or file: those that come with the package, and files in any known format.

A scene that comes with the package is a file ``scenes/NAME.json`` in the package's own format; to add one,
put the file there and its name into :data:`SCENES`. Gold goals and answers of task sets rely on the nodes of
these scenes; a task that needs others has an overlay. Formats of other programs are in ``formats``.
"""

from __future__ import annotations

import json
import os.path
import re
from functools import cache
from importlib.resources import files
from pathlib import Path

from ..domains.errors import InputError, UnsupportedInput, clip, did_you_mean
from ..simulator.scene import Scene
from ..simulator.scene_json import scene_from_json

SCENES = ("office", "home", *(f"house-{number}" for number in range(1, 9)))
BUILDING = re.compile(r"building" + r"-(0|[1-9]\d{0,2})" * 5 + r"-(0|[1-9]\d{0,8})")
"""The name of a generated building: floors, rooms, assets, objects, locks (below 1000 each), and the seed."""


@cache
def load_scene(name: str) -> Scene:
    """Load a scene that comes with the package.

    ``name`` is one of :data:`SCENES`, or that of a generated building (:data:`BUILDING`), which is made then.
    Lengths and positions of a scene are in metres. The scene is loaded once and cannot be changed;
    :meth:`Scene.changed` makes another. Raises :class:`InputError` with the nearest names for any other name,
    and for sizes that no building has.

    >>> from groundplan import load_scene
    >>> office = load_scene("office")
    >>> office.room_of("fridge"), office.nodes["fridge"].state
    ('kitchen', ('closed',))
    """
    if sizes := BUILDING.fullmatch(name):
        from .generate.buildings import Sizes, furnished_building  # for generated scenes only

        *counts, seed = map(int, sizes.groups())
        return furnished_building(Sizes(*counts), seed)
    if name not in SCENES:
        hint = did_you_mean(name, SCENES) or f"scenes are {', '.join(SCENES)}; files are for open_scene"
        raise InputError("scene", "the name of a built-in scene", clip(name), hint)
    text = files(__package__).joinpath("scenes", f"{name}.json").read_text(encoding="utf-8")
    return scene_from_json(json.loads(text), name)


def open_scene(name_or_file: str, item: str = "", form: str = "", labels: str = "", robot: str = "") -> Scene:
    """Open a scene by name, or a scene file in any known format.

    ``name_or_file`` is a name that :func:`load_scene` knows, or the path of a file or folder, whose format is
    found from its content unless ``form`` names it; ``item`` picks one scene of a file that holds several.
    ``labels`` is a file with words for the numbers that a file has for classes, ``robot`` the agent of
    several that is the robot.
    Lengths and positions are in metres. A scene that its file does not name is called after the file. What
    the file had and the scene has not is in its ``losses``, with the reason. Raises :class:`InputError` for
    neither, :class:`SceneError` for a file that is not a scene.

    >>> from groundplan import open_scene
    >>> open_scene("home").name
    'home'
    >>> open_scene("offcie")
    Traceback (most recent call last):
    groundplan.domains.errors.InputError: scene: expected ..., got offcie; did you mean 'office'?
    """
    if (name_or_file in SCENES or BUILDING.fullmatch(name_or_file)) and not form:
        if item:
            problem = f"it is one scene, --item {clip(item)} picks nothing"
            raise UnsupportedInput(f"scene {name_or_file}", problem, "leave --item out")
        if labels or robot:
            problem = "--labels and --robot are for files of others"
            raise UnsupportedInput(f"scene {name_or_file}", problem, "leave them out")
        return load_scene(name_or_file)
    path = Path(name_or_file)
    # Unlike Path.exists, os.path.exists answers for a name that is too long, too.
    if not os.path.exists(path) and path.suffix != ".json" and "/" not in name_or_file:
        hint = did_you_mean(name_or_file, SCENES) or f"scenes are {', '.join(SCENES)}; or give a file"
        raise InputError("scene", "the name of a scene or a file", clip(name_or_file), hint)
    from .formats.registry import read  # the formats are loaded for files only

    return read(path, form, item, labels, robot)[0]
