#!/usr/bin/env python3
"""Draws what the disk cache costs from a thousand to a million entries, and prints it as a table.

    make bench ARGS='disk-curve --json' > now.json
    python3 Benchmarks/disk-curve.py now.json [--before before.json] [--svg FILE]

Both axes are logarithmic. With the results of an earlier release, its lines are dashed.
"""

import argparse
import json
import math
from xml.sax.saxutils import escape

# The plotted series, in microseconds: the name of the case after "N entries: ", and a factor.
SERIES = [
    ("store (worst)", 1, "#c01c28"),
    ("flush after 300 uses (median)", 1, "#e66100"),
    ("open", 1000, "#1a5fb4"),
    ("store (median)", 1, "#26a269"),
    ("fetch (median)", 1, "#813d9c"),
    ("miss", 1, "#5e5c64"),
]
COUNTS = [1_000, 10_000, 100_000, 1_000_000]
WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 760, 460, 70, 50, 20, 230
LOWEST, HIGHEST = -2, 6


def values(path):
    with open(path) as file:
        rows = json.load(file)["rows"]
    return {(row["case"], row["subject"]): row["median"] for row in rows}


def place(count, microseconds):
    x = LEFT + (math.log10(count) - 3) / 3 * (WIDTH - LEFT - RIGHT)
    share = (math.log10(max(microseconds, 10**LOWEST)) - LOWEST) / (HIGHEST - LOWEST)
    return x, HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)


def text(x, y, words, anchor="start", colour="#333"):
    return f'<text x="{x:.0f}" y="{y:.0f}" text-anchor="{anchor}" fill="{colour}">{escape(words)}</text>'


def duration(exponent):
    return {-2: "10 ns", 0: "1 µs", 2: "100 µs", 4: "10 ms", 6: "1 s"}.get(exponent, "")


def line(found, name, factor, colour, dash):
    points = [(count, found.get((f"{count} entries: {name}", "ozu"))) for count in COUNTS]
    places = [place(count, value * factor) for count, value in points if value is not None]
    path = " ".join(f"{x:.1f},{y:.1f}" for x, y in places)
    shape = f'<polyline points="{path}" fill="none" stroke="{colour}" stroke-width="2" {dash}/>'
    return shape, places[-1] if places else None


def picture(now, before):
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for exponent in range(LOWEST, HIGHEST + 1):
        x, y = place(1000, 10**exponent)
        parts.append(f'<line x1="{x}" y1="{y:.1f}" x2="{WIDTH - RIGHT}" y2="{y:.1f}" stroke="#ddd"/>')
        parts.append(text(x - 8, y + 4, duration(exponent), "end"))
    for count in COUNTS:
        x, _ = place(count, 1)
        parts.append(text(x, HEIGHT - BOTTOM + 20, f"{count:,}", "middle"))
    parts.append(text((LEFT + WIDTH - RIGHT) / 2, HEIGHT - 10, "entries of 100 bytes", "middle"))
    labels = []
    for name, factor, colour in SERIES:
        for found, dash in [(now, ""), (before, 'stroke-dasharray="5 4" opacity="0.7"')]:
            if not found:
                continue
            shape, end = line(found, name, factor, colour, dash)
            parts.append(shape)
            if end:
                labels.append((end[1], name + (", before" if dash else ""), colour))
    # Labels keep their distance.
    lowest = 0
    for y, name, colour in sorted(labels):
        y = max(y, lowest)
        lowest = y + 14
        parts.append(text(WIDTH - RIGHT + 8, y + 4, name, colour=colour))
    return "\n".join(parts + ["</svg>"]) + "\n"


def table(now, before):
    names = [case.split(": ", 1)[1] for case, subject in now if case.startswith("1000 entries") and subject == "ozu"]
    for kind in ["", "full, "]:
        for name in names:
            cells = []
            for count in COUNTS:
                key = (f"{kind}{count} entries: {name}", "ozu")
                cell = f"{now[key]:.3g}" if key in now else ""
                cells.append(cell + (f" ({before[key]:.3g})" if before and key in before else ""))
            print("| " + " | ".join([kind + name] + cells) + " |")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("now")
    parser.add_argument("--before")
    parser.add_argument("--svg")
    arguments = parser.parse_args()
    now = values(arguments.now)
    before = values(arguments.before) if arguments.before else None
    table(now, before)
    if arguments.svg:
        with open(arguments.svg, "w") as file:
            file.write(picture(now, before))


main()
