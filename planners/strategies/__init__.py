"""Strategies of planning: each a way from a task to a plan, in the order that `planners.schedule` lists.

No name of this folder is public: all of it may be changed, within the rules that its modules state.
"""

__all__: list[str] = []
