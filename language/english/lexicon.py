"""Words of English that the reader has before it sees a scene: closed classes, and verbs by sense.

Closed classes (articles, prepositions, pronouns, auxiliaries) are meant to be complete, as these do not grow.
Verbs are listed by what a robot would do, and one may be added under its sense; a new sense needs a function
in ``verbs.py`` and perhaps a reader in ``verb_rules.py``. A request with any other verb is declined, but for
a few that ``verb_rules.py`` names.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

from .words import lemma


def _set(text: str) -> frozenset[str]:
    return frozenset(text.split())


DETERMINERS = _set(
    "the a an this that these those my our your his her their its some any every each all both another"
    " one two three four five six seven eight nine ten"
    " eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
)
SUBJECTS = _set("i we you he she they someone somebody anyone anybody everyone everybody there one who")
OBJECTS = _set("it them this that these those they")
PERSONS = _set("me him her us myself here")
MODALS = _set("can could will would shall should may might must ought")
BE = _set("is are was were be been being am")
HAVE = _set("has have had having")
DO = _set("do does did doing done")
UNREAD = "unread"
"""Word, and base of a chunk, in the place of words that no rule reads: its clause is declined."""
NEGATIVES = _set(
    "not no never always only nothing nobody none neither nor without cannot except hardly barely"
) | {UNREAD}
LIMITS = _set("only exactly precisely solely merely just")
LIMITED = _set("one a an the my our your his her their its this that these those then after when once if")
"""What a limit stands before where it says that there is to be no other thing or time: "only the red pen"."""
WHOLE = _set("all every each everything any anything both")
CONDITIONS = _set("if unless whether until till when whenever while once before after as because since so")
QUESTIONS = _set("what which who whom whose where why how whatever whichever wherever")
PREPOSITIONS = _set(
    "in into inside within on onto upon at to from of off under underneath beneath below with for by near"
    " beside behind over through around across along towards toward between against about"
    " outside atop using via past"
)
PLACING = {"into": "in", "onto": "on", "inside": "in"}
"""Prepositions that say where a thing goes rather than where it is, with the relation that it then has."""
PARTICLES = _set("up down away off out on over back through in apart open shut together everywhere ahead")
CONJUNCTIONS = _set("and then but or plus also")
WANTS = _set("want need like love require fancy prefer expect wish deserve crave request enjoy appreciate")
SENSES_OF_BEING = _set("look smell feel seem stay remain appear taste sound get become grow turn go keep")
POLITE = _set(
    "please kindly just now quickly carefully safely gently quietly properly again too immediately today"
    " tonight tomorrow later soon first finally lastly next then afterwards afterward meanwhile additionally"
    " ok okay hey hi hello oh well right robot sorry thanks thank asap actually really very quite rather so"
    " simply straight directly somehow anyway nice good great lovely quick instead lot"
    " cheers pal buddy mate dear folks guys bot yo ah um uh hmm plz pls kinda sort much pretty"
    " awfully terribly far totally completely absolutely definitely"
    " slowly neatly promptly swiftly firmly tightly thoroughly nicely urgently calmly briskly"
    " patiently cautiously sensibly fully entirely freshly newly exactly precisely still"
)
"""Courtesies, and how a thing is done: what changes no goal. Any other adverb asks for something."""
TAKES_BACK = _set("sorry rather actually instead oops correction mean meant said prefer well changed")
"""Words that take back what was said before, where a clause after a request begins with one."""
TO_COME = _set("tonight tomorrow later")
"""Times that a robot that starts at once does not keep."""

CLOSED = (
    DETERMINERS | SUBJECTS | OBJECTS | PERSONS | MODALS | BE | HAVE | DO | NEGATIVES | CONDITIONS | QUESTIONS
    | PREPOSITIONS | CONJUNCTIONS
)  # fmt: skip
"""Words that are in no noun phrase, but for particles and pronouns in their places."""

VERBS: Mapping[str, frozenset[str]] = {
    "put": _set(
        "put place move set lay leave carry transfer deliver return relocate shift insert load deposit"
        " position drop transport haul slide slip pop stick tuck park rest add ferry pile stack plonk shove"
        " send stand replace arrange plop pack convey lug cart hang plant settle escort whisk bung lob"
        " smuggle relay dispatch plunk reposition rehome transplant station situate swap restore restock"
    ),
    "give": _set("give hand bring pass serve offer lend provide supply"),
    "get": _set(
        "get fetch grab collect take pick retrieve gather hold lift snatch seize nab clutch grasp obtain"
        " remove extract keep scoop procure"
    ),
    "away": _set("discard trash bin ditch junk scrap dispose rid"),
    "throw": _set("throw toss chuck dump sling fling"),
    "store": _set("hide stash stow conceal store file lock"),
    "turn": _set("turn switch power fire shut flip flick boot"),
    "on": _set("start activate enable run launch begin"),
    "off": _set("deactivate stop kill disable halt"),
    "open": _set("open unseal"),
    "close": _set("close seal"),
    "heat": _set("heat warm reheat microwave nuke zap preheat"),
    "cool": _set("chill cool ice"),
    "fridge": _set("refrigerate"),
    "wash": _set("wash rinse sanitize"),
    "clean": _set("clean wipe dust scrub polish mop sweep sponge spruce tidy swab"),
    "make": _set("make brew prepare pour fix do cook"),
    "fill": _set("fill top refill"),
    "empty": _set("empty unload clear"),
    "check": _set("check test try verify confirm"),
    "go": _set("go drive navigate travel head come walk wander roll visit enter proceed swing meet wait"),
    "find": _set("locate find look search track"),
    "care": _set("deal see sort care handle"),
    "give a": _set("have pull push"),
}
"""Meanings and their verbs; ``put`` and ``get`` mean the other where a place is said or is not."""
PLAIN = frozenset(v for verbs in VERBS.values() for v in verbs) - {"have"}
SPELLING = (
    DETERMINERS | PREPOSITIONS | PLAIN | MODALS | WANTS | SUBJECTS | POLITE | BE | HAVE | CONJUNCTIONS
    | QUESTIONS | CONDITIONS
)  # fmt: skip
"""Words of the grammar that a slip of the keyboard is corrected to."""
OPAQUE = _set(
    "repair mend unlock break smash destroy paint draw eat drink cut slice peel chop bake boil buy sell order"
    " read print copy write scan sign tell call ask greet inform email watch photograph inspect guard play"
    " kick shake hit count measure weigh unplug charge assemble build unscrew tighten avoid ignore burn"
    " fold tie describe feed water touch guess sing dance invite say explain teach learn show"
    " label decorate book cancel schedule knock wake follow dim assist plug translate compare record text"
    " type toast thaw defrost thank"
    " remind report vacuum iron sew carve hammer drill screw glue dry spin lower raise install connect"
    " disconnect hug kiss wave smile whistle listen hear calculate compute send message"
) - _set("send")
"""Verbs of what no predicate of a household says: a request for it is declined."""
TRANSPARENT = _set(
    "mind ensure help try remember forget ensure think wonder appreciate hope manage let ask like want"
    " need bother"
    " suggest start feel care see happen believe guess know able supposed meant have"
)


@lru_cache(maxsize=8192)
def base(word: str) -> str | None:
    """The base form of a word that may be a known verb; ``None`` where no form of it is one."""
    verbs = PLAIN | OPAQUE | WANTS | SENSES_OF_BEING | TRANSPARENT | _set("belong live sit lie stand")
    if word in verbs:
        return word
    base_form = lemma(word)
    if base_form in verbs:
        return base_form
    for ending, more in (("ies", "y"), ("es", ""), ("s", "")):
        if word.endswith(ending) and word.removesuffix(ending) + more in verbs:
            return word.removesuffix(ending) + more
    return None


@lru_cache(maxsize=8192)
def meanings(verb: str) -> tuple[str, ...]:
    """The keys of :data:`VERBS` under which a base form is listed."""
    return tuple(name for name, verbs in VERBS.items() if verb in verbs)


STATES = {
    "open": "open", "opened": "open", "closed": "close", "shut": "close", "close": "close", "on": "on",
    "running": "on", "off": "off",
    "hot": "heat", "warm": "heat", "cold": "cool", "cool": "cool", "chilled": "cool", "clean": "wash",
    "spotless": "wash", "tidy": "clean", "empty": "empty", "hidden": "store", "heated": "heat", "up": "on",
    "warmed": "heat", "cooled": "cool", "cleaned": "wash", "washed": "wash", "icecold": "cool",
    "going": "on", "started": "on",
}  # fmt: skip
"""Senses of the words for states."""
WASTE = frozenset("rubbish trash garbage recycling compost waste litter".split())
"""Words for what is thrown away."""
