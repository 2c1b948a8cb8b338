#!/usr/bin/env python3
"""Fails when a page names a type, a function or a setting that the sources do not have.

Looked at is code within lines on the pages of CLEAN in check_words.py; blocks are compiled by check_samples.py. Names of others stand in OTHERS."""

import os
import re
import sys

import pages
from check_words import CLEAN

# Of GTK, UIKit, AppKit, SwiftUI, Swift and of other libraries.
OTHERS = set("""GtkGridView GtkPicture GtkImage GtkButton UIImageView UIButton NSImageView NSButton LazyVGrid URL URLSession ETag
vipsthumbnail Album Thumbs Shrink Dockerfile prepareForReuse Examples export""".split())


def identifiers():
    found = set(os.listdir(os.path.join(pages.ROOT, "Sources")))
    for folder, folders, names in os.walk(os.path.join(pages.ROOT, "Sources")):
        folders[:] = [name for name in folders if not name.endswith(".docc")]
        for name in names:
            if name.endswith((".swift", ".h")):
                with open(os.path.join(folder, name), encoding="utf-8") as file:
                    found.update(re.findall(r"[A-Za-z_]\w*", file.read()))
    return found


def main():
    known = identifiers() | OTHERS
    status = 0
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
