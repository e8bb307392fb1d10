"""Judging what comes out: optimal costs, goals of other languages, and readings of instructions."""
