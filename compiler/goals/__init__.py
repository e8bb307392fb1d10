"""Goals: PDDL goal syntax with exact spans, types, and diagnostics against a scene."""
