"""A job that starts processes which start processes, each in a session of its own, and a chain of heirs.

Bounded: `width` + `width`^2 + ... to the given depth, and so many heirs, of which one lives at a time.
"""

import os
import time


def preload():
    pass


def run(request, result):
    note = os.open(request["note"], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
    if os.fork() == 0:
        inherit(note, request["heirs"])
    spread(note, request["width"], request["depth"])
    time.sleep(request["linger"])
    return 0


def spread(note, width, depth):
    for _ in range(width):
        if os.fork() == 0:
            os.setsid()
            os.write(note, f"{os.getpid()} ".encode())
            if depth > 1:
                spread(note, width, depth - 1)
            time.sleep(60)
            os._exit(0)


def inherit(note, heirs):
    os.setsid()
    for _ in range(heirs):
        if os.fork() != 0:
            os._exit(0)
        os.write(note, f"{os.getpid()} ".encode())
        time.sleep(0.002)
    os._exit(0)
