"""Tools of one run of a method, from the name of a reader: reader, model and the similarity of texts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import ExitStack

from ..domains.errors import InputError
from ..domains.pack import Pack
from ..language.chat.servers.model import ChatModel
from ..language.reader import ReaderListener
from ..methods.method import Limits, Method, Tools, actions_of, needs_of
from .readers import MODELS, ModelOptions, Opener, bare_name, reader_named


class Embeddings:
    """Similarity by the embedding model, loaded when it is first asked."""

    def scores(self, query: str, texts: Sequence[str]) -> tuple[float, ...]:
        """Return a number for each text, larger where it is closer to the query."""
        from ..language.english.embedding import load

        return load().scores(query, texts)


def tools_of(
    reader: str,
    pack: Pack,
    options: ModelOptions,
    keep: ExitStack,
    around: Callable[[ChatModel], ChatModel],
    listen: ReaderListener = lambda event: None,
    opened: Opener | None = None,
) -> Tools:
    """Return the reader of a name with the model behind it, which ``around`` gets first.

    Raises as :func:`reader_named` does.
    """
    models: list[ChatModel] = []

    def within(model: ChatModel) -> ChatModel:
        models.append(around(model))
        return models[-1]

    made = reader_named(reader, pack, options, keep, listen, within, opened)
    own = options.prompt or ()
    return Tools(models[0] if models else None, made, similarity=Embeddings(), own_prompts=own)


def limits_of(options: ModelOptions, seconds: float, memory: int, expansions: int | None = None) -> Limits:
    """Return the limits of a run, with those of a model that are given."""
    given = {"calls": options.max_calls, "tokens": options.max_tokens}
    kept = {name: value for name, value in given.items() if value is not None}
    return Limits(seconds, memory, expansions=expansions, answer=options.max_answer_tokens, **kept)


def check_pack(methods: Sequence[Method], pack: Pack) -> None:
    """Refuse methods that can run no task under a pack. Raises :class:`InputError`."""
    for method in methods:
        actions = actions_of(method)
        if actions is not None and not actions.are_in(pack):
            expected = f"the actions that {method.name} plans in"
            raise InputError(f"pack {pack.name}", expected, "others", f"give --pack {actions.pack}")


def check_models(methods: Sequence[Method], reader: str) -> None:
    """Refuse methods that ask a chat model, where a reader has none. Raises :class:`InputError`."""
    asking = [method.name for method in methods if needs_of(method) == "model"]
    if asking and bare_name(reader).partition(":")[0] not in MODELS:
        hint = "give --reader openai:MODEL with --base-url URL, local:FILE or recorded:FILE"
        raise InputError(f"reader {reader}", f"a chat model, which {', '.join(asking)} asks", "none", hint)
