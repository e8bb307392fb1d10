"""The help of a verb with many options, in sections: the common ones first, then a subject each.

A verb takes part with ``cls=Sectioned``. An option that no section names stands in the last one, so a new
option is shown before anybody gives it a place.
"""

from __future__ import annotations

from collections.abc import Mapping

import click

SECTIONS: Mapping[str, tuple[str, ...]] = {
    "Common options": (
        *("scene", "task", "goal", "method", "methods", "tasks", "world", "knows", "reader", "base_url"),
        *("engine", "engines", "timeout", "out", "as_json"),
    ),
    "Scene and goal": ("item", "world_item", "pack", "one_handed", "no_tidy", "compile_form"),
    "Robots": ("export", "tree"),
    "What is compared": (
        *("without", "eyes", "scene_text", "compile_forms", "sealed", "repeats", "limit", "max_expansions"),
    ),
    "Searches of houses": ("drivers", "perception", "reach"),
    "Runs": ("jobs", "scheduler", "changed_program"),
    "Acting": ("policy", "eye", "pictures", "failure", "pace", "trace", "resume"),
    "Reader": ("place", "search", "goal_form", "prompt", "record"),
    "Model": (
        *("profiles", "api", "form", "temperature", "seed", "context", "answer_timeout"),
        *("max_answer_tokens", "max_calls", "max_tokens", "max_seconds"),
    ),
    "Engine": (
        *("engine_command", "commands", "engine_env", "engine_search", "costs", "no_costs", "no_split"),
        *("optimal", "memory"),
    ),
}
"""The options of each section in the order of the help, by the names of their parameters."""
REST = "Other options"


class Sectioned(click.Command):
    """Verb whose help lists its options by sections."""

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        rows: dict[str, tuple[str, str]] = {}
        for option in self.get_params(ctx):
            row = option.get_help_record(ctx) if isinstance(option, click.Option) else None
            if row is not None:
                rows[option.name or ""] = row
        placed = {name for names in SECTIONS.values() for name in names}
        sections = {**SECTIONS, REST: tuple(name for name in rows if name not in placed)}
        for title, names in sections.items():
            if shown := [rows[name] for name in names if name in rows]:
                with formatter.section(title):
                    formatter.write_dl(shown)
