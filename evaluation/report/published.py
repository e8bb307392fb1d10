"""Figures that papers published, as they printed them, with what looks wrong in them said.

They stand beside measured figures for comparison and are never mixed with them. Sources: SayPlan (Rana et
al., CoRL 2023, arXiv 2307.06135), tables 1 to 3. Shares are in per cent, as printed.
"""

from __future__ import annotations

from dataclasses import dataclass

SAYPLAN = "SayPlan, Rana et al. 2023"


@dataclass(frozen=True, slots=True)
class PublishedTable:
    """A printed table, for the task sets that it is about; ``flags`` say what cannot be right in it."""

    source: str
    title: str
    sets: tuple[str, ...]
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    flags: tuple[str, ...] = ()


PUBLISHED: tuple[PublishedTable, ...] = (
    PublishedTable(
        SAYPLAN,
        "Table 1: semantic search, success in per cent",
        ("office-search-simple", "office-search-complex", "home-search-simple", "home-search-complex"),
        ("task", "Human", "SayPlan (GPT-3.5)", "SayPlan (GPT-4)"),
        (("simple", "100", "6.6", "86.7"), ("complex", "100", "0.0", "73.3")),
        ("Success was judged by people.",),
    ),
    PublishedTable(
        SAYPLAN,
        "Table 3: planning, in per cent (correct was judged by people)",
        ("office-planning-simple", "office-planning-long"),
        ("method", "simple correct", "simple executable", "long correct", "long executable"),
        (
            ("LLM+P", "93.3", "13.3", "33.3", "0.0"),
            ("LLM-As-Planner", "93.3", "80.0", "66.7", "13.3"),
            ("SayPlan", "93.3", "100.0", "73.3", "86.6"),
        ),
        (
            "The rows of LLM+P and LLM-As-Planner are probably swapped: the table of errors and section 5.2 "
            "give LLM-As-Planner 60 % of missing poses, which does not go with 80 % executable.",
            "86.6 is 13 of 15 cut off; the same share is 86.7 in table 1.",
        ),
    ),
    PublishedTable(
        SAYPLAN,
        "Table 3: errors in planning, in per cent of tasks (a task may have several)",
        ("office-planning-simple", "office-planning-long"),
        (
            "method",
            "missing action",
            "missing pose",
            "wrong action",
            "incomplete search",
            "hallucinated nodes",
        ),
        (
            ("LLM+P", "26.7", "0.0", "10.0", "3.33", "10.0"),
            ("LLM-As-Planner", "20.0", "60.0", "0.17", "0.03", "10.0"),
            ("SayPlan", "0.0", "0.0", "0.0", "0.0", "6.67"),
        ),
        ("0.17 and 0.03 are fractions among per cents: 5 and 1 of 30 tasks, 16.7 % and 3.3 %.",),
    ),
)
"""Tables by source, in the order of the papers."""
