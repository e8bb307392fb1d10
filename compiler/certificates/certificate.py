"""Certificates of unsolvability as values and as JSON.

A certificate says which facts no action ever adds and which none ever deletes, and for a closed set of states
which facts it looks at. The JSON form is versioned and read within bounds; what it claims is judged by
``checker`` alone.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass

from ...domains.errors import GroundplanError, InputError, clip
from ...domains.formula import Atom, GroundAtom, Var
from ...simulator.belief import Belief

Pattern = tuple[str, tuple[str | None, ...]]
"""A predicate with arguments; ``None`` stands for anything."""

FORMAT, VERSION = "groundplan-certificate", 1
KINDS = ("facts", "exclusive", "states")
MAX_BYTES = 64 * 1024 * 1024
"""Largest file of a certificate."""
MAX_STATEMENTS = 200_000
"""Most statements of a certificate."""


class Refused(GroundplanError):
    """Certificate that proves nothing: the statement that does not hold."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A proof that no plan reaches a goal, for :func:`check_certificate` to recheck.

    ``added`` are patterns of facts that no action ever makes true, ``deleted`` facts of the initial state
    that none makes false. ``kept`` are the facts of the states of a closed set. ``scene`` and ``pack`` are
    the hashes of scene and pack, ``goal`` is the goal as text.
    """

    kind: str
    goal: str
    scene: str
    pack: str
    added: tuple[Pattern, ...] = ()
    deleted: tuple[GroundAtom, ...] = ()
    kept: tuple[GroundAtom, ...] = ()

    def as_json(self) -> dict[str, object]:
        return {
            "format": FORMAT,
            "version": VERSION,
            "kind": self.kind,
            "goal": self.goal,
            "scene": self.scene,
            "pack": self.pack,
            "never_added": [[p, *args] for p, args in self.added],
            "never_deleted": [[a.predicate, *a.args] for a in self.deleted],
            "facts": [[a.predicate, *a.args] for a in self.kept],
        }

    @property
    def hash(self) -> str:
        """SHA-256 of the canonical JSON."""
        text = json.dumps(self.as_json(), sort_keys=True, ensure_ascii=True, separators=(",", ":"))
        return hashlib.sha256(text.encode()).hexdigest()


def certificate_from_json(raw: object, belief: Belief, where: str = "certificate") -> Certificate:
    """Read a certificate. Raises :class:`InputError` with the place, the expected and the given value."""
    if not isinstance(raw, dict) or raw.get("format") != FORMAT or raw.get("version") != VERSION:
        got = raw.get("format") if isinstance(raw, dict) else raw
        raise InputError(where, f"{FORMAT}, version {VERSION}", _short(got))
    kind = raw.get("kind")
    if kind not in KINDS:
        raise InputError(f"{where}: kind", ", ".join(KINDS), _short(kind))
    texts = {key: raw.get(key) for key in ("goal", "scene", "pack")}
    for key, value in texts.items():
        if not isinstance(value, str):
            raise InputError(f"{where}: {key}", "a text", _short(value))
    added = _patterns(raw, "never_added", belief, where)
    deleted, kept = (_atoms(raw, key, belief, where) for key in ("never_deleted", "facts"))
    return Certificate(
        str(kind), **{k: str(v) for k, v in texts.items()}, added=added, deleted=deleted, kept=kept
    )


def _patterns(raw: Mapping[str, object], key: str, belief: Belief, where: str) -> tuple[Pattern, ...]:
    rows, at = raw.get(key), f"{where}: {key}"
    if not isinstance(rows, list) or len(rows) > MAX_STATEMENTS:
        raise InputError(at, f"a list of at most {MAX_STATEMENTS} facts", _short(rows))
    patterns: list[Pattern] = []
    predicates, nodes, fluents = belief.pack.domain.predicates, belief.scene.nodes, belief.pack.fluents
    for row in rows:
        if not isinstance(row, list) or not row or not isinstance(row[0], str) or row[0] not in fluents:
            raise InputError(at, "predicates that actions change, with arguments", _short(row))
        args = tuple(row[1:])
        if len(args) != predicates[row[0]].arity:
            raise InputError(at, f"{predicates[row[0]].arity} arguments for {row[0]}", _short(row))
        for arg in args:
            if arg is not None and (not isinstance(arg, str) or arg not in nodes):
                raise InputError(at, "names of the scene's nodes, or null for anything", _short(arg))
        patterns.append((row[0], args))
    return tuple(patterns)


def _atoms(raw: Mapping[str, object], key: str, belief: Belief, where: str) -> tuple[GroundAtom, ...]:
    atoms = [
        Atom(p, tuple(a for a in args if a is not None)) for p, args in _patterns(raw, key, belief, where)
    ]
    if any(len(a.args) < belief.pack.domain.predicates[a.predicate].arity for a in atoms):
        raise InputError(f"{where}: {key}", "facts without null", "null")
    return tuple(atoms)


def written(pattern: Pattern) -> str:
    """Return a pattern as an atom, with variables for what stands for anything."""
    letters = iter("abcdefgh")
    return str(Atom(pattern[0], tuple(Var(next(letters)) if a is None else a for a in pattern[1])))


def _short(value: object) -> str:
    """Return a value for a message; of what may be deep or large, its type alone."""
    if value is None:
        return "null"
    return clip(str(value)) if isinstance(value, str | int | float) else f"a {type(value).__name__}"
