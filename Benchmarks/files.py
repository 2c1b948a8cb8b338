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
import json
import os
import statistics
import sys
import tempfile

from files_cases import again, sets, thumbnails
from files_pictures import make_photographs, pillow_thumbnails, vips_set


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
