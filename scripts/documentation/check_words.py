#!/usr/bin/env python3
"""Fails when a name in the code has a word that Documentation/glossary.md has retired.

The table `Retired words` there is the list: a word is refused as a part of every name (`idleCalm`), or as the whole name of a
type (`struct Place`). Comments and texts are not looked at."""

import re
import sys

import pages

# Part of a path, a name, and the reason.
EXCEPTIONS = [
    ("Sources/Core/OzuHTTP/Caching/HTTPCacheDecision.swift", "Place", "public: where an answer came from"),
]
SKIPPED = re.compile(r'"""(?:[^\\]|\\.)*?"""|"(?:\\.|[^"\\\n])*"|//[^\n]*|/\*.*?\*/', re.DOTALL)
TYPE = re.compile(r"\b(?:struct|class|enum|actor|protocol|typealias) (\w+)")
PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")


def retired():
    """The words that no name may have, and those that no type may be called."""
    section = pages.read("Documentation/glossary.md").split("## Retired words")[1]
    everywhere, types = {}, {}
    for words, where, instead in re.findall(r"^\| ([a-z, ]+) \| (in every name|as the name of a type) \| (.+) \|$", section, re.MULTILINE):
        for word in words.split(", "):
            (everywhere if where == "in every name" else types)[word] = instead
    return everywhere, types


def found(text, everywhere, types):
    """The line, the name and the retired word of each name that has one."""
    # Lines are counted in what is left.
    code = SKIPPED.sub(lambda skipped: "\n" * skipped[0].count("\n"), text)
    for match in re.finditer(r"[A-Za-z_]\w*", code):
        for part in PART.findall(match[0]):
            word = part.lower()
            word = word if word in everywhere else word.removesuffix("s")
            if word in everywhere:
                yield code.count("\n", 0, match.start()) + 1, match[0], word, word
    for match in TYPE.finditer(code):
        if match[1][0].isupper() and match[1].lower() in types:
            yield code.count("\n", 0, match.start()) + 1, match[1], match[1].lower(), match[1]


def main():
    everywhere, types = retired()
    if not everywhere or not types:
        print("Documentation/glossary.md: its table of retired words is not as check_words.py reads it", file=sys.stderr)
        return 1
    status, needed = 0, set()
    for path in pages.files("Sources", "Tests", "Benchmarks", "Examples", ends=".swift"):
        for line, identifier, word, key in found(pages.read(path), everywhere, types):
            exception = next((entry for entry in EXCEPTIONS if entry[0] in path and entry[1] == key), None)
            needed.add(exception)
            if exception is None:
                instead = everywhere.get(word) or types[word]
                print(f"{path}:{line}: {identifier}: the glossary has retired '{word}': {instead}", file=sys.stderr)
                status = 1
    for entry in EXCEPTIONS:
        if entry not in needed:
            print(f"scripts/documentation/check_words.py: no longer needed: {entry[0]}: {entry[1]}", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
