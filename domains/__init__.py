"""The language of the world: formulas, action schemas, plans, diagnostics, and the domain packs as data."""
