"""Printing of the command line: the terminal, escaping, stories of runs, trees and diagnostics.

Layout and wording may be changed; text of scenes, models and users must stay escaped (``escape``), and what
programs read (JSON, the last line of a verified run) must stay as it is.
"""

__all__: list[str] = []
