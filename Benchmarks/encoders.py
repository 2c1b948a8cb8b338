#!/usr/bin/env python3
"""Compares the bytes of encoders at equal looks.

    python3 Benchmarks/encoders.py --pictures DIR --ozu .build/release/ozu [--sizes 320,800]
        [--formats jpeg,webp,avif,jxl,png,palette] [--qualities 40,55,...] [--colors 16,64,256] [--points 60,70,80,90]
        [--encoder NAME]... [--without NAME]... [--command NAME=FORMAT:TEMPLATE]... [--ozu-options NAME=FORMAT:OPTIONS]...
        [--luma] [--butteraugli PROGRAM] [--rows] [--cache FILE [--cached]] [--json FILE]

Every picture of DIR (PNG, or what Pillow reads) is reduced to each size as its longest side (0: as it is; pictures are never
enlarged) and written by every encoder at every quality. A row has the bytes, the SSIMULACRA2 of the file against
the reduced picture, by `ozu compare`, and the processor time of the encoder; that of `ozu` and of commands
includes the start of the process. Folders in DIR are kinds of pictures, such as `photographs` and `drawings`, which get
their own figures. `--luma` adds PSNR and SSIM of luma, `--butteraugli` the distance that a program prints for two PNGs
(https://github.com/google/butteraugli).

The table at the end has, for each kind, size and format, the bytes at equal points of SSIMULACRA2 relative to the first
encoder of the format: the geometric mean over the pictures for which both reach the points, with the number of these, by
linear interpolation of the logarithm of the bytes. With the other measures the same, at the value that the
first encoder has at these points. Lossless files are compared by their bytes. A `palette` is a PNG of few colours, whose
qualities are `--colors`; its bytes are compared at equal colours.

`--encoder` selects by the beginning of a name; without it, all that are installed; `--without` leaves out. `--ozu-options` adds
a row of `ozu load` with more options, such as 'high=jpeg:--effort high'. `--command` adds a program: {in} is a PNG, {out} the file,
{q} the quality, such as 'cjxl=jxl:cjxl {in} {out} -q {q}', and {quantizer} goes from 63 to 0 as the quality rises. `--cache` keeps
the rows for the next run, which measures what is missing; with `--cached` nothing, and the results are of all rows that were kept.

Needs what `make bench-peers` installs.
"""

import argparse
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile

import numpy
from encoders_subjects import ENDINGS, LOSSLESS, PALETTE, Command, libraries, ozu_encoder
from PIL import Image

# What says how a file looks, besides its SSIMULACRA2.
MEASURES = ("psnr", "ssim", "butteraugli")
FORMATS = ["jpeg", "webp", "avif", "jxl", "png", PALETTE]


def processor_time():
    own, children = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return own.ru_utime + own.ru_stime + children.ru_utime + children.ru_stime


def pictures(folder):
    """(kind, name, path) of the pictures of a folder and of the folders in it."""
    found = []
    for place, _, names in sorted(os.walk(folder)):
        kind = os.path.relpath(place, folder)
        for name in sorted(names):
            if name.rsplit(".")[-1].lower() in ("png", "jpg", "jpeg", "webp", "avif", "tif", "tiff", "bmp"):
                found.append(("all" if kind == "." else kind, name.rsplit(".", 1)[0], os.path.join(place, name)))
    return found


def reduced(path, side):
    image = Image.open(path)
    if image.mode in ("RGBA", "LA", "P"):
        image = Image.alpha_composite(Image.new("RGBA", image.size, "white"), image.convert("RGBA"))
    image = image.convert("RGB")
    if side and max(image.size) > side:
        image.thumbnail((side, side), Image.LANCZOS)
    return image


def luma(image):
    return numpy.asarray(image.convert("RGB"), dtype=numpy.float64) @ (0.299, 0.587, 0.114)


def psnr(a, b):
    error = numpy.mean((a - b) ** 2)
    return 10 * math.log10(255 * 255 / error) if error else 99.0


def ssim(a, b):
    """The mean SSIM of Wang et al. (2004), with a Gaussian of 1.5 pixels."""
    from scipy.ndimage import gaussian_filter

    blur = lambda values: gaussian_filter(values, 1.5, truncate=3.5)
    mean_a, mean_b = blur(a), blur(b)
    variance_a, variance_b = blur(a * a) - mean_a**2, blur(b * b) - mean_b**2
    covariance = blur(a * b) - mean_a * mean_b
    c1, c2 = (0.01 * 255) ** 2, (0.03 * 255) ** 2
    return float(numpy.mean(
        (2 * mean_a * mean_b + c1) * (2 * covariance + c2)
        / ((mean_a**2 + mean_b**2 + c1) * (variance_a + variance_b + c2))))


class Scorer:
    """Compares files with the picture that they were made of."""

    def __init__(self, arguments, folder):
        self.ozu, self.luma, self.butteraugli = arguments.ozu, arguments.luma, arguments.butteraugli
        self.folder = folder

    def measures(self, reference, data, extension):
        path = os.path.join(self.folder, "scored." + ENDINGS.get(extension, extension))
        with open(path, "wb") as file:
            file.write(data)
        words = [self.ozu, "compare", reference, path, "--no-cache", "--json"]
        compared = subprocess.run(words, capture_output=True, text=True)
        if compared.returncode:
            sys.exit("%s: %s" % (" ".join(words), compared.stderr))
        found = {"ssimulacra2": json.loads(compared.stdout)["ssimulacra2"]}
        if not self.luma and not self.butteraugli:
            return found
        image = self.decoded(path, extension)
        if self.luma:
            original, result = luma(Image.open(reference)), luma(image)
            found["psnr"], found["ssim"] = round(psnr(original, result), 3), round(ssim(original, result), 6)
        if self.butteraugli:
            decoded = os.path.join(self.folder, "decoded.png")
            image.save(decoded, compress_level=1)
            words = [self.butteraugli, reference, decoded]
            found["butteraugli"] = round(float(subprocess.run(words, check=True, capture_output=True).stdout.split()[-1]), 4)
        return found

    def decoded(self, path, extension):
        """The pixels of a file, also of one that Pillow does not know."""
        if extension == "jxl":
            png = os.path.join(self.folder, "decoded.png")
            subprocess.run([self.ozu, "load", path, "--no-cache", "--quiet", "--force", "-f", "png", "-o", png], check=True)
            path = png
        return Image.open(path).convert("RGB")


class Cache:
    """Rows of former runs, one a line."""

    def __init__(self, path):
        self.rows, self.file = {}, None
        if path:
            if os.path.exists(path):
                with open(path) as file:
                    self.rows = {self.key(row): row for row in map(json.loads, file)}
            self.file = open(path, "a")

    def key(self, row):
        return tuple(row[name] for name in ("kind", "picture", "side", "format", "encoder", "quality"))

    def add(self, row):
        if self.file:
            print(json.dumps(row), file=self.file, flush=True)


def measure(arguments, encoders, folder):
    rows, scorer, cache = [], Scorer(arguments, folder), Cache(arguments.cache)
    for kind, name, path in pictures(arguments.pictures):
        sides_done = set()
        for side in arguments.sizes:
            image = reduced(path, side)
            if image.size in sides_done:
                continue
            sides_done.add(image.size)
            # A name of its own, since libvips keeps what it has read of a name.
            reference = os.path.join(folder, "%s-%s-%d.png" % (kind.replace("/", "-"), name, side))
            image.save(reference, compress_level=1)
            for encoder, extension, encode in encoders:
                for quality in qualities(arguments, extension):
                    row = {
                        "kind": kind, "picture": name, "side": side, "format": extension, "encoder": encoder,
                        "quality": quality}
                    row = cache.rows.get(cache.key(row)) or written(row, reference, encode, scorer, cache)
                    if not row:
                        continue
                    rows.append(row)
                    if arguments.rows:
                        print("%-12s %-20s %5d %-5s %-22s %4s %8d bytes %7.1f ms  %s" % (
                            kind, name, side, extension, encoder, quality, row["bytes"], row["cpu_ms"],
                            " ".join("%s %s" % (key, row[key]) for key in ("ssimulacra2",) + MEASURES if key in row)),
                            flush=True)
            os.remove(reference)
    return rows


def qualities(arguments, extension):
    return [None] if extension in LOSSLESS else arguments.colors if extension == PALETTE else arguments.qualities


def written(row, reference, encode, scorer, cache):
    """The row with what was measured, or None if the encoder cannot."""
    started = processor_time()
    try:
        data = encode(reference, row["quality"])
    except Exception as error:
        print("%s, %s: %s" % (row["encoder"], row["picture"], error), file=sys.stderr)
        return None
    row["bytes"], row["cpu_ms"] = len(data), round((processor_time() - started) * 1000, 1)
    if row["format"] not in LOSSLESS:
        row.update(scorer.measures(reference, data, row["format"]))
    cache.add(row)
    return row


def interpolated(curve, x):
    """The value at `x` of points that are joined by lines; None outside of them."""
    curve = sorted(curve)
    for (x0, y0), (x1, y1) in zip(curve, curve[1:]):
        if x0 <= x <= x1:
            return y0 if x1 == x0 else y0 + (y1 - y0) * (x - x0) / (x1 - x0)
    return None


def compare(rows, points):
    """Rows of relative bytes: one for each kind, side, format, encoder, measure and point."""
    table = []
    groups = {}
    for row in rows:
        groups.setdefault((row["kind"], row["side"], row["format"]), []).append(row)
    for (kind, side, extension), members in groups.items():
        encoders = list(dict.fromkeys(row["encoder"] for row in members))
        names = list(dict.fromkeys(row["picture"] for row in members))
        of = lambda encoder, name: [r for r in members if r["encoder"] == encoder and r["picture"] == name]

        def add(encoder, metric, point, logarithms):
            if logarithms:
                table.append({
                    "kind": kind, "side": side, "format": extension, "encoder": encoder, "at": metric, "points": point,
                    "ratio": round(math.exp(sum(logarithms) / len(logarithms)), 4), "pictures": len(logarithms)})

        for encoder in encoders:
            if extension in LOSSLESS:
                add(encoder, "bytes", None, [
                    math.log(a[0]["bytes"] / b[0]["bytes"])
                    for a, b in ((of(encoder, name), of(encoders[0], name)) for name in names) if a and b])
                continue
            if extension == PALETTE:
                for count in sorted({row["quality"] for row in members}):
                    at = lambda one, name: [row for row in of(one, name) if row["quality"] == count]
                    add(encoder, "colours", count, [
                        math.log(a[0]["bytes"] / b[0]["bytes"])
                        for a, b in ((at(encoder, name), at(encoders[0], name)) for name in names) if a and b])
                continue
            for point in points:
                for metric in ("ssimulacra2",) + MEASURES:
                    logarithms = []
                    for name in names:
                        own, base = (
                            [row for row in of(one, name) if metric in row] for one in (encoder, encoders[0]))
                        target = point
                        if metric != "ssimulacra2":
                            target = interpolated([(r["ssimulacra2"], r[metric]) for r in base], point)
                        if target is None:
                            continue
                        a, b = (
                            interpolated([(r[metric], math.log(r["bytes"])) for r in curve], target)
                            for curve in (own, base))
                        if a is not None and b is not None:
                            logarithms.append(a - b)
                    add(encoder, metric, point, logarithms)
    return table


def curves(rows):
    """The means of the pictures: one row for each kind, side, format, encoder and quality that all pictures have."""
    groups, counts = {}, {}
    for row in rows:
        key = tuple(row[name] for name in ("kind", "side", "format", "encoder", "quality"))
        groups.setdefault(key, []).append(row)
        counts[key[:3]] = max(counts.get(key[:3], 0), len(groups[key]))
    result = []
    for (kind, side, extension, encoder, quality), members in groups.items():
        if len(members) < counts[kind, side, extension]:
            continue
        mean = lambda name: sum(row[name] for row in members) / len(members)
        result.append({
            "kind": kind, "side": side, "format": extension, "encoder": encoder, "quality": quality,
            "pictures": len(members), "cpu_ms": round(mean("cpu_ms"), 1),
            "bytes": round(math.exp(sum(math.log(row["bytes"]) for row in members) / len(members)))})
        if "ssimulacra2" in members[0]:
            result[-1]["ssimulacra2"] = round(mean("ssimulacra2"), 2)
    return result


def show(table):
    lines = {}
    for row in table:
        key = (row["kind"], row["side"], row["format"], row["encoder"])
        lines.setdefault(key, {}).setdefault(row["at"], []).append(row)
    group = None
    for (kind, side, extension, encoder), measures in lines.items():
        if group != (kind, side, extension):
            group = (kind, side, extension)
            print("\n%s, %s, %s" % (kind, side or "whole", extension))
        print("  %-26s" % encoder, "   ".join(
            "%s %s" % (metric, " ".join(
                ("" if r["points"] is None else "%g:" % r["points"]) + "%.3f (%d)" % (r["ratio"], r["pictures"])
                for r in values)) for metric, values in measures.items()))


def subjects(arguments, folder):
    """Ozu first: others are compared with it."""
    encoders = [
        ("ozu", extension, ozu_encoder(arguments.ozu, extension, [], folder)) for extension in arguments.formats]
    for text in arguments.ozu_options:
        name, rest = text.split("=", 1)
        extension, options = rest.split(":", 1)
        encoders.append(
            ("ozu " + name, extension, ozu_encoder(arguments.ozu, extension, shlex.split(options), folder)))
    for text in arguments.command:
        name, rest = text.split("=", 1)
        extension, template = rest.split(":", 1)
        encoders.append((name, extension, Command(shlex.split(template), extension, folder)))
    encoders += libraries()
    return [
        one for one in encoders
        if one[1] in arguments.formats
        and (not arguments.encoder or any(one[0].startswith(start) for start in arguments.encoder))
        and not any(one[0].startswith(start) for start in arguments.without)]


def main():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", required=True)
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--sizes", type=numbers, default=[320, 800])
    parser.add_argument("--formats", type=lambda text: text.split(","), default=["jpeg", "webp", "avif", "png"], help="of " + ", ".join(FORMATS))
    parser.add_argument("--qualities", type=numbers, default=[30, 40, 50, 60, 68, 75, 80, 85, 90, 95])
    parser.add_argument("--colors", type=numbers, default=[16, 64, 256])
    parser.add_argument("--points", type=numbers, default=[60, 70, 80, 90])
    parser.add_argument("--encoder", action="append", default=[])
    parser.add_argument("--without", action="append", default=[])
    parser.add_argument("--ozu-options", action="append", default=[])
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--luma", action="store_true")
    parser.add_argument("--butteraugli")
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--cache")
    parser.add_argument("--cached", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        if arguments.cached:
            # Ozu first: others are compared with it.
            rows = sorted(Cache(arguments.cache).rows.values(), key=lambda row: (
                row["kind"], row["side"], FORMATS.index(row["format"]), row["encoder"] != "ozu", row["encoder"]))
        else:
            encoders = subjects(arguments, folder)
            if not encoders:
                sys.exit("no encoder is left")
            rows = measure(arguments, encoders, folder)
    table = compare(rows, arguments.points)
    show(table)
    if arguments.json:
        # The pictures' own rows would be a megabyte.
        found = {"benchmark": "encoders", "curves": curves(rows), "table": table}
        with open(arguments.json, "w") as file:
            lines = [
                '"%s": [\n%s\n]' % (name, ",\n".join(json.dumps(row) for row in found[name])) for name in ("curves", "table")]
            file.write('{"benchmark": "encoders",\n%s}\n' % ",\n".join(lines))


if __name__ == "__main__":
    main()
