"""Writing of files for users: nothing of theirs is hurt, and what a run writes can be told from a mixture.

``folder`` is what verbs call, ``placing`` puts files in place together, and ``seals`` are the hashes by which
readers know the files of one run. What keeps a single file from harm is ``domains.storage``. Where and under
which names files are written may be changed here alone.
"""

__all__: list[str] = []
