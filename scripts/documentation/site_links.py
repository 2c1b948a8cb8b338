"""Checks the links of the pages that build_site.py has written."""

import html
import os
import re
from urllib.parse import unquote


def broken(folder, written, has_reference):
    """A line for each link of the written pages that leads to no file of the folder, or to no anchor in it."""
    anchors, problems = {}, []

    def ids(place):
        if place not in anchors:
            with open(os.path.join(folder, place), encoding="utf-8") as file:
                anchors[place] = set(re.findall(r'\bid="([^"]+)"', file.read()))
        return anchors[place]

    for page in written:
        with open(os.path.join(folder, page), encoding="utf-8") as file:
            text = file.read()
        for target in re.findall(r'(?:href|src)="([^"]*)"', text):
            target = html.unescape(target)
            if re.match(r"[a-z][a-z+.-]*:", target):
                continue
            file, _, anchor = target.partition("#")
            place = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
            if place.startswith("documentation/"):
                if has_reference and not os.path.exists(os.path.join(folder, place, "index.html")):
                    problems.append(f"{page}: the reference has no {place}")
                continue
            if os.path.isdir(os.path.join(folder, place)):
                place = os.path.join(place, "index.html")
            if not os.path.isfile(os.path.join(folder, place)):
                problems.append(f"{page}: there is no {target}")
            elif anchor and place.endswith(".html") and place in written and unquote(anchor) not in ids(place):
                problems.append(f"{page}: {place} has no #{anchor}")
    return problems
