"""The readers of a comparison: the model of each, its quantisation and context, and what else was set."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import PurePath

from ...language.chat.servers.local import CONTEXT
from ..bench.results import Results
from .tables import ReportTable, Value, table_of

MODELS = ("openai", "local", "recorded")
SHOWN_SETTINGS = ("temperature", "context", "api", "form", "goal_form", "search", "max_answer_tokens")
"""Settings of a reader that stand beside its name."""
_OPTIONS = re.compile(r"(\s+[a-z-]+=\S+)+$")
"""Options of its own behind the name of a reader."""
_QUANTISED = re.compile(
    r"(?i)(?<![a-z0-9])(I?Q[1-8](?:_[0-9A-Z]+)*|TQ[12]_0|MXFP4(?:_[A-Z]+)*|BF16|F16|F32)(?![a-z0-9])"
)


def readers(results: Results) -> ReportTable | None:
    """Return the readers with a model behind them; ``None`` where there is none."""
    of_models = {name: one for name, one in results.readers.items() if name.partition(":")[0] in MODELS}
    rows = tuple(_line(name, settings) for name, settings in of_models.items())
    columns = ("reader", "model", "quantisation", "context", "settings")
    return table_of("Readers", columns, rows)


def quantisation(model: str) -> str:
    """Return the quantisation that a name of a model or file has in it, nothing without one.

    >>> quantisation("qwen2.5-coder-7b-instruct-q4_k_m.gguf"), quantisation("gpt-4o")
    ('Q4_K_M', '')
    """
    match = _QUANTISED.search(model.removesuffix(".gguf"))
    return match[1].upper() if match else ""


def _line(reader: str, settings: Mapping[str, object]) -> tuple[Value, ...]:
    kind, _, target = _OPTIONS.sub("", reader).partition(":")
    model = target if kind == "openai" else PurePath(target).name
    context = settings.get("context", CONTEXT if kind == "local" else None)
    others = [key for key in SHOWN_SETTINGS if key != "context"]
    plain = (f"{key} {settings[key]}" for key in others if isinstance(settings.get(key), str | int | float))
    tokens = context if isinstance(context, int) else None
    return (reader, model, quantisation(model) or None, tokens, ", ".join(plain))
