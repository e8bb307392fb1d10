"""Class names of other programs, spelt as goals write them: lower case, words joined by underscores.

Node-link, ProcTHOR, Spark-DSG and Stanford's files are read with this spelling, so a change of it changes the
goals that people have written for imported scenes.
"""

from __future__ import annotations

MAX_NAME = 1000
"""Characters of a class, at most; a longer text is no class that a goal would name, and stays as it is."""


def class_name(words: str) -> str:
    """Spell a class as goals do.

    >>> from groundplan.datasets.formats.classes import class_name
    >>> class_name("DiningTable"), class_name("dining table"), class_name("TVStand")
    ('dining_table', 'dining_table', 'tv_stand')
    """
    if len(words) > MAX_NAME:
        return words
    out: list[str] = []
    text = words.strip()
    for index, character in enumerate(text):
        before, after = text[index - 1 : index], text[index + 1 : index + 2]
        starts = character.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if starts and out and out[-1] != "_":
            out.append("_")
        out.append("_" if character.isspace() or character in "-/" else character.lower())
    return "".join(out)
