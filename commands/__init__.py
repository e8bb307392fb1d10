"""The command line, one module a verb; `main` runs it and returns the exit code.

Imports here stay small, because every `groundplan --help` pays for them.
"""

from collections.abc import Sequence

import click

from .. import __version__

__all__ = ["cli", "main"]


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="groundplan")
def cli() -> None:
    """Turn an instruction and a 3D scene graph into a verified robot plan."""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line on `arguments` (default: the process's own) and return the exit code."""
    try:
        code = cli.main(args=arguments, prog_name="groundplan", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return error.exit_code
    except click.Abort:
        return 130
    return code if isinstance(code, int) else 0
