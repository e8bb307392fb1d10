"""How files of PDDL's family begin: blanks and comments, then ``(define (problem``.

Formats look at files of every kind, so the pattern never goes back over what it has passed, and looks at the
first :data:`HEAD` bytes only.
"""

from __future__ import annotations

import re

HEAD = 256 * 1024
"""Bytes in which blanks and comments must end."""

_PROBLEM = re.compile(rb"(?:\s++|;[^\n]*+)*+\(\s*+define\s*+\(\s*+problem[\s)]", re.I)


def begins_problem(data: bytes) -> bool:
    """Whether bytes begin like a PDDL problem."""
    return _PROBLEM.match(data[:HEAD]) is not None
