"""Settings of the documents as a site: ``make docs``.

The Markdown files are the source, read where they are: the repository is the source folder, so links between
documents, pictures and files are the same here and in any viewer of Markdown. What is added: a sidebar, made
of the lists in ``index.md``; files that are no documents, as downloads; and the list of all decisions.
"""

from __future__ import annotations

import os
import re
from pathlib import Path

from sphinx import addnodes
from sphinx.application import Sphinx
from sphinx.transforms import SphinxTransform

ROOT = Path(__file__).resolve().parent.parent
INDEX = "docs/index"
LINK = re.compile(r"\]\(([^)#:\s]+\.md)(?:#[^)]*)?\)")
"""A link to a document, with or without a heading of it."""

project = "groundplan"
copyright = "groundplan contributors, Apache License 2.0"
(release,) = re.findall(r'^__version__ = "(.+)"', (ROOT / "__init__.py").read_text(encoding="utf-8"), re.M)
version = release
extensions = ["myst_parser"]
root_doc = INDEX
source_suffix = {".md": "markdown"}
include_patterns = ["docs/**.md", "examples/README.md", "*.md"]
exclude_patterns = [
    *sorted(p.name for p in ROOT.iterdir() if p.is_dir() and p.name not in ("docs", "examples")),
    "docs/images",
]
myst_heading_anchors = 4
myst_links_external_new_tab = False
nitpicky = True

html_theme = "furo"
html_title = f"groundplan {release}"
html_copy_source = False
html_show_sphinx = False
html_theme_options = {"footer_icons": []}
html_domain_indices = False
html_use_index = False
# Summaries would be fetched, which a browser refuses to a file.
html_show_search_summary = False


def add_contents(app: Sphinx, docname: str, source: list[str]) -> None:
    """Add to the index the sidebar that follows from its lists, and to the decisions a list of them."""
    if docname == "docs/decisions/README":
        source[0] += toctree(["[0-9]*"], ":glob:", ":titlesonly:")
    elif docname == INDEX:
        _, *parts = re.split(r"^## (.+)$", source[0], flags=re.M)
        listed: set[str] = set()
        for heading, lists in zip(parts[::2], parts[1::2], strict=True):
            documents = [link for link in dict.fromkeys(LINK.findall(lists)) if link not in listed]
            listed.update(documents)
            if documents:
                source[0] += toctree(documents, ":hidden:", f":caption: {heading}")


def toctree(entries: list[str], *options: str) -> str:
    return "\n".join(["\n\n```{toctree}", *options, "", *entries, "```\n"])


class LinksBeyondDocuments(SphinxTransform):
    """Links to Markdown that is no document become downloads; links to folders are their names."""

    default_priority = 5

    def apply(self, **kwargs: object) -> None:
        here = Path(self.env.doc2path(self.env.docname)).parent
        for link in list(self.document.findall(addnodes.pending_xref)):
            if link["refdomain"] == "doc":
                target = Path(self.env.doc2path(link["reftarget"]))
                if target.is_file() and link["reftarget"] not in self.env.found_docs:
                    where = os.path.relpath(target, here)
                    link.replace_self(addnodes.download_reference("", "", *link.children, reftarget=where))
            elif (here / link["reftarget"]).is_dir():
                link.replace_self(link.children)


def add_start(app: Sphinx, exception: Exception | None) -> None:
    """Write the page at the top of the site, which leads to the index."""
    if exception is None:
        to, head = "docs/index.html", '<!DOCTYPE html><meta charset="utf-8"><title>groundplan</title>'
        page = f'{head}<meta http-equiv="refresh" content="0; url={to}"><a href="{to}">Documents</a>'
        (Path(app.outdir) / "index.html").write_text(page, encoding="utf-8")


def setup(app: Sphinx) -> dict[str, object]:
    app.connect("source-read", add_contents)
    app.connect("build-finished", add_start)
    app.add_transform(LinksBeyondDocuments)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
