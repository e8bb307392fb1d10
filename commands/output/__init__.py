"""Writing of files for users: nothing of theirs is hurt, and what a run writes can be told from a mixture.

``folder`` is what verbs call, ``placing`` puts files in place together, ``likeness`` keeps modes and owners,
``temporary`` names what is not finished, and ``seals`` are the hashes by which readers know the files of one
run. Where and under which names files are written may be changed here alone.
"""

__all__: list[str] = []
