"""Goals asked for in sentences of the pack, for models that cannot write formulas.

The scene comes first as a listing, then which things words of the task may mean, and the task last; before
them come turns of a chat about another building, as examples. An answer that is turned down stays in the
chat, with what was said about it. The texts are ``prompts/sentences-3.md`` and ``sentences-repair-2.md`` with
the pack's notes, ``[sentences]`` and ``[prompt.turns]``: recorded answers are found by them, so another text
is another file.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ...compiler.goals.goal import Goal, GoalSyntaxError, parse_goal
from ...domains.errors import GoalError, clip
from ...domains.formula import Atom, walk
from ...domains.pack import Pack, filled
from ...simulator.belief import Belief, ground
from ...simulator.scene import Scene
from ..reader import History, SceneText, Unreadable, Written
from ..sentences.grammar import sentence_grammar, sentence_schema
from ..sentences.reading import read_answer
from ..sentences.saying import say
from .hints import Offer
from .listing import MOST_TOKENS, listing, name, scene_data
from .prompt import as_data, static
from .prompt_form import OwnPrompt
from .search.name_index import NameIndex
from .servers.model import Constraint, Message
from .thoughts import without_thought

SYSTEM, REPAIR = "sentences-3", "sentences-repair-2"
MAX_MEANT = 6
"""Most things that a word of the task may mean where they are listed with it."""
MAX_WORDS = 8
"""Most words of the task that are listed with what they may mean."""
_MODAL = frozenset(("can", "will"))
"""Words that name a thing and a person, too, and hardly ever mean them when they stand alone."""
_ARGUMENTS = ("X", "Y")
_FACT = re.compile(r"\((?:not )?\(?\w[^()]*\)?\)")
"""A fact or its negation within a text."""
_PLACE = re.compile(r"^\d+:\d+: (?:error|warning)\[[\w.-]+\]: ")
"""Place and code of a finding of the check: the model has written no formula that they could point into."""
_FIX = re.compile(r" \(try (.+)\)$")
_GROUP = re.compile(r" \(exclusive group [\w-]+\)$")


@dataclass(frozen=True, slots=True)
class AnswerLimits:
    """AnswerLimits of an answer: whether it may ask for something missing, and names that it may not say.

    With ``of_run`` a formula may ask something of the whole run.
    """

    may_look: bool = True
    without: tuple[str, ...] = ()
    of_run: bool = False


NO_LIMITS = AnswerLimits()


@dataclass(frozen=True, slots=True)
class SentencePrompts:
    """Requests for goals in sentences of a pack.

    The scene is listed in at most ``most`` tokens; in the form ``sayplan`` it is JSON, never cut. ``own`` are
    prompts of a user.
    """

    pack: Pack
    most: int = MOST_TOKENS
    form: SceneText = "own"
    own: Sequence[OwnPrompt] = ()

    def system(self) -> str:
        """Return the system text. Raises :class:`GoalError` for a pack without sentences."""
        language = self.pack.language
        if language is None or not language.sentences:
            hint = "add a table [sentences] to its language.toml, or leave out --goal-form sentences"
            raise GoalError(f"pack {self.pack.name}", "sentences that ask for facts", "none", hint)
        holes = {str(index): argument for index, argument in enumerate(_ARGUMENTS)}
        shown = " ".join(filled(sentence.text, holes) for sentence in language.patterns)
        notes = "".join(f"- {note}\n" for note in language.notes)
        return filled(static(SYSTEM, self.own), {"sentences": shown, "notes": notes})

    def first(self, task: str, subgraph: Scene) -> tuple[Message, ...]:
        """Return the chat that asks for the goal of a task: examples as turns, then scene and task."""
        messages = [Message("system", self.system())]
        turns = self.pack.language.turns if self.pack.language is not None else None
        scene = "\n".join(turns.scene) if turns is not None else ""
        for request, answer in turns.answers if turns is not None else ():
            messages += [Message("user", _asked(scene, request)), Message("assistant", answer)]
            scene = ""
        as_json = self.form == "sayplan"
        shown = (
            as_data(scene_data(subgraph, form=self.form)) if as_json else listing(subgraph, most=self.most)
        )
        return (*messages, Message("user", _asked(shown, task, words_line(task, subgraph))))

    def again(self, history: History, feedback: Sequence[str]) -> tuple[Message, ...]:
        """Return the chat that asks for another answer; ``feedback`` is about the last attempt."""
        belief = ground(history.subgraph, self.pack)
        offer = Offer(belief, in_sentences=True)
        messages = list(self.first(history.instruction, history.subgraph))
        for attempt in history.attempts:
            tried = attempt.goal
            words = say(tried.formula, belief) if isinstance(tried, Goal) else clip(str(tried), 400)
            about = feedback if attempt is history.attempts[-1] else attempt.feedback
            points = [_in_words(line, belief) for line in about]
            points += [h for h in offer.hints(tried) if not any(h in point for point in points)]
            lines = "\n".join(f"- {as_data(point)}" for point in points)
            turned_down = filled(static(REPAIR, self.own), {"feedback": lines})
            plain = as_data(words)
            if plain != f'"{words}"':  # a name in it could look like a role marker
                words = plain
            messages += [Message("assistant", words), Message("user", turned_down)]
        return tuple(messages)


def words_line(task: str, subgraph: Scene) -> str:
    """Return a line with the things that words of a task may mean, where these are few; empty for none.

    A small model sees a name such as ``orange1`` sooner when it stands beside the word of the task.
    """
    index = NameIndex(subgraph)
    meant = {word: index.fitting(word) for word in index.names_in(task) if word not in _MODAL}
    # One word that only describes ("Peter's", "clean") is as likely about something else.
    clear = {w: index.nearer(f.nodes, task) for w, f in meant.items() if f.named or " " in w}
    few = [(word, nodes) for word, nodes in clear.items() if len(nodes) <= MAX_MEANT and nodes != (word,)]
    hints = (f"{name(word)}: {', '.join(map(name, nodes))}" for word, nodes in few[:MAX_WORDS])
    return "; ".join(hints)


def _in_words(line: str, belief: Belief) -> str:
    """Return feedback with its facts in words: the model has seen no formula."""

    def spoken(match: re.Match[str]) -> str:
        try:
            goal = parse_goal(match.group())
        except GoalSyntaxError:
            return match.group()
        facts = (node for node in walk(goal.formula) if isinstance(node, Atom))
        named = all(fact.predicate in belief.pack.public_predicates() for fact in facts)
        return f"'{say(goal.formula, belief)}'" if named else match.group()

    return _FACT.sub(spoken, _GROUP.sub("", _FIX.sub(r"; try \1", _PLACE.sub("", line))))


def _asked(scene: str, task: str, words: str = "") -> str:
    """Return a request: the scene, if it is another than before, words of the task, and the task itself."""
    meant = f"Words: {words}\n" if words else ""
    return f"{scene}\n\n{meant}Task: {as_data(task)}".lstrip("\n")


def sentence_constraint(subgraph: Scene, pack: Pack, limits: AnswerLimits = NO_LIMITS) -> Constraint:
    """Return the sentences that a subgraph allows, in every form of constraint."""
    belief = cache(lambda: ground(subgraph, pack))
    return Constraint(
        "sentences",
        lambda: sentence_schema(belief(), limits.may_look, limits.without),
        lambda: sentence_grammar(belief(), "lark", limits.may_look, limits.without),
        lambda: sentence_grammar(belief(), "gbnf", limits.may_look, limits.without),
        json_mode=False,
    )


def read_sentence_answer(text: str, pack: Pack) -> Written:
    """Read an answer in sentences, after a thought or in a fence; any other text is unreadable."""
    body = without_thought(text).strip()
    lines = body.splitlines()
    if len(lines) > 2 and lines[0].startswith("```") and lines[-1].strip() == "```":
        body = "\n".join(lines[1:-1]).strip()
    try:
        return read_answer(body, pack)
    except GoalError as error:
        return Unreadable(clip(body, 400), str(error))
