"""Detection of PDDL problems by their head: blanks and comments, ``(define (problem``, the marks of a domain.

Formats look at files of every kind, so the pattern never goes back over what it has passed (keep its
quantifiers possessive), and looks at the first :data:`HEAD` bytes only. A format adds marks of its own.
"""

from __future__ import annotations

import re

from ....domains.errors import SceneError
from ..content import Content

HEAD = 256 * 1024
"""Bytes in which blanks and comments must end."""

_PROBLEM = re.compile(rb"(?:\s++|;[^\n]*+)*+\(\s*+define\s*+\(\s*+problem[\s)]", re.I)


def begins_problem(data: bytes) -> bool:
    """Return whether bytes begin like a PDDL problem."""
    return _PROBLEM.match(data[:HEAD]) is not None


def is_problem(content: Content, most_bytes: int, *marks: re.Pattern[bytes]) -> bool:
    """Return whether a file begins like a PDDL problem and has every mark of a domain in its first bytes."""
    try:
        data = content.data
    except SceneError:
        return False
    return begins_problem(data) and all(m.search(data, 0, most_bytes) is not None for m in marks)
