"""The embedded reader: a shallow reader of plain requests that needs no language model."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .reader import EmbeddedReader
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["EmbeddedReader"]
