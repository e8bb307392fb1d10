from .budget import Allowance
from .cassette import RecordedModel, RecordingModel
from .local import LocalModel
from .meter import Meter, MeteredModel, count_tokens
from .model import ChatModel, ChatRequest, Constraint, Message, Reply, ServiceError, Usage
from .openai import OpenAIModel
from .profile import Profile
from .scripted import ScriptedModel
from .secret import Secret

__all__ = [
    "Allowance",
    "ChatModel",
    "ChatRequest",
    "Constraint",
    "LocalModel",
    "Message",
    "Meter",
    "MeteredModel",
    "OpenAIModel",
    "Profile",
    "RecordedModel",
    "RecordingModel",
    "Reply",
    "ScriptedModel",
    "Secret",
    "ServiceError",
    "Usage",
    "count_tokens",
]
