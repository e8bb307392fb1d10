from .advice import Advisor, ModelAdvisor, RoomContents, RoomOpinion, RoomPlan
from .algorithm import SayNav

__all__ = ["Advisor", "ModelAdvisor", "RoomContents", "RoomOpinion", "RoomPlan", "SayNav"]
