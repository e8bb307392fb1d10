"""The verb `scene`: show, convert, generate, list and validate scenes, and count their tokens."""

from .show import command

__all__ = ["command"]
