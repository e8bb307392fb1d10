"""Draw the pictures of ``docs/gallery.md`` anew by the commands that stand beside them.

    python tools/make_gallery.py

Each section of the page has a picture and its commands. An SVG is what a command draws; a PNG is a screenshot
of a page in headless Chromium, opened as the comment of its command says: ``# open kebab.html#step=9``, with
``in the dark`` and ``at its end`` where it is so. Screenshots need Chromium and pillow (the extra `report`).
"""

from __future__ import annotations

import os
import re
import shlex
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from browser import Browser

ROOT = Path(__file__).resolve().parent.parent
PAGE = ROOT / "docs" / "gallery.md"
WIDTH, HEIGHT = 1250, 820
COLOURS = 96


@dataclass(frozen=True)
class View:
    """A section of the gallery: its picture, the files that it saves first, and its commands."""

    picture: Path
    files: tuple[tuple[str, str], ...]
    commands: tuple[str, ...]

    @property
    def opened(self) -> tuple[str, str, bool, bool]:
        """The page that a screenshot is of, its fragment, whether it is dark and at its end."""
        comments = "\n".join(self.commands)
        (comment,) = re.findall(r"# .*?\bopen (\S+?\.html)(#\S+)?(.*)$", comments, re.M)
        page, fragment, how = comment
        return page, fragment, "in the dark" in how, "at its end" in how


def views() -> list[View]:
    """Return the sections of the gallery, in their order."""
    return list(_views(PAGE.read_text(encoding="utf-8")))


def _views(text: str) -> Iterator[View]:
    for section in re.split(r"^## ", text, flags=re.M)[1:]:
        (picture,) = re.findall(r"\]\((images/[^)]+)\)", section)
        files = re.findall(r"Save this as `([\w.]+)`:\n\n```\w+\n(.*?)```", section, re.S)
        commands = "".join(re.findall(r"```sh\n(.*?)```", section, re.S)).splitlines()
        yield View(PAGE.parent / picture, tuple(files), tuple(commands))


def arguments(command: str) -> list[str]:
    """Return the words of a command after its name; files of the repository are found from anywhere."""
    words = shlex.split(command, comments=True)[1:]
    return [re.sub(r"(^|:)tests/", rf"\1{ROOT}/tests/", word) for word in words]


def exit_code(command: str) -> int:
    """Return the exit code that a comment names; 0 without one."""
    named = re.search(r"# exit code (\d+)", command)
    return int(named[1]) if named else 0


def screenshot(browser: Browser, view: View, folder: Path) -> None:
    """Keep a screenshot of a page as a PNG of few colours."""
    from PIL import Image

    page, fragment, dark, at_its_end = view.opened
    browser.open(f"{(folder / page).as_uri()}{fragment}")
    browser.screenshot(view.picture, WIDTH, HEIGHT, dark)  # gives the page its size
    if at_its_end:
        browser.value("window.scrollTo(0, document.documentElement.scrollHeight)")
    browser.screenshot(view.picture, WIDTH, HEIGHT, dark)
    many = Image.open(view.picture).convert("RGB")
    few = many.quantize(COLOURS, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(view.picture, optimize=True)


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        browser = Browser(folder / "browser")
        for view in views():
            for file, content in view.files:
                (folder / file).write_text(content, encoding="utf-8")
            for command in view.commands:
                run = [sys.executable, "-P", "-m", "groundplan", *arguments(command)]
                done = subprocess.run(run, cwd=folder, env=os.environ, stdout=subprocess.DEVNULL)
                if done.returncode != exit_code(command):
                    raise SystemExit(f"{command}\nended with {done.returncode}")
            view.picture.parent.mkdir(parents=True, exist_ok=True)
            if view.picture.suffix == ".svg":
                view.picture.write_bytes((folder / view.picture.name).read_bytes())
            else:
                screenshot(browser, view, folder)
            sys.stdout.write(f"{view.picture.relative_to(ROOT)}  {view.picture.stat().st_size // 1000} kB\n")
        browser.close()


if __name__ == "__main__":
    main()
