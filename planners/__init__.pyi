from .classical import plan_goal
from .request import Request
from .tidy import NotPutBack, Tidied, put_back

__all__ = [
    "NotPutBack",
    "Request",
    "Tidied",
    "plan_goal",
    "put_back",
]
