#!/usr/bin/env python3
"""Makes the sheets of Documentation/encoders: crops of files that have equal bytes, by Ozu and by other encoders.

    python3 Benchmarks/crops.py .build/release/ozu Documentation/encoders

Two photographs of `ozu`, reduced to 640 pixels, and a diagram that this script draws. Ozu writes each at one quality; of every
other encoder, and of Ozu with high effort, a quality is taken that has as many bytes or at most 2 % more, or the next above. A crop is shown at twice
its size, with the bytes of its whole file and the SSIMULACRA2 of the whole picture (`ozu compare`). Prints the same as
tables. `avifenc` and `cjxl` take part where they are installed, the others need what `make bench-peers` installs.
"""

import argparse
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

from encoders_subjects import ENDINGS, Command, libraries, ozu_encoder
from PIL import Image, ImageDraw, ImageFont

HERE = os.path.dirname(os.path.abspath(__file__))
PHOTOGRAPHS = os.path.join(HERE, "../Sources/Apps/OzuCLI/Resources/Photos")
SIDE = 640
# The part of each picture that is shown, and how many times as large.
CROP, SCALE = (150, 112), 2
PICTURES = {"spices": (290, 190), "osprey": (195, 60), "diagram": (68, 112)}
FILES = {"spices": "the-spices-of-life.jpg", "osprey": "perched-osprey.jpg"}
# The quality of Ozu's files: low enough that losses are seen.
QUALITY = 50
FORMATS = ["jpeg", "webp", "avif", "jxl"]
COLUMNS = 5
# Those that tell nothing new: one of two of mozjpeg's tables, Pillow beside the encoders that it contains.
WITHOUT = {("mozjpeg, table 2", "jpeg"), ("Pillow", "jpeg"), ("Pillow", "webp"), ("Pillow", "avif")}


def diagram():
    """Lines, small text in colours, areas and a gradient, without a licence of somebody else."""
    width, height, over = SIDE, SIDE * 2 // 3, 3
    image = Image.new("RGB", (width * over, height * over), "white")
    draw = ImageDraw.Draw(image)
    font = ImageFont.load_default(13 * over)
    for x in range(width * over):
        shade = 225 + 25 * x // (width * over)
        draw.line([(x, 0), (x, 40 * over)], fill=(shade - 60, shade - 20, shade))
    draw.text((20 * over, 10 * over), "Latency by region, in milliseconds", font=font, fill="#102040")
    colours = ["#d01c1c", "#1c6cd0", "#1a8a3a", "#8a1aa0", "#d07a00", "#008a8a"]
    for index, colour in enumerate(colours):
        points = [
            ((60 + 12 * step) * over, (90 + 60 * index + 22 * math.sin(step * (0.3 + 0.11 * index))) * over)
            for step in range(60)]
        draw.line(points, fill=colour, width=2 * over)
        draw.text(
            (70 * over, (62 + 60 * index) * over), "eu-%d  p99 %d.%d  (n = %d)" % (index, 3 + 7 * index, index, 977 * index),
            font=font, fill=colour)
        draw.rectangle(
            [(230 + 40 * index) * over, 440 * over, (255 + 40 * index) * over, (510 - 9 * index) * over], fill=colour)
    for y in range(60, 430, 30):
        draw.line([(50 * over, y * over), (760 * over, y * over)], fill="#dddddd", width=1)
    draw.rectangle([50 * over, 50 * over, 770 * over, 430 * over], outline="#333333", width=over)
    return image.resize((width, height), Image.LANCZOS)


def picture(name):
    if name not in FILES:
        return diagram()
    image = Image.open(os.path.join(PHOTOGRAPHS, FILES[name])).convert("RGB")
    image.thumbnail((SIDE, SIDE), Image.LANCZOS)
    return image


def subjects(ozu, extension, folder):
    """The first is Ozu, with which the others are compared."""
    found = [("Ozu", ozu_encoder(ozu, extension, [], folder))]
    if extension != "avif":
        found.append(("Ozu, high effort", ozu_encoder(ozu, extension, ["--effort", "high"], folder)))
    found += [
        (name, encode) for name, other, encode in libraries()
        if other == extension and not any(name.startswith(start) and extension == only for start, only in WITHOUT)]
    programs = {
        # 0.11, Debian's, knows only quantizers.
        "avif": ["avifenc", "-j", "1", "--min", "{quantizer}", "--max", "{quantizer}", "{in}", "{out}"],
        "jxl": ["cjxl", "{in}", "{out}", "-q", "{q}", "--num_threads=0"]}
    words = programs.get(extension)
    if words and shutil.which(words[0]):
        found.append((words[0], Command(words, extension, folder)))
    return found[:COLUMNS - 1]


def with_bytes(encode, path, wanted):
    """The file that has a number of bytes, or at most 2 % more; else that of the lowest quality with more."""
    tried, quality = {0: (0, b""), 101: (math.inf, b"")}, QUALITY
    while True:
        data = encode(path, quality)
        tried[quality] = (len(data), data)
        if wanted <= len(data) <= wanted * 1.02:
            return data
        low = max(one for one, (count, _) in tried.items() if count < wanted)
        high = min(one for one, (count, _) in tried.items() if count >= wanted)
        if high - low <= 1:
            return tried[min(high, 100)][1] or data
        # Bytes grow by about 3 % from a quality to the next. Towards an end that was not tried, a step of that; else the
        # line through both.
        if low == 0 or high == 101:
            quality += round(math.log(wanted / len(data)) / 0.03)
        else:
            ends = [math.log(tried[one][0]) for one in (low, high)]
            quality = low + round((high - low) * (math.log(wanted * 1.01) - ends[0]) / (ends[1] - ends[0]))
        quality = min(max(quality, low + 1), high - 1)


def look(ozu, reference, data, extension, folder):
    """The decoded file, and its score."""
    path, decoded = (os.path.join(folder, name) for name in ("look." + ENDINGS.get(extension, extension), "decoded.png"))
    with open(path, "wb") as file:
        file.write(data)
    words = [ozu, "compare", reference, path, "--no-cache", "--json"]
    score = json.loads(subprocess.run(words, check=True, capture_output=True).stdout)["ssimulacra2"]
    subprocess.run([ozu, "load", path, "--no-cache", "--quiet", "--force", "-f", "png", "-o", decoded], check=True)
    return Image.open(decoded).convert("RGB"), score


def sheet(ozu, name, folder):
    """The sheet of a picture, and the rows of its table."""
    width, height, gap, line = CROP[0] * SCALE, CROP[1] * SCALE, 6, 20
    reference = os.path.join(folder, name + ".png")
    original = picture(name)
    original.save(reference)
    font = ImageFont.load_default(14)
    result = Image.new("RGB", (COLUMNS * (width + gap) - gap, len(FORMATS) * (height + line + gap)), "white")
    draw, rows = ImageDraw.Draw(result), []

    def cell(row, column, image, words):
        x, y = PICTURES[name]
        crop = image.crop((x, y, x + CROP[0], y + CROP[1])).resize((width, height), Image.NEAREST)
        left, top = column * (width + gap), row * (height + line + gap)
        draw.text((left + 2, top + 1), words, font=font, fill="black")
        result.paste(crop, (left, top + line))

    for row, extension in enumerate(FORMATS):
        cell(row, 0, original, "%s: the picture" % extension.upper())
        least = None
        for column, (subject, encode) in enumerate(subjects(ozu, extension, folder), 1):
            data = with_bytes(encode, reference, least) if least else encode(reference, QUALITY)
            least = least or len(data)
            image, score = look(ozu, reference, data, extension, folder)
            cell(row, column, image, "%s: %s bytes, %.1f" % (subject, format(len(data), ","), score))
            rows.append((name, extension, subject, len(data), score))
            print("| %s | %s | %s | %s | %.1f |" % (name, extension, subject, format(len(data), ","), score), flush=True)
    return result


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("ozu")
    parser.add_argument("output")
    arguments = parser.parse_args()
    os.makedirs(arguments.output, exist_ok=True)
    print("| picture | format | encoder | bytes | SSIMULACRA2 |\n|---|---|---|---|---|")
    with tempfile.TemporaryDirectory() as folder:
        for name in PICTURES:
            target = os.path.join(arguments.output, name + ".webp")
            sheet(arguments.ozu, name, folder).save(target, "webp", quality=78, method=6, use_sharp_yuv=True)
            print(os.path.getsize(target), "bytes", file=sys.stderr)


if __name__ == "__main__":
    main()
