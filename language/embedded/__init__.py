"""The embedded reader: a shallow reader of plain requests that needs no language model."""
