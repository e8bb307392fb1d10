"""Planning in parts: subgoals, the ways to reach each, their order, and the joined plan."""
