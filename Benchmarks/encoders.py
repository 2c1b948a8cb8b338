#!/usr/bin/env python3
"""Compares the bytes of encoders at equal looks.

    python3 Benchmarks/encoders.py --pictures DIR [--ozu .build/release/ozu] [--sizes 320,800] [--formats jpeg,webp,avif,png]
        [--qualities 40,55,...] [--points 60,70,80,90] [--encoder NAME]... [--command NAME=FORMAT:TEMPLATE]...
        [--ozu-options NAME=FORMAT:OPTIONS]... [--rows] [--json FILE]

Every picture of DIR (PNG, or what Pillow reads) is reduced to each size as its longest side (0: as it is; pictures are never
enlarged) and written by every encoder at every quality. A row has the bytes, the SSIMULACRA2 of the decoded file against
the reduced picture, PSNR and SSIM of its luma, and the processor time of the encoder; that of `ozu` and of commands
includes the start of the process. Folders in DIR are kinds of pictures, such as `photographs` and `drawings`, which get
their own figures.

The table at the end has, for each kind, size and format, the bytes at equal points of SSIMULACRA2 relative to the first
encoder of the format: the geometric mean over the pictures for which both reach the points, with the number of these, by
linear interpolation of the logarithm of the bytes. With `psnr` and `ssim` the same at the PSNR and the SSIM that the
first encoder has at these points. Lossless files are compared by their bytes.

`--encoder` selects by the beginning of a name; without it, all that are installed. `--ozu-options` adds a row of `ozu load`
with more options, such as 'high=jpeg:--effort high'. `--command` adds a program: {in} is a PNG, {out} the file, {q} the
quality, such as 'cjxl=jxl:cjxl {in} {out} -q {q}'.

Needs what `make bench-peers` installs; oxipng's row needs pyoxipng.
"""

import argparse
import io
import json
import math
import os
import resource
import shlex
import subprocess
import sys
import tempfile

os.environ["VIPS_CONCURRENCY"] = "1"

import numpy
from PIL import Image
from ssimulacra2 import compute_ssimulacra2

Image.MAX_IMAGE_PIXELS = None
LOSSLESS = {"png"}


def libraries():
    """The encoders of PyPI's libraries: (name, format, function of the path of a PNG and a quality)."""
    encoders = []

    def pillow(extension, **options):
        def encode(path, quality):
            memory = io.BytesIO()
            if extension == "png":
                Image.open(path).save(memory, "png", **options)
            else:
                Image.open(path).save(memory, extension, quality=quality, **options)
            return memory.getvalue()

        return encode

    version = "Pillow " + __import__("PIL").__version__
    encoders.append((version, "jpeg", pillow("jpeg")))
    encoders.append((version, "webp", pillow("webp")))
    encoders.append((version, "avif", pillow("avif")))
    encoders.append((version, "png", pillow("png")))
    try:
        import pyvips

        # From here on each call works on one thread.
        version = "libvips %d.%d.%d" % tuple(pyvips.version(part) for part in range(3))

        def vips(suffix, **options):
            def encode(path, quality):
                image = pyvips.Image.new_from_file(path)
                if "png" not in suffix:
                    options["Q"] = quality
                return image.write_to_buffer(suffix, keep=0, **options)

            return encode

        # The defaults of sharp, and its `mozjpeg: true`.
        encoders.append((version, "jpeg", vips(".jpg", optimize_coding=True)))
        encoders.append((version, "webp", vips(".webp", effort=4)))
        encoders.append((version, "avif", vips(".avif", effort=4)))
        encoders.append((version, "png", vips(".png", compression=6)))
        mozjpeg = dict(
            trellis_quant=True, overshoot_deringing=True, optimize_scans=True, optimize_coding=True, interlace=True)
        for number in (3, 2):
            encoders.append(
                ("mozjpeg, table %d" % number, "jpeg", vips(".jpg", quant_table=number, **mozjpeg)))
    except ImportError:
        pass
    try:
        import oxipng

        for level in (2, 6):
            encoders.append(
                ("oxipng %d" % level, "png",
                 lambda path, quality, level=level: oxipng.optimize_from_memory(
                     open(path, "rb").read(), level=level, strip=oxipng.StripChunks.all())))
    except ImportError:
        pass
    return encoders


class Command:
    """An encoder that is a program."""

    def __init__(self, arguments, extension, folder):
        self.arguments, self.output = arguments, os.path.join(folder, "encoded." + extension)

    def __call__(self, path, quality):
        if os.path.exists(self.output):
            os.remove(self.output)
        words = [
            word.replace("{in}", path).replace("{out}", self.output).replace("{q}", str(quality))
            for word in self.arguments]
        subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        with open(self.output, "rb") as file:
            return file.read()


def ozu_encoder(path, extension, options, folder):
    name = {"jpeg": "jpg"}.get(extension, extension)
    words = [path, "load", "{in}", "--format", extension, "--quality", "{q}", "--no-cache", "--quiet", "-o", "{out}"]
    return Command(words + options, name, folder)


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


def decoded(data, extension, ozu, folder):
    """A picture that Pillow can open."""
    if extension != "jxl":
        return io.BytesIO(data)
    source, target = os.path.join(folder, "decode." + extension), os.path.join(folder, "decoded.png")
    with open(source, "wb") as file:
        file.write(data)
    subprocess.run([ozu, "load", source, "--no-cache", "--quiet", "--force", "-f", "png", "-o", target], check=True)
    with open(target, "rb") as file:
        return io.BytesIO(file.read())


def measure(arguments, encoders, folder):
    rows = []
    reference = os.path.join(folder, "reference.png")
    for kind, name, path in pictures(arguments.pictures):
        sides_done = set()
        for side in arguments.sizes:
            image = reduced(path, side)
            if image.size in sides_done:
                continue
            sides_done.add(image.size)
            # A name of its own, so that a scorer may keep what it knows about a reference.
            reference = os.path.join(folder, "%s-%s-%d.png" % (kind.replace("/", "-"), name, side))
            image.save(reference, compress_level=1)
            original = luma(image)
            for encoder, extension, encode in encoders:
                for quality in [None] if extension in LOSSLESS else arguments.qualities:
                    started = processor_time()
                    try:
                        data = encode(reference, quality)
                    except Exception as error:
                        print("%s, %s: %s" % (encoder, name, error), file=sys.stderr)
                        continue
                    row = {
                        "kind": kind, "picture": name, "side": side, "format": extension, "encoder": encoder,
                        "quality": quality, "bytes": len(data), "cpu_ms": round((processor_time() - started) * 1000, 1)}
                    if extension not in LOSSLESS:
                        file = decoded(data, extension, arguments.ozu, folder)
                        row["ssimulacra2"] = round(float(compute_ssimulacra2(reference, file)), 3)
                        file.seek(0)
                        result = luma(Image.open(file))
                        row["psnr"], row["ssim"] = round(psnr(original, result), 3), round(ssim(original, result), 6)
                    rows.append(row)
                    if arguments.rows:
                        print("%-12s %-20s %5d %-5s %-22s %4s %8d bytes %7.1f ms  %s" % (
                            kind, name, side, extension, encoder, quality, row["bytes"], row["cpu_ms"],
                            " ".join("%s %s" % (key, row[key]) for key in ("ssimulacra2", "psnr", "ssim") if key in row)),
                            flush=True)
            os.remove(reference)
    return rows


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
            for point in points:
                for metric in ("ssimulacra2", "psnr", "ssim"):
                    logarithms = []
                    for name in names:
                        own, base = of(encoder, name), of(encoders[0], name)
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


def main():
    numbers = lambda text: [int(word) for word in text.split(",")]
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--pictures", required=True)
    parser.add_argument("--ozu")
    parser.add_argument("--sizes", type=numbers, default=[320, 800])
    parser.add_argument("--formats", type=lambda text: text.split(","), default=["jpeg", "webp", "avif", "png"])
    parser.add_argument("--qualities", type=numbers, default=[30, 40, 50, 60, 68, 75, 80, 85, 90, 95])
    parser.add_argument("--points", type=numbers, default=[60, 70, 80, 90])
    parser.add_argument("--encoder", action="append", default=[])
    parser.add_argument("--ozu-options", action="append", default=[])
    parser.add_argument("--command", action="append", default=[])
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--json")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        encoders = []
        if arguments.ozu:
            for extension in arguments.formats:
                encoders.append(("ozu", extension, ozu_encoder(arguments.ozu, extension, [], folder)))
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
        encoders = [
            one for one in encoders
            if one[1] in arguments.formats
            and (not arguments.encoder or any(one[0].startswith(start) for start in arguments.encoder))]
        if not encoders:
            sys.exit("no encoder is left")
        rows = measure(arguments, encoders, folder)
    table = compare(rows, arguments.points)
    show(table)
    if arguments.json:
        with open(arguments.json, "w") as file:
            json.dump({"benchmark": "encoders", "rows": rows, "table": table}, file, indent=1)


if __name__ == "__main__":
    main()
