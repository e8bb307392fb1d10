"""Planning in parts: subgoals, the ways to reach each, their order, and the merged plan."""

__all__: list[str] = []
