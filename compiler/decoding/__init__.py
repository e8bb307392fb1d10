"""Decoding grammars: what a language model may write about a scene, as Lark or GBNF.

A grammar restricts each next token of the model. Where its text changes, recorded answers (cassettes) are
unusable, as each keeps the hash of its grammar. The steps, a module each; each needs only those before it:

1. ``arguments``: the arguments of predicates that each node fits, read from the pack
2. ``vocabulary``: the names, classes and sorts of variables that goals over a subgraph may use
3. ``templates``: the forms of formulas, those of ``goal.lark`` that an answer may have
4. ``dialects``: how Lark and GBNF write rules
5. ``terms``: rules for names, variables and declarations
6. ``rules``: rules for formulas, and the grammar as text
7. ``grammar``: the entry, ``decoding_grammar``

``json_form`` reads goals in JSON back as text; ``json_schema`` has the pieces of other answers' schemas.
"""

import lazy_loader

__getattr__, __dir__, __all__ = lazy_loader.attach_stub(__name__, __file__)
