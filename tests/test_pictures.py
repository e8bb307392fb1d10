"""The pictures of docs/how-it-works.md are those that a run gives today, and the page shows all of them."""

from __future__ import annotations

import re
import xml.etree.ElementTree as ET

from make_pictures import FOLDER, ROOT, pictures


def test_the_pictures_are_those_of_the_run() -> None:
    kept = {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()}
    assert kept == pictures(), "run `python -P tools/make_pictures.py`"


def test_the_page_shows_the_ten_pictures_in_their_order() -> None:
    page = (ROOT / "docs" / "how-it-works.md").read_text(encoding="utf-8")
    shown = re.findall(r"!\[[^\]]+\]\(images/how-it-works/([\w-]+\.svg)\)", page)
    assert shown == sorted(path.name for path in FOLDER.iterdir())
    assert len(shown) == 10


def test_the_words_of_a_picture_are_within_it() -> None:
    for path in sorted(FOLDER.iterdir()):
        root = ET.fromstring(path.read_text(encoding="utf-8"))
        if path.name == "08-routes.svg":  # that of every run: tests/commands/test_drawn.py
            continue
        width, height = map(float, root.attrib["viewBox"].split()[2:])
        for text in root.iter("{http://www.w3.org/2000/svg}text"):
            wide = 7.8 if "code" in text.attrib["class"] and "small" not in text.attrib["class"] else 7
            assert float(text.attrib["x"]) + wide * len(text.text or "") <= width, (path.name, text.text)
            assert float(text.attrib["y"]) <= height - 8, (path.name, text.text)
