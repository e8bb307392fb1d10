"""Goals and planning problems: parse, check, expand, prune, name, and write as PDDL."""
