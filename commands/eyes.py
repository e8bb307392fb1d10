"""The options of an eye: who describes what a robot looks at, and the pictures of places that are described.

A picture is called like the place that it shows: ``kitchen.png`` shows all that is seen on entering the
kitchen, ``inside_of-fridge.png`` what is in the fridge.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack
from dataclasses import dataclass, replace
from importlib.resources import files
from pathlib import Path

import click

from ..domains.errors import InputError, clip
from ..domains.files import read_bytes
from ..domains.mapping import AROUND
from ..language.chat.prompt_form import OwnPrompt
from ..language.chat.servers.model import Picture
from ..language.vision.described_world import DescribedWorld, words_of
from ..language.vision.eye import MAX_BYTES, Eye, TrueEye, VisionModel, picture_of
from ..language.vision.scores import ENDINGS
from ..simulator.belief import Belief
from ..simulator.observations.observation import Spot
from ..simulator.scene import Scene
from ..simulator.sensing.environment import TrueWorld
from ..simulator.sensing.spots import PLACES
from .grouped import grouped
from .readers import ModelOptions, bare_name, open_model, several_readers

MODELS = ("openai", "recorded")
SHIPPED = ("home",)
"""The scenes of which there are pictures of places in the package."""


eye_options = grouped(
    click.option(
        "--eye",
        metavar="EYE",
        help="What tells the robot of things: true:missed=..,renamed=..,relation=..,seed=.., or "
        "'openai:MODEL [OPTION=VALUE ..]' or recorded:FILE with --pictures (the truth).",
    ),
    click.option(
        "--pictures",
        type=click.Path(path_type=Path),
        metavar="DIR",
        help="Pictures for --eye, called like places: kitchen.png, inside_of-fridge.png; or home.",
    ),
)
"""Options that make an :class:`EyeChoice`."""


@dataclass(frozen=True)
class EyeChoice:
    """An eye that was asked for, with the pictures that it needs; ``name`` is as it was written."""

    name: str
    eye: Eye
    pictures: Callable[[Spot], Picture | None] | None = None

    def world(self, truth: TrueWorld, start: Belief, believed: Callable[[], Belief]) -> DescribedWorld:
        """Return a true world as the eye tells of it."""
        return DescribedWorld(truth, self.eye, start, believed, self.pictures)


def chosen_eye(
    text: str | None, pictures: Path | None, scene: Scene, own: Sequence[OwnPrompt], keep: ExitStack
) -> EyeChoice | None:
    """Return the eye that options ask for in a scene; ``None`` for the truth.

    Raises :class:`InputError`, and :class:`click.UsageError` for options that do not go together.
    """
    if text is None:
        if pictures is not None:
            raise click.UsageError("--pictures are for --eye openai:MODEL or recorded:FILE")
        return None
    name = bare_name(text.strip())
    kind, _, target = name.partition(":")
    if kind not in MODELS or not target:
        eye = TrueEye.read(text)
        if pictures is not None:
            raise click.UsageError("--eye true: sees the simulated world itself: leave out --pictures")
        if own:
            raise click.UsageError(f"--prompt {own[0].name} is for --eye openai:MODEL or recorded:FILE")
        return EyeChoice(str(eye), replace(eye, words=words_of(scene))) if eye.errs else None
    if pictures is None:
        raise click.UsageError(f"--eye {clip(name)} needs --pictures DIR")
    try:
        ((shown, options),) = several_readers([text], ModelOptions()).items()
    except click.UsageError as error:
        raise click.UsageError(error.message.replace("--reader", "--eye", 1)) from error
    model, _ = open_model(name, options, keep, lambda event: None)
    of_places = PlacePictures.of(picture_folder(pictures), scene)
    return EyeChoice(shown, VisionModel(model, own=tuple(own)), of_places)


def picture_folder(path: Path) -> Path:
    """Return a folder of pictures: one on disk, or one that comes along by its name."""
    shipped = Path(str(files("groundplan.datasets"))) / "pictures" / path.name
    return shipped if str(path) in SHIPPED and not path.is_dir() else path


@dataclass(frozen=True)
class PlacePictures:
    """The pictures of a folder, by the places that they are called after."""

    paths: dict[str, Path]

    @classmethod
    def of(cls, folder: Path, scene: Scene) -> PlacePictures:
        """Return the pictures of a folder. Raises :class:`InputError` where none is of a place of a scene."""
        try:
            paths = sorted(path for path in folder.iterdir() if path.suffix.lower() in ENDINGS)
        except OSError as error:
            raise InputError(clip(str(folder)), "a folder of pictures", error.strerror or "none") from error
        by_name = {path.stem: path for path in paths}
        places = [name for name, node in scene.nodes.items() if node.type in PLACES]
        if not any(stem in places or stem.partition("-")[2] in places for stem in by_name):
            expected = "pictures called like places, such as kitchen.png or inside_of-fridge.png"
            raise InputError(clip(str(folder)), expected, clip(", ".join(by_name)) or "none")
        return cls(by_name)

    def __call__(self, spot: Spot) -> Picture | None:
        """Return the picture of a spot. Raises :class:`InputError` for a file that is no picture."""
        name = spot.node if spot.relation == AROUND else f"{spot.relation}-{spot.node}"
        path = self.paths.get(name)
        if path is None:
            return None
        return picture_of(read_bytes(path, MAX_BYTES), clip(str(path), 200))
