#!/usr/bin/env python3
"""Fails when a link between pages leads nowhere, or when a page of Documentation is missing in its contents.

Checked are links and pictures of the Markdown pages to files of this tree and to headings; addresses of the web are not
asked. Links that DocC resolves are checked by DocC.
"""

import os
import sys

import pages

def main():
    problems = []
    known = {}
    for path in pages.documents() + pages.articles() + ["scripts/AppleStubs/README.md"]:
        for number, target in pages.links(path):
            where = f"{path}:{number}: "
            if "://" in target or target.startswith(("mailto:", "doc:")):
                continue
            file, anchor = pages.resolve(path, target)
            full = os.path.join(pages.ROOT, file)
            if target.startswith("/") or file.startswith("..") or not os.path.exists(full):
                problems.append(f"{where}there is no {target}")
            elif anchor and file.endswith(".md"):
                if file not in known:
                    known[file] = pages.anchors(file)
                if anchor not in known[file]:
                    problems.append(f"{where}{file} has no heading #{anchor}")
    listed = {path for _, entries in pages.contents() for _, path, _ in entries}
    for path in pages.documents():
        if path not in listed and path != pages.START:
            problems.append(f"{path}: the contents in {pages.START} do not list it")
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
