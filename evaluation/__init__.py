"""Readings of instructions, judged against gold goals."""
