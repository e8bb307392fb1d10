"""The help of the command line and what a terminal shows: groups, sections, stages and narrow tables."""

import re

import pytest
from click.testing import CliRunner

from groundplan.commands import GROUPS, VERBS, cli
from groundplan.commands.console import terminal
from groundplan.commands.console.sections import REST, SECTIONS


def help_of(*verbs):
    shown = CliRunner().invoke(cli, [*verbs, "--help"])
    assert shown.exit_code == 0
    return shown.output


def test_verbs_are_listed_by_what_they_are_used_for():
    lines = help_of().splitlines()
    titles = [lines.index(f"{title}:") for title in GROUPS]
    assert titles == sorted(titles)
    verbs = [match[1] for line in lines if (match := re.match(r"  ([a-z][a-z-]+)  ", line))]
    assert verbs == list(VERBS), "each verb stands in one group"


@pytest.mark.parametrize("verb", ["plan", "run", "bench"])
def test_common_options_come_first_and_each_option_stands_in_one_section(verb):
    _, _, listed = help_of(verb).partition("\nCommon options:")
    titles = ["Common options", *re.findall(r"^(\S.*):$", listed, re.MULTILINE)]
    assert titles[-1] == REST
    assert titles == [title for title in (*SECTIONS, REST) if title in titles]
    placed = [name for names in SECTIONS.values() for name in names]
    assert len(placed) == len(set(placed))
    options = cli.get_command(None, verb).params
    flags = [o.opts[-1] for o in options if o.param_type_name == "option" and not o.hidden]
    shown = re.findall(r"^  (--[a-z-]+)", listed, re.MULTILINE)
    assert sorted(shown) == sorted(flags)


def test_every_option_that_a_section_names_belongs_to_a_verb():
    names = {option.name for verb in VERBS for option in cli.get_command(None, verb).params}
    assert {name for section in SECTIONS.values() for name in section} <= names


class Narrow(terminal.Screen):
    def __init__(self, columns):
        super().__init__()
        self.terminal, self.console.width = True, columns


ROWS = [
    ("fast-downward-opt", "1.0.0", "negation and quantifiers, optimal"),
    ("kairos", "1.0.6", "first plan"),
]


def test_the_last_cell_of_a_row_stands_below_the_others_where_a_terminal_is_too_narrow(capsys):
    Narrow(40).rows(ROWS)
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["fast-downward-opt", "1.0.0"] and lines[1].startswith("    negation")
    Narrow(60).rows(ROWS)
    assert capsys.readouterr().out.splitlines()[0].split()[:3] == ["fast-downward-opt", "1.0.0", "negation"]


def test_a_spinner_says_the_stage_and_its_seconds(monkeypatch):
    now = 100.0
    monkeypatch.setattr(terminal, "monotonic", lambda: now)
    screen = Narrow(40)
    screen.console._force_terminal = True
    with screen.busy("searching"):
        now = 112.4
        screen.progress("planning " + "x" * 60, [("  ", "kitchen")])
        shown = "".join(part.text for part in screen.console.render(screen._status.renderable.text))
    first, second, *_ = shown.splitlines()
    assert first.endswith("12 s") and first.startswith("planning") and len(first) <= 38
    assert "kitchen" in second


def test_an_error_is_folded_between_words_on_a_terminal_and_one_line_elsewhere(monkeypatch) -> None:
    from groundplan import commands

    text = "Error: " + "a word of " * 20 + "the end\n  ^ here, where nothing is folded" + " x" * 60 + "\n"
    assert commands._folded(text) == text
    monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
    monkeypatch.setenv("COLUMNS", "40")
    lines = commands._folded(text).split("\n")
    assert max(map(len, lines[:-2])) <= 40 and lines[-2].startswith("  ^ here") and len(lines[-2]) > 80
    assert " ".join(" ".join(lines[:-2]).split()) == " ".join(text.split("\n")[0].split())
