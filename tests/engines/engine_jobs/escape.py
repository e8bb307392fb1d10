"""A job that starts a program in a session of its own, as unified-planning's engines do, and leaves it."""

import os
import subprocess
import sys
import time


def preload():
    pass


def run(request, result):
    child = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"], start_new_session=True)
    with open(request["note"], "w") as note:
        note.write(f"{os.getpid()} {child.pid}")
    time.sleep(request["linger"])
    return 0
