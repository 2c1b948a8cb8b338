"""The cases of files.py. Each adds its rows to the report."""

import json
import os
import resource
import shutil
import statistics
import subprocess
import sys

from files_pictures import FORMATS, score

# Starts the peers that are scripts, in processes of their own.
SCRIPT = os.path.join(os.path.dirname(os.path.abspath(__file__)), "files.py")
WIDTHS = {"set to 1280": [160, 320, 480, 640, 960, 1280], "set to 2560": [160, 320, 640, 1280, 1920, 2560]}
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
                [sys.executable, SCRIPT, "--vips-set", photograph, out, joined]])[1]))
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
            [sys.executable, SCRIPT, "--pillow-thumbnails", fresh(outs["Pillow"])] + photographs])[0])
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
