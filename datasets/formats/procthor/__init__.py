"""ProcTHOR houses, read only."""

from typing import TYPE_CHECKING

from .... import on_demand

if TYPE_CHECKING:
    from .scene import FORMAT
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["FORMAT"]
