"""Programs that run in the worker's process, by path; standard library and the engine only.

They never import the package: pyperplan and Fast Downward are GPL, and text between two processes is all that
joins them to it. The package imports two of them alone: `server`, for frames and exit codes, and
`unified_objects`, which imports unified-planning when it is asked for objects.
"""

__all__: list[str] = []
