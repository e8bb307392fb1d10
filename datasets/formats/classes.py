"""Class names of other programs, spelt as goals write them: lower case, words joined by underscores.

Node-link, ProcTHOR, Spark-DSG and Stanford's files are read with this spelling, so a change of it changes the
goals that people have written for imported scenes.
"""

from __future__ import annotations


def class_name(words: str) -> str:
    """Spell a class as goals do.

    >>> from groundplan.datasets.formats.classes import class_name
    >>> class_name("DiningTable"), class_name("dining table"), class_name("TVStand")
    ('dining_table', 'dining_table', 'tv_stand')
    """
    out: list[str] = []
    text = words.strip()
    for index, character in enumerate(text):
        before, after = text[index - 1 : index], text[index + 1 : index + 2]
        starts = character.isupper() and (before.islower() or (before.isupper() and after.islower()))
        if starts and out and out[-1] != "_":
            out.append("_")
        out.append("_" if character.isspace() or character in "-/" else character.lower())
    return "".join(out)
