"""The documents as a site: made without a warning, and nothing is loaded where it is read."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest
from browser import CHROMIUM, Browser

ROOT = Path(__file__).resolve().parent.parent
ENTRIES = ("planning", "goals", "comparing", "robot")


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of the site, made as `make docs` makes it."""
    pytest.importorskip("sphinx")
    (command,) = re.findall(
        r"-m (sphinx .+) dist/docs$", (ROOT / "Makefile").read_text(encoding="utf-8"), re.M
    )
    folder = tmp_path_factory.mktemp("site")
    made = subprocess.run(
        [sys.executable, "-P", "-m", *command.split(), str(folder)], cwd=ROOT, capture_output=True, text=True
    )
    assert made.returncode == 0 and made.stderr == "", made.stderr
    return folder


@pytest.mark.slow
def test_every_document_has_a_page_and_every_link_of_a_page_leads_to_something(site: Path) -> None:
    pages = {page.relative_to(site).as_posix() for page in site.rglob("*.html")}
    sources = [p for p in (ROOT / "docs").rglob("*.md")]
    assert {p.relative_to(ROOT).with_suffix(".html").as_posix() for p in sources} <= pages
    anchors = {page: set(re.findall(r' id="([^"]+)"', (site / page).read_text("utf-8"))) for page in pages}
    lost = []
    for page in sorted(pages):
        for link in set(re.findall(r'(?:href|src)="([^"]+)"', (site / page).read_text("utf-8"))):
            if re.match(r"https?:|mailto:|data:", link):
                continue
            file, _, anchor = link.partition("#")
            target = (site / page).parent / file.partition("?")[0] if file else site / page
            name = target.resolve().relative_to(site.resolve()).as_posix()
            if not target.exists() or (anchor and name in anchors and anchor not in anchors[name]):
                lost.append((page, link))
    assert lost == []


@pytest.mark.slow
def test_the_start_page_leads_to_an_entry_page_of_each_kind_of_user(site: Path) -> None:
    start = (site / "docs" / "index.html").read_text("utf-8")
    article = start.partition("<article")[2].partition("</table>")[0]
    assert re.findall(r'href="start/(\w+)\.html"', article) == list(ENTRIES)


@pytest.mark.slow
@pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed")
def test_a_reader_of_the_site_loads_nothing_from_elsewhere(site: Path, tmp_path: Path) -> None:
    browser = Browser(tmp_path)
    try:
        for page in ("index.html", "docs/gallery.html", "docs/api.html", "search.html?q=certificate"):
            browser.requests.clear()
            browser.open(f"{site.as_uri()}/{page}")
            assert [r for r in browser.requests if not r.startswith(("file:", "about:", "data:"))] == []
        assert browser.complaints == []
    finally:
        browser.close()
