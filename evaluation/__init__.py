"""Runners, metrics and tables over task sets."""
