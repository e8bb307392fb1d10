"""English: words, their kinds and links to the nodes of a scene, for readers, questions and audits of goals.

No name of this folder is public: all of it may be changed, within the rules that its modules state.
"""

__all__: list[str] = []
