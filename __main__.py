"""Entry point of `groundplan` and `python -m groundplan`: run the command line, leave with its exit code.

The one place that catches every error: exit code 1 means that there is no plan, and Python would end with it.
"""

import os
import signal
import sys
from types import FrameType
from typing import NoReturn

CANCELLED = 130
"""The exit code of Ctrl-C."""


def main() -> None:
    """Run the command line on the process's arguments and exit."""
    may_interrupt = signal.getsignal(signal.SIGINT) is signal.default_int_handler  # else a shell has said no
    if may_interrupt:
        signal.signal(signal.SIGINT, _leave)
    from .commands import main as run_command_line
    from .commands.unexpected import report

    interrupted: list[int] = []

    def interrupt(number: int, frame: FrameType | None) -> NoReturn:
        interrupted.append(number)
        raise KeyboardInterrupt

    if may_interrupt:
        signal.signal(signal.SIGINT, interrupt)
    # numpy is used for vectors of 384 numbers. OpenBLAS starts a thread for each core, with memory for each,
    # and interrupts the process as Ctrl-C does where no thread can be started.
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
    _hold_standard_streams()
    try:
        code = run_command_line()
    except KeyboardInterrupt:
        code = CANCELLED
    except Exception as error:  # a module that is interrupted while it is loaded may say so in its own way
        code = CANCELLED if interrupted else report(error)
    if may_interrupt:
        signal.signal(signal.SIGINT, _leave)
    sys.exit(code)


def _leave(number: int, frame: FrameType | None) -> NoReturn:
    """End at once and in silence, while there is nothing to put in order."""
    os._exit(CANCELLED)


def _hold_standard_streams() -> None:
    """Put the null device where a standard stream was closed: a file would get its number."""
    try:
        while (number := os.open(os.devnull, os.O_RDWR)) <= 2:
            os.set_inheritable(number, True)
        os.close(number)
    except OSError:  # no device, or no descriptor is left: whoever needs one says so
        return


if __name__ == "__main__":
    main()
