#!/usr/bin/env python3
"""Fails when a figure on a page is another than the recorded results say. `check_figures.py write` puts them right.

A figure stands behind a comment: `<!-- figure: thumbnail 12mp-420-320x240 libvips -->2.4` is the processor time of libvips for a
picture of this case in Benchmarks/thumbnail.json, as a multiple of Ozu's: the geometric mean over the pictures, of medians.

The first columns of the table of costs on the page "Formats" are medians of Benchmarks/formats.json."""

import json
import os
import re
import statistics
import sys

import pages

FIGURE = re.compile(r"<!-- figure: (\S+) (\S+) (\S+) -->([0-9.]+)")


def ratio(benchmark, case, peer):
    times = {}
    for row in json.loads(pages.read(f"Benchmarks/{benchmark}.json"))["rows"]:
        if row["metric"] == "cpu_ms" and row["case"].split("/")[0] == case:
            times.setdefault(row["case"], {})[row["subject"].split()[0] if row["subject"] != "ozu fast" else ""] = row["median"]
    return statistics.geometric_mean(subjects[peer] / subjects["ozu"] for subjects in times.values())


FORMATS = "Sources/Libraries/OzuStandardCodecs/OzuStandardCodecs.docc/Formats.md"
CASES = {"JPEG": "jpeg", "PNG": "png", "WebP, lossy": "webp", "AVIF": "avif", "JPEG XL": "jxl", "GIF": "gif"}
COSTS = ("read_cpu_ms_per_mp", "read_with_10_previews_cpu_ms_per_mp", "write_cpu_ms_per_mp")


def written_costs(text):
    """The page with the recorded costs."""
    rows = json.loads(pages.read("Benchmarks/formats.json"))["rows"]
    medians = {(row["case"], row["metric"]): row["median"] for row in rows if row["subject"] == "ozu"}
    head, table = text.split("| format | read | with 10 previews |")
    for name, case in CASES.items():
        costs = [medians.get((case, cost)) for cost in COSTS]
        cells = ["–" if cost is None else f"{cost:.1f}" if cost < 9.95 else f"{cost:.0f}" for cost in costs]
        table, count = re.subn(rf"^(\| {name} \|)(?: [0-9.–]+ \|){{3}}", rf"\1 {' | '.join(cells)} |", table, count=1, flags=re.M)
        if count == 0:
            sys.exit(f"{FORMATS}: the table of costs has no row {name}")
    return head + "| format | read | with 10 previews |" + table


def main():
    status = 0
    for path in pages.documents() + pages.articles():
        text = pages.read(path)
        new = FIGURE.sub(lambda found: found[0][:found.start(4) - found.start()] + f"{ratio(*found.groups()[:3]):.1f}", text)
        if path == FORMATS:
            new = written_costs(new)
        if new == text:
            continue
        if sys.argv[1:] == ["write"]:
            with open(os.path.join(pages.ROOT, path), "w", encoding="utf-8") as file:
                file.write(new)
        else:
            print(f"{path}: a figure is not the recorded one: run check_figures.py write", file=sys.stderr)
            status = 1
    return status


if __name__ == "__main__":
    sys.exit(main())
