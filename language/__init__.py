"""The model edge: readers that turn an instruction into a goal."""
