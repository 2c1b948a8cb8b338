#!/usr/bin/env python3
"""Fails on sentences that readers of a second language stumble over, on pages and DocC's articles.

The rules are those of CONTRIBUTING.md, "Style"."""

import re
import sys

import pages

# Records, and a page that quotes the names of tests.
EXCEPT = ("CHANGELOG.md", "Benchmarks/", "Documentation/parity.md")
# Pages that were written by all of the rules: names in them are looked up by check_names.py.
CLEAN = (
    "Documentation/README.md", "Documentation/choosing-a-call.md", "Documentation/glossary.md", "Documentation/performance.md",
    "Documentation/security.md", "Documentation/getting-started/", "Documentation/guides/", "Documentation/migration/sdwebimage.md",
)
RULES = [
    (re.compile(r"(?:^|(?<=[.!:;?|]\s)|(?<=[-*]\s))(What|Who|Whoever|Whatever)\b(?![^.?!|]*\?)"),
     "name the subject instead of beginning with '{0}'"),
    (re.compile(r"\b(to be had|can be had|be had)\b", re.I), "say 'is available' or name the place instead of '{0}'"),
    (re.compile(r"\bis for \w+ to say\b", re.I), "say who decides instead of '{0}'"),
    (re.compile(r"\bso many\b(?! \w+ that)", re.I), "give the number instead of '{0}'"),
    (re.compile(r"\bof late\b", re.I), "say 'recently' instead of '{0}'"),
    (re.compile(r"\bas \w+ has it\b", re.I), "say 'by the rules of' instead of '{0}'"),
    (re.compile(r"\b(gravestone|turnstile|whereof|thereof|hence|lest)\b", re.I), "use a plain word instead of '{0}'"),
    (re.compile(r"\b(call(?:s|ed|ing)? off)\b", re.I), "say 'cancel' instead of '{0}'"),
]


def main():
    status = 0
    for path in pages.documents() + pages.articles():
        if path.startswith(EXCEPT):
            continue
        for number, line in pages.prose(pages.read(path)):
            if line.startswith("#"):
                continue
            text = re.sub(r"`[^`]*`", "`", line)
            for rule, advice in RULES:
                for found in rule.finditer(text):
                    print(f"{path}:{number}: {advice.format(found[0])}", file=sys.stderr)
                    status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
