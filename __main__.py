"""Entry point of `groundplan` and `python -m groundplan`: run the command line, leave with its exit code."""

import sys

from .commands import main as run_command_line


def main() -> None:
    """Run the command line on the process's arguments and exit."""
    sys.exit(run_command_line())


if __name__ == "__main__":
    main()
