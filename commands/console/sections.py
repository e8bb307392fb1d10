"""The help of a verb with many options, in sections: the scene, the reader, the model, the engine, results.

A verb takes part with ``cls=Sectioned``. An option that no section names stands in the last one, so a new
option is shown before anybody gives it a place.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "What to do": ("goal", "scene", "task", "item", "world", "world_item", "pack", "one_handed", "no_tidy"),
    "What is compared": (
        *("methods", "tasks", "engines", "prompts", "without", "scene_text", "sealed", "repeats"),
        *("limit", "max_expansions", "jobs", "scheduler", "changed_program"),
    ),
    "Acting": ("knows", "policy", "failure", "pace"),
    "Reader": ("reader", "place", "search", "goal_form", "votes", "vote", "choose", "record"),
    "Model": (
        *("base_url", "profiles", "api", "form", "temperature", "seed", "context", "answer_timeout"),
        *("max_answer_tokens", "max_calls", "max_tokens", "max_seconds"),
    ),
    "Engine": (
        *("engine", "engine_command", "engine_env", "engine_search", "costs", "no_split", "optimal"),
        *("timeout", "memory"),
    ),
}
"""The options of each section, by the names of their parameters."""
REST = "Results and help"


class Sectioned(click.Command):
    """Verb whose help lists its options by sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        section_of = {name: title for title, names in SECTIONS.items() for name in names}
        rows: dict[str, list[tuple[str, str]]] = {title: [] for title in (*SECTIONS, REST)}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if row is not None:
                rows[section_of.get(option.name or "", REST)].append(row)
        for title, some in rows.items():
            if some:
                with formatter.section(title):
                    formatter.write_dl(some)
