"""Programs that run in the worker's process, by path; standard library and the engine only.

They never import the package: pyperplan and Fast Downward are GPL, and text between two processes is all that
joins them to it. The package imports `server` alone of them, for frames and exit codes.
"""

__all__: list[str] = []
