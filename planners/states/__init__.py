"""Searching through states for plans: cheaper ones than those at hand, or any where an engine has none.

No name of this folder is public: all of it may be changed, within the rules that its modules state.
"""

__all__: list[str] = []
