"""The readers by name. A reader's module is loaded when its name is asked for."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from ..domains.errors import InputError, clip, did_you_mean
from ..domains.pack import Pack
from ..language.reader import Reader


def _embedded(pack: Pack) -> Reader:
    from ..language.embedded import EmbeddedReader  # a goal from the command line needs no reader

    return EmbeddedReader(pack=pack)


READERS: Mapping[str, Callable[[Pack], Reader]] = {"embedded": _embedded}
DEFAULT = "embedded"


def reader_named(name: str, pack: Pack) -> Reader:
    """The reader of a name. Raises :class:`InputError` with the nearest names."""
    if name not in READERS:
        hint = did_you_mean(name, READERS) or f"readers are {', '.join(READERS)}"
        raise InputError("reader", "the name of a reader", repr(clip(name)), hint)
    return READERS[name](pack)
