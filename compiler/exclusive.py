"""Facts that cannot be true together, as a goal's check needs them; the rule itself belongs to the packs."""

from ..domains.exclusive import Clash, clash, consistent

__all__ = ["Clash", "clash", "consistent"]
