from .exploration import Explorer, SearchRun, search_house

__all__ = ["Explorer", "SearchRun", "search_house"]
