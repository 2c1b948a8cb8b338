#!/usr/bin/env python3
"""Measures `ozu load --target`: how near its files are to the score that was asked for, and their bytes beside a fixed quality.

    Benchmarks/look.py --ozu .build/release/ozu --corpus DIR [--format jpeg] [--target 75] [--count 100] [--side 1200]
    Benchmarks/look.py --ozu .build/release/ozu --pairs 300 --reference ssimulacra2 --corpus DIR

The first form brings each photograph of the corpus to a longest side, writes it with the target and at fixed qualities, and scores
all files with `ozu compare`. It prints the mean and the spread of score minus target, the processor time, and the sum of bytes beside
that of the lowest fixed quality with the same 5th percentile of scores; with `--rows` each picture too. The second form compares the
scores of `ozu compare` with those of the reference (https://github.com/cloudinary/ssimulacra2, a program that takes two PNGs), for
files at random qualities."""

import argparse
import json
import pathlib
import random
import resource
import statistics
import subprocess
import sys
import tempfile

ENDINGS = {".jpg", ".jpeg", ".png", ".webp", ".avif", ".heic", ".jxl", ".tif", ".tiff"}
# The qualities among which the fixed one is looked for.
QUALITIES = range(20, 101)


def run(*command):
    return subprocess.run([str(word) for word in command], capture_output=True, text=True, check=True).stdout


def compare(ozu, original, copy):
    return json.loads(run(ozu, "compare", original, copy, "--no-cache", "--json"))


def photographs(ozu, corpus, count, side, folder):
    """PNGs of at most `count` files of the corpus, no side longer than `side`, with the names of the files."""
    files = sorted(path for path in pathlib.Path(corpus).rglob("*") if path.suffix.lower() in ENDINGS)
    found = {}
    for index, path in enumerate(files):
        if len(found) == count:
            break
        png = folder / f"{index}.png"
        try:
            run(ozu, "load", path, "-s", f"{side}x{side}", "--still", "-f", "png", "--no-cache", "-o", png)
        except subprocess.CalledProcessError:
            continue
        found[png] = path.name
    if not found:
        sys.exit(f"{corpus}: no picture")
    return found


def written(ozu, png, format, *options):
    """The score and the bytes of a picture that is written with options."""
    copy = png.with_suffix(".copy." + format)
    run(ozu, "load", png, "-f", format, "--no-cache", "-o", copy, "--force", *options)
    facts = compare(ozu, png, copy)
    return facts["ssimulacra2"], facts["copyBytes"]


def fifth(scores):
    return sorted(scores)[len(scores) // 20]


def processor_time():
    children = resource.getrusage(resource.RUSAGE_CHILDREN)
    return children.ru_utime + children.ru_stime


def measure_targets(arguments, pictures):
    target = arguments.target
    aimed, seconds = [], 0
    for png in pictures:
        started = processor_time()
        copy = png.with_suffix(".copy." + arguments.format)
        run(arguments.ozu, "load", png, "-f", arguments.format, "--no-cache", "-o", copy, "--force", "--target", target)
        seconds += processor_time() - started
        facts = compare(arguments.ozu, png, copy)
        aimed.append((facts["ssimulacra2"], facts["copyBytes"]))
        if arguments.rows:
            print(f"{pictures[png]}: {facts['ssimulacra2']} points, {facts['copyBytes']} bytes", flush=True)
    errors = [score - target for score, _ in aimed]
    print(f"{len(aimed)} pictures as {arguments.format}, target {target}, {seconds:.1f} s of processor time")
    print(f"score - target: mean {statistics.mean(errors):.2f}, least {min(errors):.2f}, most {max(errors):.2f};"
          f" {sum(abs(error) <= 1.5 for error in errors)} within 1.5, {sum(error < -1.5 for error in errors)} below")
    wanted = fifth([score for score, _ in aimed])
    print(f"bytes: {sum(count for _, count in aimed)}, 5th percentile of scores {wanted:.2f}", flush=True)
    tried = {}

    def reaches(quality):
        tried[quality] = [written(arguments.ozu, png, arguments.format, "-q", quality) for png in pictures]
        return fifth([score for score, _ in tried[quality]]) >= wanted

    # The lowest quality with that percentile, which rises with the quality.
    low, high = QUALITIES[0], QUALITIES[-1]
    if not reaches(high):
        print("no fixed quality has that percentile")
        return
    while low < high:
        middle = (low + high) // 2
        low, high = (low, middle) if reaches(middle) else (middle + 1, high)
    fixed = tried[high] if high in tried else [written(arguments.ozu, png, arguments.format, "-q", high) for png in pictures]
    total = sum(count for _, count in fixed)
    print(f"quality {high}: {total} bytes, 5th percentile of scores {fifth([score for score, _ in fixed]):.2f};"
          f" the target takes {sum(count for _, count in aimed) / total:.3f} of them")


def measure_pairs(arguments, pictures):
    choice, names = random.Random(1), list(pictures)
    errors = []
    for index in range(arguments.pairs):
        png = names[index % len(names)]
        copy, plain = png.with_suffix(".copy"), png.with_suffix(".plain.png")
        format, quality = choice.choice(["jpeg", "webp", "avif"]), choice.randint(10, 95)
        run(arguments.ozu, "load", png, "-f", format, "-q", quality, "--force", "--no-cache", "-o", copy)
        run(arguments.ozu, "load", copy, "-f", "png", "--no-cache", "-o", plain)
        expected = float(run(arguments.reference, png, plain).split()[-1])
        errors.append((abs(compare(arguments.ozu, png, plain)["ssimulacra2"] - expected), png.name, format, quality))
    print(f"{len(errors)} pairs: mean difference {statistics.mean(error[0] for error in errors):.3f}, largest {max(errors)}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--format", default="jpeg")
    parser.add_argument("--target", type=int, default=75)
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--side", type=int, default=1200)
    parser.add_argument("--rows", action="store_true")
    parser.add_argument("--pairs", type=int)
    parser.add_argument("--reference")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        pictures = photographs(arguments.ozu, arguments.corpus, arguments.count, arguments.side, pathlib.Path(name))
        if arguments.pairs:
            measure_pairs(arguments, pictures)
        else:
            measure_targets(arguments, pictures)


main()
