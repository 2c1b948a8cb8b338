"""The prose of the sources: comments, messages and display names of tests, as passages of one paragraph each."""

import bisect
import io
import os
import re
import tokenize

from pages import FENCE, ROOT

FOLDERS = ("Sources", "Tests", "Benchmarks", "Examples", "scripts", ".ci")
SWIFT, C, PYTHON, SHELL = (".swift",), (".c", ".h", ".js", ".mjs", ".css"), (".py",), (".sh",)
# Literals of fewer words are keys, names and units.
FEWEST_WORDS = 4


class Passage:
    """One paragraph: its kind (`comment`, `message` or `title`), its text on one line, and the source line of each place."""

    def __init__(self, kind, lines):
        self.kind = kind
        self.starts, self.numbers = [], []
        self.text = ""
        for number, line in lines:
            if not line:
                continue
            self.text += " " if self.text else ""
            self.starts.append(len(self.text))
            self.numbers.append(number)
            self.text += line

    def line(self, place):
        return self.numbers[bisect.bisect_right(self.starts, place) - 1]


def paragraphs(lines):
    """Cuts the lines of one comment at empty lines and at list items; leaves out samples of code."""
    gathered, fence = [], None
    for number, line in lines:
        found = FENCE.match(line)
        if found or fence:
            fence = None if fence and line.strip() == fence else fence or found[2]
            line = ""
        text = line.strip()
        if not text or re.match(r"([-*+]|\d+\.)\s", text):
            if gathered:
                yield Passage("comment", gathered)
            gathered = []
        if text:
            gathered.append((number, text))
    if gathered:
        yield Passage("comment", gathered)


def sources(within=()):
    """Every source file by its path from the root; those under `within` when it names some."""
    found = ["Package.swift", "Makefile"]
    for top in FOLDERS:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(name for name in folders if not name.startswith(".") and not name.endswith((".docc", "Resources", "Fixtures")))
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names)]
    return [path for path in found if language(path) and (not within or path.startswith(tuple(within)))]


def language(path):
    extension = os.path.splitext(path)[1]
    if extension in SWIFT + C + PYTHON + SHELL:
        return extension
    if path.startswith("scripts/") or path.startswith(".ci/") or path == "Makefile":
        with open(os.path.join(ROOT, path), "rb") as file:
            return ".py" if b"python" in file.readline() else ".sh" if not extension else None
    return None


def passages(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        # Tests hold sentences as data.
        return of_text(file.read(), language(path), hasMessages=not path.startswith("Tests/"))


def of_text(text, kind, hasMessages=True):
    if kind in PYTHON:
        comments, literals = python(re.sub(r"^#!.*", "", text))
    elif kind in SHELL:
        comments, literals = shell(text)
    else:
        comments, literals = Scanner(text, isSwift=kind in SWIFT).scan()
    yield from (passage for block in blocks(comments) for passage in paragraphs(block))
    for number, before, literal in literals:
        if re.search(r"@(Test|Suite)\(\s*$", before):
            yield Passage("title", [(number, literal)])
        elif hasMessages and len(literal.split()) >= FEWEST_WORDS:
            yield Passage("message", [(number, literal)])


def blocks(comments):
    """Joins comments on lines that follow each other. A comment is (line, column, marker, text); behind code it has no column."""
    block, last = [], None
    for number, column, marker, text in comments:
        if block and (column is None or last != (number - 1, column, marker)):
            yield block
            block = []
        block.append((number, text))
        last = (number, column, marker)
    if block:
        yield block


def python(text):
    comments, literals = [], []
    lines = text.split("\n")
    before = ""
    for token in tokenize.generate_tokens(io.StringIO(text).readline):
        number, column = token.start
        if token.type == tokenize.COMMENT:
            comments.append((number, column if not lines[number - 1][:column].strip() else None, "#", token.string.lstrip("#")))
        elif token.type == tokenize.STRING or token.type == getattr(tokenize, "FSTRING_MIDDLE", -1):
            content = re.sub(r"^[rbfuRBFU]*(\"\"\"|'''|\"|')|(\"\"\"|'''|\"|')$", "", token.string)
            if not lines[number - 1][:column].strip() and before in ("", ":"):
                comments += [(number + more, column, "doc", line) for more, line in enumerate(content.split("\n"))]
            else:
                literals += [(number + more, "", line) for more, line in enumerate(content.split("\n"))]
        if token.type not in (tokenize.NL, tokenize.NEWLINE, tokenize.INDENT, tokenize.DEDENT, tokenize.COMMENT):
            before = token.string
    return comments, literals


def shell(text):
    comments, literals = [], []
    for number, line in enumerate(text.split("\n"), 1):
        found = re.match(r"(\s*)#+(.*)", line)
        if line.startswith("#!"):
            continue
        if found:
            comments.append((number, len(found[1]), "#", found[2]))
            continue
        help = re.search(r"\s##? (.*)$", line)
        if help:
            comments.append((number, None, "#", help[1]))
            line = line[:help.start()]
        literals += [(number, "", found[1] or found[2] or "") for found in re.finditer(r"\"((?:[^\"\\]|\\.)*)\"|'([^']*)'", line)]
    return comments, literals


class Scanner:
    """Finds the comments and the string literals of Swift, C and JavaScript."""

    def __init__(self, text, isSwift):
        self.text = text
        self.isSwift = isSwift
        self.ends = [place for place, letter in enumerate(text) if letter == "\n"]
        self.comments, self.literals = [], []

    def number(self, place):
        return bisect.bisect_left(self.ends, place) + 1

    def column(self, place):
        """The column of a comment, or nothing when code is before it."""
        start = self.text.rfind("\n", 0, place) + 1
        return None if self.text[start:place].strip() else place - start

    def scan(self):
        place = 0
        token = re.compile(r"//|/\*|#*\"\"\"|#*\"" if self.isSwift else r"//|/\*|\"|'(?:[^'\\\n]|\\.)*'")
        while found := token.search(self.text, place):
            start, opening = found.start(), found[0]
            if opening == "//":
                place = self.text.find("\n", start)
                place = len(self.text) if place < 0 else place
                marker = re.match(r"///?", self.text[start:])[0]
                self.comments.append((self.number(start), self.column(start), marker, self.text[start + len(marker):place]))
            elif opening == "/*":
                place = self.text.find("*/", start) + 2
                number, column = self.number(start), self.column(start)
                for more, line in enumerate(self.text[start + 2:place - 2].split("\n")):
                    self.comments.append((number + more, column or 0, "/*", re.sub(r"^\s*\*+ ?", "", line)))
            elif opening[0] == "'":
                place = found.end()
            else:
                place = self.literal(start, opening)
        return self.comments, self.literals

    def literal(self, start, opening):
        """Adds the literal that begins at `start`, with interpolations blanked, and returns the place behind it."""
        hashes = "#" * opening.count("#")
        quotes = opening.lstrip("#")
        content, place = "", start + len(opening)
        while place < len(self.text) and not self.text.startswith(quotes + hashes, place):
            if self.text.startswith("\\" + hashes + "(", place) and self.isSwift:
                place = self.interpolation(place + len(hashes) + 2)
                content += "`"
            elif self.text[place] == "\\" and not hashes:
                # A backslash at the end of a line joins it with the next.
                content += {"n": " ", "\n": "\n"}.get(self.text[place + 1], "")
                place += 2
            else:
                content += self.text[place]
                place += 1
        before = self.text[max(0, start - 80):start]
        number = self.number(start)
        if quotes == '"""' and not before.rstrip().endswith(("@Test(", "@Suite(")):
            lines = content.split("\n")
            block = []
            for more, line in enumerate(lines + [""]):
                if line.strip():
                    block.append(line.strip())
                elif block:
                    self.literals.append((number + more - len(block), before, " ".join(block)))
                    block = []
        else:
            self.literals.append((number, before, content))
        return place + len(quotes + hashes)

    def interpolation(self, place):
        """The place behind the parenthesis that closes an interpolation; literals in it are passages of their own."""
        depth = 1
        while depth and place < len(self.text):
            if self.text[place] == '"':
                opening = '"""' if self.text.startswith('"""', place) else '"'
                place = self.literal(place, opening)
                continue
            depth += {"(": 1, ")": -1}.get(self.text[place], 0)
            place += 1
        return place
