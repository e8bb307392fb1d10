from .additions import Additions, added_nodes
from .described_world import DescribedWorld
from .description import Described, UnreadableDescription, read_description
from .eye import Eye, Sighting, TrueEye, VisionModel, picture_of
from .scores import (
    AnnotatedPicture,
    DescriptionCounts,
    PictureScore,
    annotated_pictures,
    score_picture,
    score_pictures,
)

__all__ = [
    "Additions",
    "DescriptionCounts",
    "AnnotatedPicture",
    "Described",
    "DescribedWorld",
    "Eye",
    "PictureScore",
    "Sighting",
    "TrueEye",
    "UnreadableDescription",
    "VisionModel",
    "added_nodes",
    "annotated_pictures",
    "picture_of",
    "read_description",
    "score_picture",
    "score_pictures",
]
