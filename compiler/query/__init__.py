"""Questions about a scene and their answers."""
