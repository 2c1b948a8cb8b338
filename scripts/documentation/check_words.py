#!/usr/bin/env python3
"""Fails on sentences that readers of a second language stumble over: on pages, in DocC's articles, in comments, in messages
and in the display names of tests.

    check_words.py                 checks everything but the folders of UNFINISHED
    check_words.py Sources/OzuGTK  checks these files and folders, finished or not
    check_words.py --count         prints how many findings each module has, finished or not

The phrases are in wording.py."""

import collections
import sys

import pages
import passages
import wording

# Records, and a page that quotes the names of tests.
EXCEPT = ("CHANGELOG.md", "Benchmarks/", "Documentation/parity.md")
# The sources of the check quote what they look for.
QUOTING = ("scripts/documentation/wording.py", "scripts/documentation/check_words.py", "scripts/documentation/test_words.py")
# Pages that were written by all of the rules: names in them are looked up by check_names.py.
CLEAN = (
    "Documentation/README.md", "Documentation/choosing-a-call.md", "Documentation/glossary.md", "Documentation/performance.md",
    "Documentation/security.md", "Documentation/getting-started/", "Documentation/guides/", "Documentation/migration/sdwebimage.md",
)
# Folders of sources whose sentences are still being rewritten. Remove each when `--count` shows 0 for it.
UNFINISHED = ()


def of_page(path):
    for number, line in pages.prose(pages.read(path)):
        if not line.startswith("#"):
            for _, advice in wording.findings(line, "page", path):
                yield number, advice


def of_source(path):
    for passage in passages.passages(path):
        for place, advice in wording.findings(passage.text, passage.kind, path):
            yield passage.line(place), advice


def findings(within):
    """Path, line and advice of each finding in the files whose paths begin with one of `within`; in all of them without."""
    for path in pages.documents() + pages.articles():
        if not path.startswith(EXCEPT) and (not within or path.startswith(within)):
            yield from ((path, number, advice) for number, advice in of_page(path))
    for path in passages.sources(within):
        if not path.startswith(QUOTING):
            yield from ((path, number, advice) for number, advice in sorted(of_source(path)))


def module(path):
    """The folder that a count is for: `Sources/Ozu`, `Documentation`."""
    parts = path.split("/")
    return "/".join(parts[:2] if len(parts) > 2 and parts[0] in passages.FOLDERS else parts[:1])


def main(arguments):
    within = tuple(argument for argument in arguments if not argument.startswith("-"))
    found = list(findings(within))
    if "--count" in arguments:
        counts = collections.Counter(module(path) for path, _, _ in found)
        for folder in sorted(set(counts) | {folder.rstrip("/") for folder in UNFINISHED if not within or folder.startswith(within)}):
            print(f"{counts[folder]:6} {folder}{' (unfinished)' if (folder + '/').startswith(UNFINISHED) else ''}")
        return 0
    status = 0
    for path, number, advice in found:
        if within or not path.startswith(UNFINISHED):
            print(f"{path}:{number}: {advice}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
