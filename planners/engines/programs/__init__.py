"""Programs that run in the worker's process, by path; standard library and the engine only."""

__all__: list[str] = []
