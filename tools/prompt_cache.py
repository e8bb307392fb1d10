"""Tokens that a model file reads anew in each request of some tasks, with and without prompts kept in memory.

Run it: ``python tools/prompt_cache.py model.gguf``. What is kept does not depend on the model: a small one
will do. A run sends the rooms and then a scene, again and again, and every request begins like the one before
the last.
"""

from __future__ import annotations

import json
import sys
import urllib.request
from contextlib import closing
from pathlib import Path

from groundplan.datasets.library import find_task
from groundplan.domains.pack import load_pack
from groundplan.language.chat.reader import ModelReader
from groundplan.language.chat.servers import local
from groundplan.language.chat.servers.budget import Allowance
from groundplan.language.chat.servers.model import ChatRequest, Reply, Usage
from groundplan.language.chat.servers.requests import completion
from groundplan.simulator.view import View

TASKS = tuple(f"office-planning-simple-{n}" for n in ("02", "13"))


class Counted:
    """A served file that notes, of every request, its tokens and how many of them were read anew."""

    def __init__(self, served: local.LocalModel) -> None:
        self.served = served
        self.name = served.name
        self.read: list[tuple[str, int, int]] = []

    def ask(self, request: ChatRequest) -> Reply:
        body = completion(request, "gbnf", self.served.profile, ("stream",))
        extra = body.pop("extra_body", {})
        url = f"{self.served.profile.base_url}/chat/completions"
        data = json.dumps({**body, **extra, "stream": False}).encode()
        sent = urllib.request.Request(url, data, {"Content-Type": "application/json"})
        with urllib.request.urlopen(sent) as answer:
            told = json.load(answer)
        kept, new = told["timings"]["cache_n"], told["timings"]["prompt_n"]
        self.read.append((request.purpose, kept + new, new))
        return Reply(told["choices"][0]["message"]["content"], "gbnf", Usage(kept + new, 0))


def read_anew(path: Path, kept: int) -> list[tuple[str, int, int]]:
    """Return purpose, tokens and new tokens of every request, with so many megabytes for prompts."""
    local.KEPT_PROMPTS = kept
    with closing(local.LocalModel.serve(path, Allowance(seconds=3600), threads_used=(1, 1))) as served:
        model = Counted(served)
        for name in TASKS:
            task = find_task(name)
            reader = ModelReader(model, load_pack(), search_protocol="naming", goal_form="sentences")
            found = reader.search(task.instruction, View.first(task.load()))
            reader.write(task.instruction, found.scene)
    return model.read


if __name__ == "__main__":
    for megabytes in (local.KEPT_PROMPTS, 0):
        rows = read_anew(Path(sys.argv[1]), megabytes)
        print(f"{megabytes} MB for prompts:", *(f"{p} {new} of {n}" for p, n, new in rows), sep="\n  ")
        later = rows[2:]
        print(f"  after the first task: {sum(r[2] for r in later) / len(later):.0f} a request")
