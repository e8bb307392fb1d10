from .episode import EpisodeTarget, HouseEpisode, SearchEpisode, draw_episode, draw_episodes
from .houses import StoredHouse, read_houses

__all__ = [
    "EpisodeTarget",
    "HouseEpisode",
    "SearchEpisode",
    "StoredHouse",
    "draw_episode",
    "draw_episodes",
    "read_houses",
]
