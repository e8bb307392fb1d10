from .method import Limits, Method, Tools, unsupported
from .registry import METHODS, method_named

__all__ = ["METHODS", "Limits", "Method", "Tools", "method_named", "unsupported"]
