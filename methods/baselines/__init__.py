"""Methods of the literature in which a language model writes the plan or the problem.

No name of this folder is public: all of it may be changed, within the rules that its modules state.
"""

__all__: list[str] = []
