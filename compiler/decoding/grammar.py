"""Step 7 of a decoding grammar (steps: ``decoding/__init__.py``): the entry.

A model's answer is constrained to goals over a subgraph, and to ``(missing "words")``, in Lark (llguidance,
and what builds on it: vLLM and SGLang with that backend, OpenAI's custom tools) or GBNF (llama.cpp). A server
that takes JSON schemas alone is asked for a text. The bounds below stand in ``templates`` and ``vocabulary``
and can be changed there, but any change of a grammar's text makes recorded answers (cassettes) unusable. The
forms are those of ``goal.lark``, the names come from the scene.

What is admitted, in canonical spelling (one space between words, no comments): ``and``, ``or`` and
``imply`` up to ``MAX_LEVELS`` (3) deep outside of quantifiers and below the first one, two deep below a
second and one below a third, with at most ``MAX_PARTS`` parts; ``not`` before anything but ``not``;
quantifiers over one variable each, at most three inside each other; counts up to ``MAX_NUMBER``; predicates
over nodes and variables that fit; classes, attributes and ``=`` over variables; ``sometime`` over a literal
without variables, alone or as a part of the outermost ``and``; there, where they are asked for, also the
other forms about the run, over formulas without ``sometime``, and forbidden steps, of each argument a node
that fits, or a variable, which stands for anything and may be in the condition. So every answer ends.

What no form enforces, and the check or the planner answers: contradictions, facts said twice, goals that
are true already, ``not`` of what nothing undoes (``(not (dirty plate))``), things that cannot come together
(an item in itself, a number that other parts of the goal rule out), and whether a variable's class affords
what is asked of it where several are in scope: there only its sort counts.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal

from ...simulator.belief import Belief
from .dialects import GbnfDialect, LarkDialect
from .rules import RuleBuilder
from .vocabulary import vocabulary


def decoding_grammar(
    belief: Belief,
    ids: Iterable[str] | None,
    form: Literal["lark", "gbnf"],
    may_miss: bool = True,
    of_run: bool = False,
) -> str:
    """Write the grammar of answers over a subgraph, over the whole scene where ``ids`` is ``None``.

    Without ``may_miss`` no answer is ``(missing "words")``, where a goal can be written. With ``of_run``
    goals may ask something of the whole run (``always``, ``never``, ``sometime-before`` ..). The same input
    gives the same text.

    >>> from groundplan import ground, load_pack, load_scene
    >>> from groundplan.compiler.decoding import decoding_grammar
    >>> office = ground(load_scene("office"), load_pack())
    >>> grammar = decoding_grammar(office, ["kitchen", "fridge"], "lark")
    >>> '"fridge"' in grammar, '"desk1"' in grammar
    (True, False)
    """
    dialect = LarkDialect() if form == "lark" else GbnfDialect()
    words = vocabulary(belief, ids, of_run)
    return RuleBuilder(words, dialect).build(may_miss, of_run)
