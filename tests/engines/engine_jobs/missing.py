"""A job whose engine is not installed."""

import importlib


def preload():
    importlib.import_module("no_such_planner")


def run(request, result):
    return 0
