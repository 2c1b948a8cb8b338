"""The pages of the documentation as files: which there are, their headings, their links, their samples."""

import os
import re

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
# The page whose lists are the navigation of the site. It is the start page too.
START = "Documentation/README.md"
# Pages of other folders that belong to the site.
OTHERS = [
    "README.md", "CONTRIBUTING.md", "CHANGELOG.md", "Benchmarks/README.md", "Benchmarks/caches.md", "Benchmarks/http.md",
]
FENCE = re.compile(r"^(\s*)(```+|~~~+)\s*(\S*)")
LINK = re.compile(r"\]\(\s*<?([^()\s>]*(?:\([^()\s]*\)[^()\s>]*)*)>?(?:\s+\"[^\"]*\")?\s*\)")


def read(path):
    with open(os.path.join(ROOT, path), encoding="utf-8") as file:
        return file.read()


def files(*tops, ends):
    """Every file in folders whose name ends so, by its path from the root, in order."""
    found = []
    for top in tops:
        for folder, folders, names in os.walk(os.path.join(ROOT, top)):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            found += [os.path.relpath(os.path.join(folder, name), ROOT) for name in sorted(names) if name.endswith(ends)]
    return found


def documents():
    """Every page that is for readers, by its path from the root."""
    return [path for path in OTHERS if os.path.exists(os.path.join(ROOT, path))] + files("Documentation", ends=".md")


def articles():
    """Every page of a DocC catalogue."""
    return [path for path in files("Sources", ends=".md") if os.path.dirname(path).endswith(".docc")]


def reference(path):
    """The address of a DocC page in the site, for the path of its file; nothing for other files."""
    found = re.fullmatch(r"Sources/\w+/(\w+)/\1\.docc/([^/]+)\.md", path)
    if not found:
        return None
    module, page = found[1].lower(), found[2].lower()
    return f"documentation/{module}/" if page == module else f"documentation/{module}/{page}/"


def slug(heading, seen=None):
    """The anchor of a heading, as GitHub makes it."""
    text = re.sub(r"!?\[([^\]]*)\]\([^)]*\)", r"\1", heading)
    text = re.sub(r"<[^>]+>|[`*]", "", text).strip().lower()
    text = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
    if seen is None:
        return text
    count = seen.get(text, 0)
    seen[text] = count + 1
    return text if count == 0 else f"{text}-{count}"


def prose(text):
    """The lines outside of code blocks, with their numbers; comments and code in lines are blanked."""
    text = re.sub(r"<!--.*?-->", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    fence = None
    for number, line in enumerate(text.split("\n"), 1):
        found = FENCE.match(line)
        if fence is None and found:
            fence = found[2]
        elif fence is not None:
            if line.strip() == fence:
                fence = None
        else:
            yield number, line


def anchors(path):
    seen = {}
    found = set()
    for _, line in prose(read(path)):
        heading = re.match(r"#{1,6}\s+(.*?)\s*#*$", line)
        if heading:
            found.add(slug(heading[1], seen))
        found.update(re.findall(r"<a (?:id|name)=\"([^\"]+)\"", line))
    return found


def links(path):
    """Line and target of each link and picture of a page."""
    for number, line in prose(read(path)):
        for found in LINK.finditer(re.sub(r"`[^`]*`", "", line)):
            yield number, found[1]


def resolve(path, target):
    """Where a relative link of a page leads: path from the root, and anchor."""
    file, _, anchor = target.partition("#")
    if file:
        file = os.path.normpath(os.path.join(os.path.dirname(path), file))
    return file or path, anchor


def contents():
    """The navigation: sections of the start page with the links of their lists, as (title, [(text, path, words)])."""
    sections = []
    for _, line in prose(read(START)):
        heading = re.match(r"## (.*)", line)
        if heading:
            sections.append((heading[1].strip(), []))
        entry = re.match(r"[-*] \[([^\]]+)\]\(([^)#]+\.md)\)(.*)", line)
        if entry and sections:
            sections[-1][1].append((entry[1], resolve(START, entry[2])[0], entry[3].lstrip(": ").strip()))
    return [section for section in sections if section[1]]
