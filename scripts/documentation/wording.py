"""The phrases that readers of a second language stumble over, with advice. The rules are those of CONTRIBUTING.md, "Style"."""

import re

# The beginning of a sentence, of a list item or of a part after a colon.
START = r"(?:^|(?<=[.!:;?|]\s)|(?<=[-*]\s))"
# A question may begin with any of these words.
NO_QUESTION = r"(?![^.?!|]*\?)"

RULES = [
    (START + r"(What|Who|Whoever|Whatever|Nobody|That which)\b" + NO_QUESTION, "name the subject instead of beginning with '{0}'"),
    (r"\bto be had\b|\b(can|could|may|might) be had\b|\bbe had\b", "say 'is available' or name the place instead of '{0}'"),
    (r"\b(is|are|was|were) for (the |an? )?[\w`]+( \w+)? to (say|judge|decide|find|know|tell|see|choose)\b", "say who decides instead of '{0}'"),
    (r"\bso many\b(?!( [\w`]+){1,6} (that|as))|\bso much\b(?! (that|as|of|more|less)| \w+ that)", "give the number instead of '{0}'"),
    (r"\bof late\b", "say 'recently' instead of '{0}'"),
    (r"\bas (the |an? )?\w+ (has|have|had) it\b", "say 'by the rules of' or 'as in' instead of '{0}'"),
    (r"\b(whereof|thereof|hence|lest|whence|thence|wherein|therein|whilst|amongst|anew|abreast|nought)\b", "use a plain word instead of '{0}'"),
    (r"\bcall(s|ed|ing)?( it| them)? off\b", "say 'cancel' instead of '{0}'"),
    (r"\bwhoever\b", "name who it is instead of '{0}'"),
    (r"\b(for|by|to|than) who\b(?! it\b)", "name who it is instead of '{0}'"),
    (r"\b(comes?|came|becomes?|became) of\b", "say 'results', 'happens to' or 'outcome' instead of '{0}'"),
    (r"(?<!there )\b(is|are|was|were) none\b(?! of\b)", "repeat the noun instead of '{0}'"),
    (r"\b(says?|said|knows?|known) of\b", "say 'about' instead of '{0}'"),
    (r"\bbut for\b", "say 'except for' instead of '{0}'"),
    (r"\b(stands?|standing|stood|waits?|waiting) in line\b|\bstands? back\b", "say 'wait in the queue' instead of '{0}'"),
    (r"\bin vain\b", "say that it fails or finds nothing instead of '{0}'"),
    (r"\bpass(es|ed|ing)? over\b(?= (when|and|by|in|where|if|it|them|as|without|rather)|[.,:;]|$)", "say 'skip' or 'ignore' instead of '{0}'"),
    (r"\b(has|have) the last word\b|\bword on it\b", "say who decides instead of '{0}'"),
    (r"\bthe one (is|has) as\b|\bas good as any\b", "say what is equal instead of '{0}'"),
    (r"\b(has|have|makes?) nothing of\b(?! the (kind|sort))", "name what is missing instead of '{0}'"),
]
# In the display name of a test: it has no capital.
TITLES = [
    (r"(?:^|(?<=[;:]\s))(what|who|whoever|whatever|nobody)\b" + NO_QUESTION, "name the subject instead of beginning with '{0}'"),
]
COMMENTS = [
    (r"(?<=[;:]\s)(who|whatever|nobody)\b" + NO_QUESTION, "name the subject instead of beginning with '{0}'"),
    # After a colon it may be a parameter: `- key: what the source is called`.
    (r"(?<=;\s)what\b" + NO_QUESTION, "name the subject instead of beginning with '{0}'"),
]
# Nouns that the glossary has replaced, with the noun to use, and the folders where they mean something else.
RETIRED = [
    (r"gravestones?", "tombstone", ()),
    (r"turnstiles?", "queue", ()),
    # The lanes of a vector.
    (r"lanes?", "queue' or 'track", (
        "Sources/OzuImaging/", "Sources/OzuCodecs/", "Sources/OzuText/", "Sources/CCodecs/", "Sources/OzuCaching/Disk/Log/Checksum64",
        "Tests/OzuImagingTests/", "Tests/OzuCodecsTests/", "Benchmarks/")),
    (r"company", "subscriber", ()),
    (r"calm( signals?)?", "idle signal", ()),
    # The taps of a filter, and of a finger.
    (r"taps?", "observer", (
        "Sources/OzuImaging/", "Sources/OzuUIKit/", "Sources/OzuSwiftUI/", "Sources/OzuGTK/", "Sources/OzuGallery/", "Sources/Ozu/Display/",
        "Tests/OzuImagingTests/", "Tests/Gallery/", "Examples/")),
    (r"shelf|shelves", "store", ()),
    (r"relatives", "derived variant", ()),
    (r"seats?", "queue entry", ()),
    (r"glances?", "weak hit", ("Benchmarks/",)),
    (r"tally|tallies", "count", ()),
    (r"crowds?", "burst", ()),
]


def compiled(rules):
    return [(re.compile(pattern, re.I if START not in pattern else 0), advice) for pattern, advice in rules]


PAGE = compiled(RULES)
KINDS = {"page": PAGE, "message": PAGE, "title": PAGE + compiled(TITLES), "comment": PAGE + compiled(COMMENTS)}
NOUNS = [(re.compile(rf"\b(?:{pattern})\b", re.I), noun, folders) for pattern, noun, folders in RETIRED]


def unquoted(text):
    """The text with code and quotations blanked, so that each place stays the same."""
    return re.sub(r"`[^`]*`|“[^”]*”|\"[^\"]*\"", lambda found: "`" * len(found[0]), text)


def findings(text, kind, path):
    """Place and advice for each phrase of a passage, in the order of the text."""
    text = unquoted(text)
    found = [(hit.start(), advice.format(hit[0])) for rule, advice in KINDS[kind] for hit in rule.finditer(text)]
    for noun, better, folders in NOUNS:
        if not path.startswith(folders):
            found += [(hit.start(), f"the glossary says '{better}', not '{hit[0]}'") for hit in noun.finditer(text)]
    # One place is one finding.
    return sorted(dict(reversed(found)).items())
