"""Engines behind one interface, errands, and the pipeline from instruction to verified plan."""
