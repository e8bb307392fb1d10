"""Comparison of goals: whether one asks for less than another."""
