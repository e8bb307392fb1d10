"""The verb `scene`: show, convert, generate, list and validate scenes, count tokens of them and of searches.

`show` has the group, `list` and `show`; the others are modules of their own. A new verb is a module here that
`show` adds to the group.
"""

from .show import command

__all__ = ["command"]
