"""The verb `scene`: show, convert, generate, list and validate scenes, and count their tokens.

`show` has the group and most of its verbs; `convert`, `generate` and `tokens` are modules of their own. A new
verb is a module here that `show` adds to the group. Names of verbs and options stay.
"""

from .show import command

__all__ = ["command"]
