"""A job that writes the environment that it has, was started with, and hands to programs of its own."""

import json
import os
import subprocess
import sys
from pathlib import Path


def preload():
    pass


def variables(raw):
    return dict(pair.split("=", 1) for pair in raw.decode().split("\0") if "=" in pair)


def run(request, result):
    started_with = variables(Path("/proc/self/environ").read_bytes())
    dump = "import json, os; print(json.dumps(dict(os.environ)))"
    program = subprocess.run([sys.executable, "-S", "-c", dump], capture_output=True, check=True)
    seen = {"own": dict(os.environ), "started with": started_with, "program": json.loads(program.stdout)}
    with os.fdopen(result, "w") as stream:
        json.dump(seen, stream)
    return 0
