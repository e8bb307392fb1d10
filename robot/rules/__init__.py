"""Rules in a robot program: guards of its commands, and the memory of a run.

``rule`` is what a program says of them; ``guarding`` computes it, by the facts that ``evidence`` gives.
"""

__all__: list[str] = []
