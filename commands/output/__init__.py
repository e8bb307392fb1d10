"""Writing of files for users: nothing of theirs is hurt, and the files of one run can be told from others.

``folder`` is what verbs call, and ``seals`` are the hashes by which readers know the files of one run. What
keeps a single file from harm is ``domains.storage``. Where and under which names files are written may be
changed here alone.
"""

__all__: list[str] = []
