"""Planning by subgoals: splitting a goal, plans for its parts, their order, and the merged plan."""

__all__: list[str] = []
