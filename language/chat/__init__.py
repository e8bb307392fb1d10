"""Readers that ask a chat model: semantic search, prompts, goal writing and repair."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .reader import ModelReader
    from .search import semantic_search
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["ModelReader", "semantic_search"]
