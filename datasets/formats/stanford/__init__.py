"""Stanford 3D scene graphs, from pickles that are decoded and never run."""

from typing import TYPE_CHECKING

from .... import on_demand

if TYPE_CHECKING:
    from .scene import FORMAT
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["FORMAT"]
