"""Scene formats: one module each, found by what is in a file rather than by its name."""
