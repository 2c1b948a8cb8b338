"""Colours for the code of a page: spans of HTML for Swift, shells and a few others."""

import re
from html import escape

SWIFT = """actor any as async await break case catch class continue default defer deinit do else enum extension false final for
func guard if import in init inout internal is isolated let mutating nil nonisolated private protocol public
repeat rethrows return self Self some static struct subscript super switch throw throws true try typealias var where
while""".split()
C = "break case char const do else enum extern for if int return size_t sizeof static struct uint8_t void while".split()

COMMENT = r"(?P<c>//[^\n]*|/\*.*?\*/)"
STRING = r"(?P<s>\"\"\".*?\"\"\"|\"(?:\\.|[^\"\\\n])*\")"
NUMBER = r"(?P<n>\b\d[\d_.]*(?:e-?\d+)?\b|\b0x[0-9a-fA-F_]+\b)"


def words(list):
    return r"(?P<k>(?<![.\w])(?:" + "|".join(list) + r")\b)"


LANGUAGES = {
    "swift": re.compile(
        "|".join([COMMENT, STRING, r"(?P<a>[@#][A-Za-z]\w*)", words(SWIFT), r"(?P<t>\b[A-Z]\w*)", NUMBER]), re.DOTALL),
    "c": re.compile("|".join([COMMENT, STRING, r"(?P<a>#\w+)", words(C), NUMBER]), re.DOTALL),
    "sh": re.compile(r"(?P<c>(?:^|(?<=\s))#[^\n]*)|(?P<s>'[^']*'|\"[^\"]*\")|(?P<k>(?<=\s)--?[A-Za-z][\w-]*)"),
    "json": re.compile(r"(?P<t>\"(?:\\.|[^\"\\])*\"(?=\s*:))|(?P<s>\"(?:\\.|[^\"\\])*\")|(?P<n>-?\b\d[\d.]*)"),
    "dockerfile": re.compile(r"(?P<c>^#[^\n]*)|(?P<k>^(?:FROM|RUN|COPY|CMD|ENTRYPOINT|WORKDIR|ENV|EXPOSE|USER)\b)|(?P<s>\"[^\"]*\")",
                             re.MULTILINE),
}
LANGUAGES["bash"] = LANGUAGES["console"] = LANGUAGES["sh"]


def highlight(code, language):
    pattern = LANGUAGES.get(language.lower())
    if not pattern:
        return escape(code)
    parts = []
    end = 0
    for found in pattern.finditer(code):
        parts.append(escape(code[end:found.start()]))
        parts.append(f'<span class="{found.lastgroup}">{escape(found[0])}</span>')
        end = found.end()
    parts.append(escape(code[end:]))
    return "".join(parts)
