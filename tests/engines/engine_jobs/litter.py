"""A job that takes memory which it shares, or leaves files where programs leave them."""

import mmap
import os
import tempfile
import time

TAKEN = []


def preload():
    pass


def run(request, result):
    if megabytes := request.get("map"):
        block = mmap.mmap(-1, megabytes << 20)  # shared and in no file
        TAKEN.append(block)
        for start in range(0, megabytes << 20, 4096):
            block[start] = 1
    for _ in range(request.get("forks", 0)):
        if os.fork() == 0:
            if TAKEN:
                sum(TAKEN[0][start] for start in range(0, len(TAKEN[0]), 4096))
            time.sleep(60)
            os._exit(0)
    for number in range(request.get("files", 0)):
        with open(f"file{number}", "wb") as file:
            os.posix_fallocate(file.fileno(), 0, request["size"] << 20)
        time.sleep(0.2)
    if name := request.get("shared"):
        with open(name, "wb") as file:
            file.write(b"x" * 1000)
            os.write(result, name.encode())
            time.sleep(request.get("open", 0))
    if request.get("temporary"):
        number, name = tempfile.mkstemp()
        os.close(number)
        with open("here.txt", "w") as here:
            here.write("x")
        os.write(result, f"{name}\n{os.getcwd()}\n{os.environ['TMPDIR']}".encode())
    time.sleep(request.get("linger", 0))
    return 0
