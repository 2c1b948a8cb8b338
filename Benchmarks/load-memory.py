#!/usr/bin/env python3
"""Samples the resident memory of `ozu load` over many mixed files, and draws it.

    python3 Benchmarks/load-memory.py --ozu .build/release/ozu --corpus DIR [--count 20000] [--svg FILE] [-- OPTION...]

Takes small files of a corpus, links them under names of their own until there are enough of them, and loads them all in
one call; options behind `--` go to `ozu load`. Files that are no images are among them as they come: a load that fails is
a load. Prints, for each tenth of the files, the smallest, the median and the largest resident memory while it was
loaded, and says whether memory was flat: no median after the first tenth is more than a fifth above that of the second.
Single large pictures that are decoded at the same time make the peaks.
Reads /proc, so it is for Linux.
"""

import argparse
import os
import random
import shutil
import statistics
import subprocess
import sys
import tempfile
import threading
import time


def chosen_files(corpus, distinct, limit):
    found = []
    for folder, _, names in os.walk(corpus):
        for name in names:
            path = os.path.join(folder, name)
            if not os.path.islink(path) and 0 < os.path.getsize(path) <= limit:
                found.append(path)
    found.sort()
    random.Random(18).shuffle(found)
    return found[:distinct]


def make_files(folder, originals, count):
    """Copies the originals once and links the copies: other names are other sources."""
    copies = []
    for number, path in enumerate(originals):
        copy = os.path.join(folder, "original-%d" % number)
        shutil.copyfile(path, copy)
        copies.append((copy, os.path.splitext(path)[1]))
    order = random.Random(19)
    names = []
    for number in range(count):
        copy, ending = order.choice(copies)
        name = "%05d%s" % (number, ending if len(ending) < 6 else "")
        os.link(copy, os.path.join(folder, name))
        names.append(name)
    return names


class Run:
    def __init__(self, command, folder):
        self.done = 0
        self.samples = []
        environment = dict(os.environ, XDG_CACHE_HOME=folder)
        self.process = subprocess.Popen(
            command, cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            env=environment)
        # The reports come in the order of the sources; a failure goes to the other stream.
        readers = [
            threading.Thread(target=self.count, args=(stream,))
            for stream in (self.process.stdout, self.process.stderr)]
        for reader in readers:
            reader.start()
        page = os.sysconf("SC_PAGESIZE")
        while self.process.poll() is None:
            try:
                with open("/proc/%d/statm" % self.process.pid) as file:
                    resident = int(file.read().split()[1]) * page
            except (OSError, IndexError):
                break
            if resident:
                self.samples.append((self.done, resident / 1e6))
            time.sleep(0.01)
        self.process.wait()
        for reader in readers:
            reader.join()

    def count(self, stream):
        for line in stream:
            if b": " in line:
                self.done += 1


def table(samples, count):
    rows = []
    for tenth in range(10):
        low, high = count * tenth // 10, count * (tenth + 1) // 10
        values = [mb for done, mb in samples if low <= done < high or tenth == 9 and done >= high]
        if values:
            rows.append((low, high, min(values), statistics.median(values), max(values)))
    return rows


def svg(samples, count, title):
    width, height, left, bottom = 800, 300, 60, 40
    top = max(mb for _, mb in samples) * 1.1

    def point(done, mb):
        x = left + (width - left - 20) * min(done, count) / count
        return "%.1f,%.1f" % (x, (height - bottom) - (height - bottom - 30) * mb / top)

    step = max(1, len(samples) // 2000)
    line = " ".join(point(*sample) for sample in samples[::step])
    parts = [
        '<svg xmlns="http://www.w3.org/2000/svg" width="%d" height="%d" font-family="sans-serif" font-size="12">'
        % (width, height), '<rect width="100%" height="100%" fill="#fff"/>',
        '<text x="%d" y="18">%s</text>' % (left, title)]
    for number in range(5):
        mb = top * number / 4
        x, y = point(0, mb).split(",")
        parts.append('<line x1="%s" y1="%s" x2="%d" y2="%s" stroke="#ddd"/>' % (x, y, width - 20, y))
        parts.append('<text x="%d" y="%s" text-anchor="end">%.0f MB</text>' % (left - 6, y, mb))
    for number in range(0, 11, 2):
        x, y = point(count * number / 10, 0).split(",")
        parts.append(
            '<text x="%s" y="%d" text-anchor="middle">%d</text>' % (x, height - 18, count * number // 10))
    parts.append('<polyline points="%s" fill="none" stroke="#06c" stroke-width="1.2"/></svg>' % line)
    return "\n".join(parts) + "\n"


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--corpus", required=True)
    parser.add_argument("--count", type=int, default=20_000)
    parser.add_argument("--distinct", type=int, default=500)
    parser.add_argument("--limit", type=int, default=300_000, help="bytes of the largest file")
    parser.add_argument("--svg", help="where the curve is drawn")
    parser.add_argument("options", nargs="*", help="for ozu load; by default -s 320x240")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="ozu-load-memory-") as folder:
        originals = chosen_files(arguments.corpus, arguments.distinct, arguments.limit)
        if not originals:
            sys.exit("no files of at most %d bytes in %s" % (arguments.limit, arguments.corpus))
        names = make_files(folder, originals, arguments.count)
        options = arguments.options or ["-s", "320x240"]
        start = time.time()
        run = Run([os.path.abspath(arguments.ozu), "load"] + names + options + ["--cache", "cache"], folder)
        print("%d loads of %d files in %.0f s, %d reports, exit status %d" % (
            len(names), len(originals), time.time() - start, run.done, run.process.returncode))
    rows = table(run.samples, arguments.count)
    print("| files | smallest MB | median MB | largest MB |\n|---|---|---|---|")
    for low, high, smallest, median, largest in rows:
        print("| %d–%d | %.0f | %.0f | %.0f |" % (low, high, smallest, median, largest))
    if run.process.returncode not in (0, 1):
        sys.exit("ozu load ended with %d" % run.process.returncode)
    if len(rows) < 10:
        sys.exit("too few samples: load more files")
    later = [row[3] for row in rows[1:]]
    print("flat" if max(later) <= 1.2 * later[0] else "not flat")
    if arguments.svg:
        title = "Resident memory of ozu load %s by files loaded" % " ".join(options)
        with open(arguments.svg, "w") as file:
            file.write(svg(run.samples, arguments.count, title))


main()
