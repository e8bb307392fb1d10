"""Golds of task sets, and runs against them: audits, sizes of sets, graders and how far these agree."""

__all__: list[str] = []
