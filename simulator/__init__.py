"""The scene graph, its views and routes, the world's state and dynamics, and the verification of plans."""
