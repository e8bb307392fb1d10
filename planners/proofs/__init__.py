"""Proofs that a goal has no plan: the search for certificates, and explanations in a user's words.

No name of this folder is public: all of it may be changed; what it finds is rechecked by another program.
"""

__all__: list[str] = []
