"""Generated buildings and tasks."""
