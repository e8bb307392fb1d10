from .episode import EpisodeTarget, SearchEpisode, draw_episode, draw_episodes
from .houses import StoredHouse, read_houses

__all__ = [
    "EpisodeTarget",
    "SearchEpisode",
    "StoredHouse",
    "draw_episode",
    "draw_episodes",
    "read_houses",
]
