"""Scenes and tasks with their gold goals, as data."""
