"""Files that the package writes: opened as its own, appended to or replaced whole, and no other is hurt.

``own_file`` is what everything that writes or goes on writing uses; ``likeness`` says which files may be
replaced and makes a new one like the old, ``temporary`` names what is not finished. What a file must be like
to count as ours may be changed here alone.
"""

__all__: list[str] = []
