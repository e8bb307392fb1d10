"""Entry point of `groundplan` and `python -m groundplan`: run the command line, leave with its exit code.

The one place that catches every error: exit code 1 means that there is no plan, and Python would end with it.
"""

import sys

from .commands import main as run_command_line
from .commands.unexpected import report


def main() -> None:
    """Run the command line on the process's arguments and exit."""
    try:
        code = run_command_line()
    except Exception as error:
        code = report(error)
    sys.exit(code)


if __name__ == "__main__":
    main()
