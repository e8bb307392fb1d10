"""The readers of a comparison: the model of each, its quantisation and context, and what else was set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath

from ...language.chat.servers.local import CONTEXT
from ..bench.gguf import named_quantisation
from ..bench.results import Results
from .tables import ReportTable, Value

MODELS = ("openai", "local", "recorded")
SHOWN_SETTINGS = ("temperature", "context", "api", "form", "goal_form", "search", "max_answer_tokens")
"""Settings of a reader that stand beside its name."""
_OPTIONS = re.compile(r"(\s+[a-z-]+=\S+)+$")
"""Options of its own behind the name of a reader."""


def readers(results: Results) -> ReportTable | None:
    """Return the readers with a model behind them; ``None`` where there is none."""
    of_models = {name: one for name, one in results.readers.items() if name.partition(":")[0] in MODELS}
    rows = tuple(_line(name, settings) for name, settings in of_models.items())
    if not rows:
        return None
    notes = (
        "quantisation: by the metadata of a model file, or by its name; of a model on a server, by its name "
        "alone. context: tokens of prompt and answer together; of a model file that was given none the usual "
        "one of this program; -: what the server allows.",
    )
    columns = ("reader", "model", "quantisation", "context", "settings")
    return ReportTable("Readers", columns, rows, notes)


def _line(reader: str, settings: Mapping[str, object]) -> tuple[Value, ...]:
    kind, _, target = _OPTIONS.sub("", reader).partition(":")
    model = target if kind == "openai" else PurePath(target).name
    stated = settings.get("quantisation")
    quantised = stated if isinstance(stated, str) and stated else named_quantisation(model)
    context = settings.get("context", CONTEXT if kind == "local" else None)
    others = [key for key in SHOWN_SETTINGS if key != "context"]
    plain = (f"{key} {settings[key]}" for key in others if isinstance(settings.get(key), str | int | float))
    return (reader, model, quantised or None, context if isinstance(context, int) else None, ", ".join(plain))
