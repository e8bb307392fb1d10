"""A job that never ends."""

import time


def preload():
    pass


def run(request, result):
    while True:
        time.sleep(60)
