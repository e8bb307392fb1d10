"""Money by a table of prices: worked values, models without a price, and tables at fault."""

from __future__ import annotations

from pathlib import Path

import pytest
from report_rows import results, row

from groundplan.domains.errors import InputError
from groundplan.evaluation.report import report_on
from groundplan.evaluation.report.prices import money, read_prices

TABLE = """
date = 2026-11-01
currency = "USD"
[models."m"]
prompt = 2.5
completion = 10
"""


def prices(tmp_path: Path, text: str = TABLE):
    file = tmp_path / "prices.toml"
    file.write_text(text, encoding="utf-8")
    return read_prices(file)


def test_money_is_tokens_times_prices(tmp_path: Path) -> None:
    """1,000 and 100 tokens: 1000 * 2.5 / 10^6 + 100 * 10 / 10^6 = 0.0035; the server's 2,000 and 0: 0.005."""
    counted = {"calls": 1, "prompt": 1000, "completion": 100, "served_prompt": 0, "served_completion": 0}
    served = counted | {"served_prompt": 2000}
    made = results(row("a", 1, tokens=counted), row("a", 2, False, tokens=served), row("gold", 1, tokens={}))
    table = money(made, prices(tmp_path))
    assert table is not None
    first, gold = table.rows
    assert first[5:] == ("m", pytest.approx(0.00425), pytest.approx(0.0085), pytest.approx(0.0085))
    assert gold[5:] == ("m", None, None, None), "no model was asked"
    assert "2026-11-01" in table.notes[0] and "USD" in table.title
    assert table in report_on(made, prices=prices(tmp_path)).tables
    assert not any("Money" in one.title for one in report_on(made).tables)


def test_a_model_without_a_price_costs_nothing_that_is_known(tmp_path: Path) -> None:
    made = results(row("a", 1, tokens={"prompt": 10, "completion": 1}), reader="openai:other")
    table = money(made, prices(tmp_path))
    assert table is not None and table.rows[0][5:] == ("other", None, None, None)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (("date = 2026-11-01", ""), "date"),
        (("2026-11-01", '"2026-11-01"'), "date"),
        (("2026-11-01", "2026-11-01T10:00:00"), "date"),
        (('"USD"', '"$ <b>"'), "currency"),
        (("2.5", "-1"), "prompt"),
        (("2.5", "nan"), "prompt"),
        (("2.5", "true"), "prompt"),
        (("completion = 10", ""), "completion"),
        (("completion", "output"), "keys"),
        (('[models."m"]', '[model."m"]'), "keys"),
        (("date", "date = ="), "prices.toml"),
    ],
)
def test_a_table_of_prices_is_read_strictly(tmp_path: Path, change: tuple[str, str], words: str) -> None:
    with pytest.raises(InputError, match=words):
        prices(tmp_path, TABLE.replace(*change))
