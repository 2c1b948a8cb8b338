#!/usr/bin/env python3
"""Tests of check_words.py: the sentences that it finds, their lines, and the sentences that it leaves alone."""

import sys

import passages
import wording

SWIFT = '''/// The first line of a comment ends before
/// all that is known
/// of it. What is it? Whoever asks
///
/// ```swift
/// let text = 1  // What
/// ```
/// - name: `whoever` is code, and "but for" is quoted.
func example() { fail("the \\(part("that is of late, it says")) is not to be had") }  // What is behind code.
/* Nobody waits. */
@Test("what is stored is found") func test() {}
@Test("pictures are found") func other() {}
let data = "Who?"
'''
PYTHON = '''#!/usr/bin/env python3
"""Nobody
reads it."""
parts = "What?"  # Whatever
print("It is asked anew for each of them.")
'''
SHELL = '''#!/bin/sh
# Who has called
# it off.
echo "There is nothing to be had."
'''
FOUND = {
    "a.swift": (SWIFT, [(2, "say 'about'"), (3, "name the subject"), (9, "name the subject"), (9, "say 'is available' or name the place"),
                        (9, "say 'recently'"), (10, "name the subject"), (11, "name the subject")]),
    "a.py": (PYTHON, [(2, "name the subject"), (4, "name the subject"), (5, "use a plain word")]),
    "a.sh": (SHELL, [(2, "name the subject"), (2, "say 'cancel'"), (4, "say 'is available' or name the place")]),
}
HARD = [
    "What a client does with a redirect.", "Waits until it can be had.", "That is for the caller to say.", "At most so many bytes.",
    "The tables of late.", "Read as the RFC has it.", "It is asked anew.", "A load that was called off.", "It is told to whoever asks.",
    "Nothing comes of it.", "A text that is none.", "All that is known of it.", "All but for the last.", "Jobs stand in line.",
    "A gravestone stays.", "It is kept for who asks.", "The damaged one is passed over.",
]
PLAIN = [
    "What is the type of this file?", "So many files are open that the system refuses another.", "`nil` when there is none.",
    "The header says \"what of late\".", "The caller decides.", "Asks what is stored.",
    "A pass over the records.",
]


def main():
    wrong = []
    for name, (text, expected) in FOUND.items():
        found = sorted((passage.line(place), advice.split(" instead")[0]) for passage in passages.of_text(text, passages.language(name))
                       for place, advice in wording.findings(passage.text, passage.kind, name))
        if found != expected:
            wrong.append(f"{name}: found {found}, not {expected}")
    wrong += [f"not found: {text}" for text in HARD if not wording.findings(text, "comment", "")]
    wrong += [f"found: {text}" for text in PLAIN if wording.findings(text, "comment", "")]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
