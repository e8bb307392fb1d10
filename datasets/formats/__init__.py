"""Scene formats: one module each, found by the content of a file rather than by its name."""

from typing import TYPE_CHECKING

from ... import on_demand

if TYPE_CHECKING:
    from .content import Content, Format
    from .losses import differences
    from .registry import FORMATS, by_file_name, by_name, detect, read
else:
    __getattr__, __dir__ = on_demand(__name__)

__all__ = ["FORMATS", "Content", "Format", "by_file_name", "by_name", "detect", "differences", "read"]
