"""Decoding grammars: what a model may write about a scene, as Lark, GBNF and JSON schema."""
