"""BEHAVIOR's activities in BDDL: text, goals and scenes."""
