"""Prices of models from a table that the user gives, and what the runs of a comparison cost by it.

No prices come with the package: they change, and differ by contract. A table is a TOML file with a date, a
currency and, for each model by the name that the reader has it under, prices for a million tokens::

    date = 2026-11-01
    currency = "USD"

    [models."gpt-4o-2024-08-06"]
    prompt = 2.5
    completion = 10.0

Tokens are those that the server reported, where it reported any for a run, since they are what is billed, and
otherwise those of the count by ``cl100k_base``. A model that the table does not have costs ``None``, never 0.
"""

from __future__ import annotations

import datetime
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from statistics import fmean

from ...domains.errors import InputError, clip
from ...domains.files import number, parse_toml, read_text
from ..bench.results import Results, RunRow
from .tables import HEAD, ReportTable, Value, graded, table_of

MAX_BYTES = 2**20
"""Most bytes of a table of prices."""
MILLION = 1_000_000


@dataclass(frozen=True, slots=True)
class Price:
    """Price of a model for a million tokens."""

    prompt: float
    completion: float


@dataclass(frozen=True)
class PriceTable:
    """Prices of models on a date, in one currency."""

    date: str
    currency: str
    models: Mapping[str, Price]

    def cost(self, row: RunRow, model: str) -> float | None:
        """Return what the model of a run cost; ``None`` where the table does not have it."""
        price = self.models.get(model)
        if price is None:
            return None
        served = _count(row, "served_prompt") + _count(row, "served_completion") > 0
        prefix = "served_" if served else ""
        prompt, completion = _count(row, f"{prefix}prompt"), _count(row, f"{prefix}completion")
        return (prompt * price.prompt + completion * price.completion) / MILLION


def read_prices(path: Path) -> PriceTable:
    """Read a table of prices. Raises :class:`InputError` naming the key that is not as it should be."""
    where = str(path)
    raw = parse_toml(read_text(path, MAX_BYTES), where)
    _only(raw, ("date", "currency", "models"), where)
    date, currency, models = raw.get("date"), raw.get("currency"), raw.get("models")
    if type(date) is not datetime.date:
        raise InputError(f"{where}: date", "the day of the prices, like 2026-11-01", clip(date))
    if not isinstance(currency, str) or not currency.isalpha() or len(currency) > 8:
        raise InputError(f"{where}: currency", 'a short name, like "USD"', clip(currency))
    if not isinstance(models, dict) or not models:
        raise InputError(f"{where}: models", "a table for each model", clip(models))
    return PriceTable(
        date.isoformat(),
        currency,
        {name: _price(one, f"{where}: models.{clip(name)}") for name, one in models.items()},
    )


def _price(raw: object, where: str) -> Price:
    if not isinstance(raw, dict):
        raise InputError(where, "prices of prompt and completion", clip(raw))
    _only(raw, ("prompt", "completion"), where)
    return Price(_amount(raw, "prompt", where), _amount(raw, "completion", where))


def _only(raw: Mapping[str, object], keys: tuple[str, ...], where: str) -> None:
    for key in raw:
        if key not in keys:
            raise InputError(where, f"the keys {', '.join(keys)}", clip(key))


def _amount(raw: Mapping[str, object], key: str, where: str) -> float:
    value = number(raw.get(key))
    if value is not None and 0 <= value < math.inf:
        return float(value)
    raise InputError(f"{where}.{key}", "a price for a million tokens, 0 or more", clip(raw.get(key)))


def money(results: Results, prices: PriceTable) -> ReportTable | None:
    """Return what a run of each method cost, and all of its runs."""
    rows: list[tuple[Value, ...]] = []
    for line in graded(results):
        model = line.system.reader.partition(" ")[0].partition(":")[2]
        paid = [row for row in line.rows if row.total_tokens]
        costs = [cost for row in paid if (cost := prices.cost(row, model)) is not None]
        right = sum(row.succeeded for row in line.rows)
        total = sum(costs) if costs and len(costs) == len(paid) else None
        mean = fmean([*costs, *[0.0] * (len(line.rows) - len(paid))]) if total is not None else None
        each = total / right if total is not None and right else None
        rows.append((*line.head, model or None, mean, total, each))
    columns = (*HEAD, "model", "a run", "all runs", "a success")
    table = table_of("Money", columns, rows, currency=prices.currency, date=prices.date)
    return None if table is None else replace(table, title=f"Money ({prices.currency})")


def _count(row: RunRow, key: str) -> int:
    return int(number(row.tokens.get(key)) or 0)
