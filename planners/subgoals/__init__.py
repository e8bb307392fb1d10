"""Planning by subgoals: splitting a goal, plans for its parts, their order, and the merged plan.

No name of this folder is public: all of it may be changed, within the rules that its modules state.
"""

__all__: list[str] = []
