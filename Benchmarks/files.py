#!/usr/bin/env python3
"""Compares what `ozu` takes to make files with what libvips takes for the same ones.

    python3 Benchmarks/files.py --ozu .build/release/ozu [--rounds 5] [--count 200] [--keep DIR] [--json FILE] [CASE...]

    sets       6 widths x 3 formats of photographs of 12 megapixels: `ozu set`, 18 runs of `ozu load`, 18 of
               vipsthumbnail, and a script of pyvips that makes each width once and writes it three times; with
               widths up to 1280 and up to 2560
    thumbnails COUNT photographs of 12 megapixels to JPEG files of 320 x 240: `ozu load`, with --fast too,
               vipsthumbnail, and a script of Pillow (draft mode, Lanczos with a reducing gap of 2)
    again      the same with a cache: `ozu load` a first and a second time, and what it decodes and encodes

Without a case, all. Subjects take turns in every round; the figure is the processor time (user and system) of all their
processes. That of the script of pyvips begins when Python and libvips have started, and it works on one thread, as
vipsthumbnail does: more would only add to it. Settings are made equal: quality, 4:2:0, the method of libwebp, the speed
of libaom, Huffman tables made for the picture, no metadata.

Photographs come from the resources of `ozu`: parts of them, brought to 4000 x 3000 by bicubic interpolation and written
as JPEG with quality 89. Scores are SSIMULACRA2 against the whole decode, reduced by Lanczos3 in floating point, so what
decoding, reducing and encoding lose together.

Needs what `make bench-peers` installs.
"""

import argparse
import functools
import glob
import io
import json
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

WIDTHS = {"set to 1280": [160, 320, 480, 640, 960, 1280], "set to 2560": [160, 320, 640, 1280, 1920, 2560]}
# Formats with what makes their encoders work equally. libheif's speed is 9 less the effort of libvips; ozu uses 8.
FORMATS = [
    ("avif", "[Q=80,effort=1,subsample_mode=on,strip]", dict(Q=80, effort=1, subsample_mode="on", strip=True)),
    ("webp", "[Q=80,effort=4,strip]", dict(Q=80, effort=4, strip=True)),
    ("jpg", "[Q=80,optimize_coding,subsample_mode=on,strip]",
     dict(Q=80, optimize_coding=True, subsample_mode="on", strip=True)),
]
JPEG = FORMATS[2]
ENCODING = ["--quality", "80", "--chroma", "quarter"]
ENVIRONMENT = dict(os.environ, VIPS_CONCURRENCY="1")


def run(commands):
    """Milliseconds of processor time of processes that run one after the other, and what the last of them printed."""
    total, output = 0.0, b""
    for command in commands:
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        done = subprocess.run(command, env=ENVIRONMENT, stdin=subprocess.DEVNULL, capture_output=True)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        if done.returncode != 0:
            sys.exit("%s: %s" % (" ".join(command[:6]), done.stderr.decode()[-500:]))
        output = done.stdout
        total += after.ru_utime - before.ru_utime + after.ru_stime - before.ru_stime
    return total * 1000, output


def fresh(folder):
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    return folder


def make_photographs(folder, count):
    """Writes `count` photographs: each original first as a whole, then parts of it."""
    import pyvips

    here = os.path.dirname(os.path.abspath(__file__))
    originals = sorted(glob.glob(os.path.join(here, "../Sources/OzuCLI/Resources/Photos/*.jpg")))
    os.makedirs(folder, exist_ok=True)
    paths = []
    for number in range(count):
        name = os.path.splitext(os.path.basename(originals[number % len(originals)]))[0]
        part = number // len(originals)
        path = os.path.join(folder, "%s-%02d.jpg" % (name, part))
        paths.append(path)
        if os.path.exists(path):
            continue
        image = pyvips.Image.new_from_file(originals[number % len(originals)])
        # 4:3, and for later parts smaller and elsewhere.
        height = int(min(image.height, image.width * 3 / 4) * (1 - 0.01 * part))
        width = height * 4 // 3
        left = (image.width - width) * (part % 7) // 6
        top = (image.height - height) * (part % 5) // 4
        image = image.crop(left, top, width, height).resize(4000 / width, vscale=3000 / height, kernel="cubic")
        image.crop(0, 0, 4000, 3000).jpegsave(
            path, Q=89, optimize_coding=True, subsample_mode="on", strip=True)
    return paths


def vips_set(source, folder, widths):
    """The body of the process that makes a set by pyvips; prints its processor time."""
    import pyvips

    start = time.process_time()
    for width in map(int, widths.split(",")):
        image = pyvips.Image.thumbnail(source, width, height=100_000).copy_memory()
        for ending, _, options in FORMATS:
            image.write_to_file(os.path.join(folder, "%d.%s" % (width, ending)), **options)
    print((time.process_time() - start) * 1000)


def pillow_thumbnails(folder, *photographs):
    """The body of the process that makes thumbnails by Pillow."""
    from PIL import Image

    for path in photographs:
        image = Image.open(path)
        image.draft("RGB", (640, 480))
        image = image.convert("RGB").resize((320, 240), Image.LANCZOS, reducing_gap=2.0)
        image.save(os.path.join(folder, os.path.basename(path)), quality=80, optimize=True, subsampling="4:2:0")


@functools.cache
def exact(photograph, width, height):
    """The pixels of a photograph in a size, by a float Lanczos3 of the whole decode."""
    import pyvips

    whole = pyvips.Image.new_from_file(photograph)
    reduced = whole.cast("float").resize(width / whole.width, vscale=height / whole.height, kernel="lanczos3")
    return png(reduced.rint().cast("uchar"))


def png(image):
    """The bytes of a PNG of an image of libvips."""
    import numpy
    from PIL import Image

    rows = numpy.frombuffer(image.write_to_memory(), dtype=numpy.uint8)
    file = io.BytesIO()
    Image.fromarray(rows.reshape(image.height, image.width, image.bands)[:, :, :3]).save(file, "png")
    return file.getvalue()


def score(photograph, path):
    """SSIMULACRA2 of a file against its photograph in the same size."""
    import pyvips
    from ssimulacra2 import compute_ssimulacra2

    image = pyvips.Image.new_from_file(path)
    names = []
    for data in exact(photograph, image.width, image.height), png(image):
        names.append("%s.%d.png" % (path, len(names)))
        with open(names[-1], "wb") as file:
            file.write(data)
    result = compute_ssimulacra2(*names)
    for name in names:
        os.remove(name)
    return float(result)


class Report:
    def __init__(self):
        self.rows = []

    def add(self, case, samples, quality=None):
        """Adds and prints a row for each subject; a ratio is the time of the first of them by its own, the
        median of the rounds."""
        first = next(iter(samples.values()))
        for subject, values in samples.items():
            row = {
                "case": case, "subject": subject, "metric": "cpu_ms", "median": round(statistics.median(values), 1),
                "min": round(min(values), 1), "max": round(max(values), 1), "runs": len(values)}
            ratios = sorted(own / other for own, other in zip(first, values))
            row["ratio"] = round(statistics.median(ratios), 3)
            row["quality"] = (quality or {}).get(subject)
            if row["quality"] is None:
                del row["quality"]
            self.rows.append(row)
            print("%-11s %-22s %9.0f ms [%.0f-%.0f]  ratio %.2f [%.2f-%.2f] %s" % (
                case, subject, row["median"], row["min"], row["max"], row["ratio"], ratios[0], ratios[-1],
                row.get("quality", "")), flush=True)


def sets(ozu, photographs, folder, rounds, report):
    for case, widths in WIDTHS.items():
        one_set(ozu, photographs[:5], folder, rounds, report, case, widths)


def one_set(ozu, photographs, folder, rounds, report, case, widths):
    samples = {}
    outs = {}
    joined = ",".join(map(str, widths))

    def subject(name, turn, number, work):
        out = outs[name, number] = fresh(os.path.join(folder, name.replace(" ", "-"), str(number)))
        samples.setdefault(name, [0.0] * rounds)[turn] += work(out)

    for turn in range(rounds):
        for number, photograph in enumerate(photographs):
            subject("ozu set", turn, number, lambda out: run([
                [ozu, "set", photograph, "-w", joined, "-f", "avif,webp,jpeg", "--no-cache", "-o",
                 os.path.join(out, "{width}.{ext}")] + ENCODING])[0])
            subject("18 ozu load", turn, number, lambda out: run([
                [ozu, "load", photograph, "-s", "%dx65535" % width, "--no-cache", "-o",
                 os.path.join(out, "%d.%s" % (width, ending))] + ENCODING
                for width in widths for ending, _, _ in FORMATS])[0])
            subject("18 vipsthumbnail", turn, number, lambda out: run([
                ["vipsthumbnail", photograph, "-s", "%dx100000" % width, "-o",
                 os.path.join(out, "%d.%s%s" % (width, ending, options))]
                for width in widths for ending, options, _ in FORMATS])[0])
            subject("pyvips", turn, number, lambda out: float(run([
                [sys.executable, os.path.abspath(__file__), "--vips-set", photograph, out, joined]])[1]))
    quality = {}
    for name in samples:
        rows = {}
        for ending, _, _ in FORMATS:
            files = [
                (photographs[number], os.path.join(outs[name, number], "%d.%s" % (width, ending)))
                for number in range(len(photographs)) for width in widths]
            # The large ones take long to score and say the same.
            scores = [score(*file) for file in files if not os.path.basename(file[1]).startswith(("1920", "2560"))]
            rows[ending] = {
                "bytes": sum(os.path.getsize(path) for _, path in files),
                "ssimulacra2": round(statistics.mean(scores), 1)}
        quality[name] = rows
    report.add(case, samples, quality)


def thumbnails(ozu, photographs, folder, rounds, report):
    samples = {"ozu load": [], "ozu load --fast": [], "vipsthumbnail": [], "Pillow": []}
    outs = {name: os.path.join(folder, name.replace(" ", "-")) for name in samples}
    for _ in range(rounds):
        for name in list(samples)[:2]:
            samples[name].append(run([
                [ozu] + name.split()[1:] + ["-s", "320x240", "-f", "jpeg", "--no-cache", "-o", fresh(outs[name])]
                + ENCODING + photographs])[0])
        samples["vipsthumbnail"].append(run([
            ["vipsthumbnail", "-s", "320x240", "-o",
             os.path.join(fresh(outs["vipsthumbnail"]), "%s." + JPEG[0] + JPEG[1])] + photographs])[0])
        samples["Pillow"].append(run([
            [sys.executable, os.path.abspath(__file__), "--pillow-thumbnails", fresh(outs["Pillow"])] + photographs])[0])
    quality = {}
    for name, out in outs.items():
        files = [(path, os.path.join(out, os.path.basename(path))) for path in photographs]
        scores = [score(*file) for file in files[:40]]
        quality[name] = {
            "bytes": sum(os.path.getsize(path) for _, path in files), "ssimulacra2": round(statistics.mean(scores), 2),
            "smallest": round(min(scores), 2)}
    report.add("thumbnails", samples, quality)


def again(ozu, photographs, folder, rounds, report):
    samples = {"ozu load, again": [], "ozu load, first": []}
    counts = {}
    cache = os.path.join(folder, "cache")
    for _ in range(rounds):
        fresh(cache)
        for name in reversed(samples):
            cpu, output = run([
                [ozu, "load", "-s", "320x240", "-f", "jpeg", "--cache", cache, "--json", "--stats", "-o",
                 fresh(os.path.join(folder, "out"))] + ENCODING + photographs])
            samples[name].append(cpu)
            found = json.loads(output.splitlines()[-1])["statistics"]
            counts[name] = {"decodes": found["decodes"], "encodes": found["encodes"]}
    report.add("again", samples, counts)


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    with open("/etc/os-release") as file:
        system = next((line.split('"')[1] for line in file if line.startswith("PRETTY_NAME")), "")
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu, "cores": os.cpu_count(), "memory_bytes": memory, "system": system}


def main():
    if sys.argv[1:2] == ["--vips-set"]:
        return vips_set(*sys.argv[2:])
    if sys.argv[1:2] == ["--pillow-thumbnails"]:
        return pillow_thumbnails(*sys.argv[2:])
    cases = {"sets": sets, "thumbnails": thumbnails, "again": again}
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=200, help="photographs of the thumbnails")
    parser.add_argument("--keep", help="where the photographs are kept for the next time")
    parser.add_argument("--json", help="where the rows are written")
    parser.add_argument("cases", nargs="*", metavar="CASE", choices=[[], *cases], help=", ".join(cases))
    arguments = parser.parse_args()
    ozu = os.path.abspath(arguments.ozu)
    report = Report()
    with tempfile.TemporaryDirectory(prefix="ozu-files-") as folder:
        photographs = make_photographs(arguments.keep or os.path.join(folder, "photographs"), arguments.count)
        for name in arguments.cases or cases:
            cases[name](ozu, photographs, os.path.join(folder, name), arguments.rounds, report)
    if arguments.json:
        with open(arguments.json, "w") as file:
            rows = ",\n".join("    " + json.dumps(row) for row in report.rows)
            file.write(
                '{\n  "benchmark": "files",\n  "machine": %s,\n  "rows": [\n%s\n  ]\n}\n'
                % (json.dumps(machine()), rows))


main()
