"""Printing of the command line: the terminal, escaping, stories of runs, trees and diagnostics."""

__all__: list[str] = []
