"""Taskography's PDDL problems."""
