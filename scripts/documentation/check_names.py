#!/usr/bin/env python3
"""Fails when a page names a type, a function, a setting or a file that the sources do not have.

Looked at is code within lines on the pages of CLEAN; blocks are compiled by check_samples.py. Names of others stand in OTHERS.
Files are those with a path from the top of the tree, and Swift files by name, on every page and in the map of CONTRIBUTING.md;
and Swift files by name in the comments of the sources."""

import os
import re
import sys

import pages

# Pages that name what is there, and not what was or will be.
CLEAN = (
    "Documentation/README.md", "Documentation/choosing-a-call.md", "Documentation/faq.md", "Documentation/glossary.md", "Documentation/performance.md",
    "Documentation/security.md", "Documentation/getting-started/", "Documentation/guides/", "Documentation/migration/sdwebimage.md",
)

# Of GTK, UIKit, AppKit, SwiftUI, Swift and of other libraries.
OTHERS = set("""GtkGridView GtkPicture GtkImage GtkButton UIImageView UIButton NSImageView NSButton LazyVGrid URL URLSession ETag
vipsthumbnail Album Thumbs Shrink Dockerfile prepareForReuse Examples export libheif1""".split())


def identifiers():
    sources = os.path.join(pages.ROOT, "Sources")
    found = {module for part in os.listdir(sources) for module in os.listdir(os.path.join(sources, part))}
    for path in pages.files("Sources", ends=(".swift", ".h")):
        if ".docc/" not in path:
            found.update(re.findall(r"[A-Za-z_]\w*", pages.read(path)))
    return found


# Files of the samples that a reader writes.
WRITTEN = set("App.swift main.swift Package.swift".split())


def missing_files(path, known):
    """The files that a page names and the tree lacks, with their lines."""
    places = r"(?:Sources|Tests|Benchmarks|Examples|Documentation|scripts)/[\w./+-]+"
    for number, line in enumerate(pages.read(path).splitlines(), 1):
        for name in re.findall(rf"`({places})`", line):
            known_as = [os.path.join(pages.ROOT, folder, name) for folder in ("", os.path.dirname(path))]
            if not any(map(os.path.exists, known_as)) and "foo" not in name:
                yield number, name
        for name in re.findall(r"(?<![\w/.+])([A-Z][\w+]*\.swift)\b", line):
            if name not in known:
                yield number, name


def missing_in_comments(known):
    """The Swift files that comments name in backticks and the tree lacks, with their lines."""
    for path in pages.files("Sources", "Tests", "Benchmarks", ends=".swift"):
        for number, line in enumerate(pages.read(path).splitlines(), 1):
            for found in re.findall(r"`([A-Z][\w+]*\.swift)`", line) if line.lstrip().startswith("//") else ():
                if found not in known:
                    yield path, number, found


def main():
    known = identifiers() | OTHERS
    status = 0
    files = {os.path.basename(path) for path in pages.files("Sources", "Tests", "Examples", "Benchmarks", ends="")} | WRITTEN
    for path in pages.documents() + pages.articles():
        if path == "CHANGELOG.md":
            continue
        for number, name in missing_files(path, files):
            print(f"{path}:{number}: there is no file {name}", file=sys.stderr)
            status = 1
    for path, number, name in missing_in_comments(files):
        print(f"{path}:{number}: there is no file {name}", file=sys.stderr)
        status = 1
    for path in pages.documents():
        # Half of what migration pages name is of other libraries.
        if not path.startswith(CLEAN) or "/migration/" in path:
            continue
        for number, line in pages.prose(pages.read(path)):
            for code in re.findall(r"`([^`]+)`", line):
                # Files, commands and addresses are none of Swift's.
                if re.search(r"[/\s-]", code.split("(")[0]) or not re.match(r"[.$A-Za-z_]", code):
                    continue
                text = re.sub(r'"[^"]*"', "", code)
                for name in re.findall(r"[A-Za-z_]\w{2,}", text):
                    if name not in known:
                        print(f"{path}:{number}: the sources have no '{name}' (`{code}`)", file=sys.stderr)
                        status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
