from .content import Content, Format
from .losses import differences
from .registry import FORMATS, by_file_name, by_name, detect, read

__all__ = ["FORMATS", "Content", "Format", "by_file_name", "by_name", "detect", "differences", "read"]
