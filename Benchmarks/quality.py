#!/usr/bin/env python3
"""Measures the tables of Sources/Core/OzuImaging/Encoding/QualityScale.swift: one quality, one look in every format.

    python3 Benchmarks/quality.py --pictures DIR --ozu .build/release/ozu [--half calibration|held-out|all]
        [--cache FILE] [--json FILE] [--report]

DIR has the folders `photographs` and `drawings`; every second picture of each, by name, is held out. `ozu load` writes
each picture in each format at the points of a grid. The look is the SSIMULACRA2 of the decoded file, in the mean of the
pictures. A knot of a table is the codec's parameter that has the look of JPEG at this quality. It is raised until neither
kind has 2 points less than JPEG, as the codecs are better for drawn pictures. It is then lowered until AVIF has fewer bytes
than WebP, and WebP than JPEG, by 1 %, in the geometric mean of either kind.

The parameters of the grid follow from the tables that the binary was built with, which are read from the Swift file,
so the binary and the file must be of one commit.

Prints the tables to paste, and for each kind the looks and the bytes that the printed tables give; with `--report` those
of the tables in the file instead. `--cache` keeps the scores for the next run of the same binary.

Needs what `make bench-peers` installs. A picture of 0.06 megapixels takes 4 seconds, and 25 more with the `ssimulacra2` of PyPI;
a faster module of this name may stand before it on PYTHONPATH.
"""

import argparse
import hashlib
import io
import json
import math
import os
import re
import subprocess
import sys
import tempfile

import numpy
from PIL import Image
from ssimulacra2 import compute_ssimulacra2

SWIFT = os.path.join(os.path.dirname(__file__), "../Sources/Core/OzuImaging/Encoding/QualityScale.swift")
# What the bytes of a format are less than those of the next, so that they are so for other pictures too.
MARGIN = 0.01
# The most points that the mean of a kind may be below JPEG's.
MOST_LOSS = 2
KNOTS = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.85, 0.89, 0.9, 0.95, 1]
FORMATS = ["webp", "avif", "jxl"]
# The curves that are measured: qualities of the command line, or parameters of the codec.
GRIDS = {
    "jpeg": [10, 20, 30, 40, 50, 60, 70, 80, 85, 89, 90, 95, 100],
    "webp": [0, 10, 25, 40, 55, 68, 78, 86, 93, 100],
    "avif": [0, 12, 25, 38, 47, 55, 63, 71, 79, 87, 94, 100],
    "jxl": [5, 20, 35, 50, 65, 75, 83, 90, 95, 100],
}


def swift_tables():
    """The knots and tables of the Swift file."""
    with open(SWIFT) as file:
        text = file.read()
    numbers = lambda name: [
        float(word) for word in re.search(r"let %s(?:: \[Double\])? = \[([^\]]*)\]" % name, text)[1].split(",") if word.strip()]
    return {name: dict(zip(numbers("knots"), numbers(name))) for name in FORMATS}


def interpolated(points, x):
    """The value at `x` of points joined by lines, the nearest point's outside of them."""
    return float(numpy.interp(x, *zip(*sorted(points))))


class Ozu:
    """Writes files by `ozu load`, at the parameter of a codec."""

    def __init__(self, path, folder):
        self.path, self.folder, self.tables = path, folder, swift_tables()
        with open(path, "rb") as file:
            self.identity = hashlib.sha256(file.read()).hexdigest()[:16]

    def quality(self, extension, parameter):
        """The quality of the command line that gives about a parameter, and the parameter that it gives."""
        if extension == "jpeg":
            return parameter, parameter
        table = list(self.tables[extension].items())
        quality = round(100 * interpolated([(value, knot) for knot, value in table], parameter / 100))
        return quality, 100 * interpolated(table, quality / 100)

    def run(self, source, target, extension, *options):
        words = [self.path, "load", source, "--format", extension, "--no-cache", "--quiet", "--force", "-o", target]
        subprocess.run(words + list(options), check=True)
        with open(target, "rb") as file:
            return file.read()

    def encode(self, path, extension, parameter):
        """The bytes of a file and the parameter with which they were written."""
        quality, parameter = self.quality(extension, parameter)
        name = "encoded." + ("jpg" if extension == "jpeg" else extension)
        return self.run(path, os.path.join(self.folder, name), extension, "--quality", str(quality)), parameter

    def decode(self, data, extension):
        """A file that Pillow can open."""
        if extension != "jxl":
            return io.BytesIO(data)
        source = os.path.join(self.folder, "encoded.jxl")
        with open(source, "wb") as file:
            file.write(data)
        return io.BytesIO(self.run(source, os.path.join(self.folder, "decoded.png"), "png"))


def pictures(folder, half):
    found = []
    for kind in ("photographs", "drawings"):
        names = sorted(name for name in os.listdir(os.path.join(folder, kind)) if name.endswith(".png"))
        chosen = {"calibration": names[::2], "held-out": names[1::2], "all": names}[half]
        found += [(kind, os.path.join(folder, kind, name)) for name in chosen]
    return found


def measure(encoder, chosen, cache_path):
    """Rows (kind, picture, format, parameter, bytes, look)."""
    cache = {}
    if cache_path and os.path.exists(cache_path):
        with open(cache_path) as file:
            cache = {tuple(json.loads(line)[0]): json.loads(line)[1] for line in file}
    cache_file = open(cache_path, "a") if cache_path else io.StringIO()
    rows = []
    for kind, path in chosen:
        for extension, grid in GRIDS.items():
            for wanted in grid:
                key = (encoder.identity, os.path.basename(path), extension, wanted)
                if key not in cache:
                    data, parameter = encoder.encode(path, extension, wanted)
                    look = compute_ssimulacra2(path, encoder.decode(data, extension))
                    cache[key] = [parameter, len(data), round(float(look), 3)]
                    print(json.dumps([key, cache[key]]), file=cache_file, flush=True)
                rows.append((kind, os.path.basename(path), extension, *cache[key]))
    return rows


class Measured:
    """The curves of the rows."""

    def __init__(self, rows):
        self.rows, self.kinds = rows, list(dict.fromkeys(row[0] for row in rows))

    def points(self, extension, kind, column):
        """(parameter, mean of a column) of the pictures of a kind, or of all."""
        found = {}
        for row in self.rows:
            if row[2] == extension and kind in (None, row[0]):
                found.setdefault(row[3], []).append(math.log(row[4]) if column == "bytes" else row[5])
        return [(parameter, sum(values) / len(values)) for parameter, values in found.items()]

    def value(self, extension, parameter, kind, column):
        """The mean look, or the mean logarithm of the bytes, at a parameter from 0 to 100."""
        return interpolated(self.points(extension, kind, column), parameter)

    def parameter(self, extension, look):
        """The parameter with a mean look."""
        points = sorted(self.points(extension, None, "look"))
        # The look may fall a little near the ends, where a codec changes its ways.
        rising = [points[0]] + [b for a, b in zip(points, points[1:]) if b[1] > max(p[1] for p in points[:points.index(b)])]
        return interpolated([(score, parameter) for parameter, score in rising], look)

    def resembles(self, extension, knot, parameter):
        """Whether no kind looks much worse than JPEG's."""
        return all(
            self.value(extension, parameter, kind, "look") >= self.value("jpeg", knot * 100, kind, "look") - MOST_LOSS
            for kind in self.kinds)

    def fits(self, extension, other, parameter, other_parameter):
        """Whether no kind has more bytes than in another format."""
        return all(
            self.value(extension, parameter, kind, "bytes")
            <= self.value(other, other_parameter, kind, "bytes") - MARGIN for kind in self.kinds)

    def tables(self):
        tables = {extension: {0: 0.0} for extension in FORMATS}
        for knot in KNOTS[1:-1]:
            look = self.value("jpeg", knot * 100, None, "look")
            for extension in FORMATS:
                parameter = self.parameter(extension, look)
                while parameter < 100 and not self.resembles(extension, knot, parameter):
                    parameter += 0.5
                larger = {"webp": ("jpeg", knot * 100), "avif": ("webp", tables["webp"].get(knot, 0) * 100)}.get(extension)
                while larger and parameter > 0 and not self.fits(extension, larger[0], parameter, larger[1]):
                    parameter -= 0.5
                tables[extension][knot] = round(max(parameter, 0) / 100, 3)
        for table in tables.values():
            table[1] = 1.0
            # A table rises everywhere, so that a lower quality always has fewer bytes: by a thousandth at least, from
            # its later knots down.
            for lower, upper in reversed(list(zip(KNOTS, KNOTS[1:]))):
                table[lower] = max(0, round(min(table[lower], table[upper] - 0.001), 3))
            for lower, upper in zip(KNOTS, KNOTS[1:]):
                table[upper] = round(max(table[upper], table[lower] + 0.001), 3)
        return tables

    def show(self, tables):
        print("looks (SSIMULACRA2, mean), and bytes of JPEG's (geometric mean)")
        for kind in self.kinds + [None]:
            count = len({row[1] for row in self.rows if kind in (None, row[0])})
            print("\n%s (%d)\n  quality   jpeg  " % (kind or "all", count) + "".join("%16s" % name for name in FORMATS))
            for knot in KNOTS[1:]:
                line = "  %7.2f %6.1f  " % (knot, self.value("jpeg", knot * 100, kind, "look"))
                own = self.value("jpeg", knot * 100, kind, "bytes")
                for extension in FORMATS:
                    parameter = interpolated(list(tables[extension].items()), knot) * 100
                    line += "%9.1f %6.3f" % (
                        self.value(extension, parameter, kind, "look"),
                        math.exp(self.value(extension, parameter, kind, "bytes") - own))
                print(line)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", required=True)
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--half", choices=["calibration", "held-out", "all"], default="calibration")
    parser.add_argument("--cache")
    parser.add_argument("--report", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        run(arguments, Ozu(arguments.ozu, folder))


def run(arguments, encoder):
    rows = measure(encoder, pictures(arguments.pictures, arguments.half), arguments.cache)
    measured = Measured(rows)
    tables = swift_tables() if arguments.report else measured.tables()
    if not arguments.report:
        line = lambda name, values: print("  private static let %s = [%s]" % (name, ", ".join("%g" % value for value in values)))
        line("knots", KNOTS)
        for name in FORMATS:
            line(name, [tables[name][knot] for knot in KNOTS])
        print()
    measured.show(tables)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"benchmark": "quality", "rows": rows, "tables": {
                name: list(table.items()) for name, table in tables.items()}}, file)


if __name__ == "__main__":
    main()
