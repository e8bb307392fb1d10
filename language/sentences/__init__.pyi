from .saying import say

__all__ = ["say"]
