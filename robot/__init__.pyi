from .program import Program, Skill, translate

__all__ = ["Program", "Skill", "translate"]
