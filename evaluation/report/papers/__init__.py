"""Printed tables of papers, and our lines of them.

The figures are in ``published.toml``; a table of a further paper is an entry there.
"""

__all__: list[str] = []
