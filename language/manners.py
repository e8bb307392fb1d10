"""What people say around a request: politeness, hesitation, short forms, reasons, and moments.

None of it changes what is asked for. Conditions and negations are no manners and are left in place.
"""

from __future__ import annotations

import re

from .inflection import lemma

_SHORT = (
    (r"\bcan't\b", "cannot"), (r"\bwon't\b", "will not"), (r"(\w)n't\b", r"\1 not"), (r"\blet's\b", "let us"),
    (r"\b(i)'m\b", r"\1 am"), (r"\b(\w+)'re\b", r"\1 are"), (r"\b(\w+)'ll\b", r"\1 will"),
    (r"\b(\w+)'ve\b", r"\1 have"), (r"\b(i|you|he|she|it|we|they|that|there)'d\b", r"\1 would"),
    (r"\b(he|she|it|that|there|here|what|who|where|everything|everyone)'s\b", r"\1 is"),
    (
        r"\b(the|a|an|his|her|my|\w+'s) ((?!that\b|which\b)\w+(?: (?!that\b"
        r"|which\b)\w+)?) (?:that|which) (?:is|are|was|were|has|have|had)"
     r"(?: (?:just|been|already|freshly|got))* (?!(?:on|in|at|inside|under|by|from"
     r"|lying|left|to|not|no|a|the)\b)(\w+)"
     r"(?= (?:on|in|from|at|to|into|onto|and|inside|under|for)\b|[,.]|\Z)", r"\1 \3 \2"),
    (
        r"\b(?:something|anything) (?:(\w+) )?(?:to|for) (?:eat|nibble(?: on)?|snack on"
        r"|munch(?: on)?|lunch|have as a snack)\b", r"an edible \1 snack"),
    (r"\b(?:something|anything) (?:(\w+) )?to drink\b", r"a \1 drink"),
    (r"\b(?:a bite|a bit) to eat\b", "an edible snack"),
    (
        r"\b(?:somewhere|some place) (?:safe|secure|hidden|private|secret|out of sight"
        r"|(?:where )?(?:it|nobody|no one|others)\b[\w ]*)", "away"),
    (r"\bout of sight\b", "away"),
    (
        r"\bthe (\w+) (?:that |which )?(?:it|they) (?:is|was|are|were) (?:addressed to"
        r"|meant for|intended for|for|supposed to go to)", r"the correct \1"),
    (r"\bto ([A-Z][a-z]+) (?:at|on) (?:his|her|their) (desk|office|table)\b", r"to \1's \2"),
    (r"\b(?:for|to) ([A-Z][a-z]+),? (?:who is )?in (?:his|her|their) (desk|office|room)\b", r"to \1's \2"),
    (
        r"\bwhatever (?:is )?(?:smells?|stinks?|smelling|stinking|reeks?)(?: (?:so "
        r")?(?:bad|badly|awful|funny))?\b", "the smelly thing"),
    (r"\b(?:that|which) (?:has |have )?(?:just )?(?:arrived|come|came|got delivered)\b", ""),
    (r"\bto (?:me|us) (?:at|in|on) ", "to "),
    (r"\bwanna\b", "want to"), (r"\bgotta\b", "have to"), (r"\bonto\b", "onto"), (r"\bout of\b", "from"),
    (r"\b(?:off of)\b", "from"), (r"\bplz\b|\bpls\b", "please"),
    (
        r"\b(?:up|down|over|across|along|round|back|out|straight|right) (?=(?:to|in|into"
        r"|inside|on|onto|at) )", ""),
    (r"\b(?:in|inside) there\b", "in it"), (r"\bwhere (?:it|they) belongs?\b", "in the correct place"),
)  # fmt: skip
SHORT = tuple((re.compile(p, re.I), r) for p, r in _SHORT)

_MANNER = (
    r"(?:please|kindly|possibly|maybe|perhaps|just|quickly|carefully|safely|gently"
    r"|quietly|also|then|now|next|go\s+ahead\s+and|go\s+and|properly|immediately)"
)
_YOU = r"(?:you|someone|somebody|anyone|anybody|we|i|the robot)"
_NICE = (
    r"(?:great|nice|good|lovely|helpful|wonderful|fantastic|best|brilliant|perfect"
    r"|kind(?:\s+of\s+you)?|ideal|appreciated|grateful|(?:very\s+|so\s+"
    r"|really\s+)(?:grateful|kind|helpful|nice|good))"
)
_ASK = re.compile(
    rf"""(?:
    {_MANNER} | and | so | but | first(?:\s+of\s+all)? | finally | afterwards | after(?:\s+that|wards) |
      lastly | once\s+(?:that\s+is\s+done)
    | whatever\s+(?:it\s+is|that\s+is) | when\s+(?:that\s+is|you\s+are)\s+(?:done|finished) | meanwhile |
      additionally | in\s+addition | ok | okay | hey | hi | hello | robot | well | right
    | oh | quick\s+(?:favou?r|one|thing|request) | sorry | excuse\s+me |
      while\s+you\s+are\s+(?:at\s+it|there|in\s+[\w\s]+?,)
    | (?:if|when(?:ever)?)\s+(?:you\s+(?:can|could|have|get|find|are|do\s+not|would)|it\s+is|possible|
      convenient)\b[^,]*,
    | (?:would|do)\s+(?:you|someone|somebody|anyone)\s+mind
    | (?:could|can|would|will|may|might)\s+{_YOU}(?:\s+(?:{_MANNER}|be\s+able\s+to|
      be\s+so\s+kind\s+(?:as|and)(?:\s+to)?|be\s+a\s+dear\s+and|manage\s+to))*
    | (?:is|would)\s+it\s+(?:be\s+)?(?:possible|ok|okay|alright|all\s+right)\s+(?:for\s+you\s+)?(?:to|
      if\s+you(?:\s+could)?)
    | (?:any\s+chance|i\s+(?:wonder|was\s+wondering|am\s+wondering)\s+(?:if|whether)|do\s+you\s+think|
      is\s+there\s+any\s+chance)(?:\s+(?:that\s+)?{_YOU}\s+(?:could|can|would|might)|\s+of)?
    | i\s+(?:need|want|would\s+(?:like|love|want|prefer)|require|expect|ask)\s+(?:for\s+)?(?:you|
      someone|somebody)\s+to
    | i\s+would\s+(?:really\s+)?(?:appreciate|love|like)\s+it\s+if\s+{_YOU}(?:\s+(?:could|would|can))? |
      i\s+would\s+be\s+{_NICE}\s+if\s+{_YOU}(?:\s+(?:could|would|can))?
    | it\s+(?:would|will)\s+be\s+{_NICE}\s+(?:if\s+{_YOU}(?:\s+(?:could|would|can))?|to)
    | (?:you|we|someone|somebody)\s+(?:should|must|need\s+to|needs\s+to|have\s+to|has\s+to|ought\s+to|
      had\s+better|may\s+want\s+to|might\s+want\s+to|can|could)
    | let\s+us | do\s+me\s+a\s+favou?r\s*(?:,|and|:)? |
      be\s+(?:so\s+)?(?:kind|good|nice)(?:\s+enough)?\s+(?:and|to|as\s+to) | be\s+sure\s+to
    | (?:remember|do\s+not\s+forget|try|feel\s+free|make\s+sure(?:\s+you)?)\s+to |
      make\s+sure\s+(?:that\s+)?you | your\s+(?:task|job|mission|next\s+task)\s+is\s+to
    | (?:it\s+is\s+)?time\s+to | i\s+need\s+(?:your\s+)?help\s+(?:with\s+)? |
      help\s+(?:me|us|out)(?:\s+(?:to|by|and|with))? | the\s+(?:task|job|next\s+thing)\s+is\s+to
    )(?![\w'])[\s,:]*""",
    re.I | re.X,
)
_END = re.compile(
    r"""[\s,]+(?:please | thanks(?:\s+a\s+lot|\s+so\s+much)? | thank\s+you(?:\s+very\s+much)? | now |
      right\s+(?:now|away) | for\s+(?:me|us|a\s+(?:moment|second|minute|bit|while)) | again | too |
      as\s+well | already
    | (?:nice\s+and\s+)?(?:quickly|carefully|safely|properly|immediately|gently) | asap |
      (?:would|will|could|can)\s+you | would\s+you\s+mind |
      (?:today|tonight|afterwards|later|instead|straight\s*away|at\s+once|somewhere)
    | (?:if|when(?:ever)?)\s+(?:you\s+(?:can|could|have|get|find|are\s+(?:free|ready|done)|
      do\s+not\s+mind|would|like)|it\s+is\s+(?:possible|convenient|no\s+trouble)|possible|
      that\s+is\s+(?:ok|okay|possible|alright))\b.*
    | (?:so(?:\s+that)?|because|since|as)\s+(?:i|we|he|she|it|they|that|there|everyone|nobody|no\s+one|
      people|the\s+\w+(?:\s+\w+)?|[A-Z][a-z]+)\s+(?:can|could|will|would|may|might|is|are|was|has|have|
      does|do|am|need|needs|want|wants|look|looks|stay|stays|keeps?|goes|smells?|did|had|cannot)\b.*
    | before\s+(?:it|they|someone|somebody|anyone|he|she)\s+\w+.* |
      to\s+(?:keep|stop|avoid|prevent|make\s+sure|save|cheer|help|let)\b.* |
      once\s+(?:it|they|that)\s+(?:is|are|has|have)\b.*
    | (?:when|once|after)\s+you\s+(?:are|have)\b.* |
      for\s+(?:a|the|his|her|my|our)\s+(?:lunch|dinner|breakfast|sandwich|meeting|meal|later|break|
      party|demo|talk|visitors?|guests?)\b(?!\s+table) | for\s+(?:lunch|dinner|breakfast|later|
      our\s+visitors|the\s+guests)
    | (?<!something\s)(?<!anything\s)(?<!way\s)to\s+(?:wipe|clean|eat|drink|nibble|snack|chill|cool|
      warm|heat|dry|read|use|write|cut|mop|enjoy|munch|play|prank|cheer|get\s+cold|stay)\b.*
    | to\s+see\s+(?:whether|if)\b.* | a\s+(?:little|bit|tad|touch)(?:\s+\w+)? | in\s+one\s+go | one\s+by\s+one
      | back | over(?:\s+there)?
      | all\s+the\s+way | on\s+your\s+way | when\s+done | from\s+(?:there|here) | at\s+the\s+moment
    )\Z""",
    re.I | re.X,
)  # fmt: skip


def expand(text: str) -> str:
    """A clause with short forms written out, and words of direction that say nothing left out."""
    for pattern, full in SHORT:
        text = pattern.sub(full, text)
    return re.sub(r"\s+", " ", text).strip(" ,:-")


def bare(clause: str) -> str:
    """A clause without politeness, hesitation and reasons around it; gerunds as base forms."""
    clause = expand(clause)
    asked = False
    while (found := _ASK.match(clause)) is not None and 0 < found.end() < len(clause):
        said = found[0].lower().rstrip()
        asked = asked or "mind" in said or said.endswith((" of", "help", "with", "by"))
        clause = clause[found.end() :]
    while (found := _END.search(clause)) is not None and found.start() > 0:
        clause = clause[: found.start()].strip(" ,")
    head, _, tail = clause.partition(" ")
    base = lemma(head)
    past = base is not None and (
        asked or head.lower() in ("took", "threw", "gave", "brought") or head.lower().endswith("ed")
    )
    return f"{base} {tail}".strip() if base is not None and past and tail else clause
