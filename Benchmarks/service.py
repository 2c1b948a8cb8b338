#!/usr/bin/env python3
"""Compares what `ozu serve` takes to answer with what other image servers take.

    make bench ARGS=service                     the same by its short name
    python3 Benchmarks/service.py --ozu .build/release/ozu [--rounds 5] [--count 40] [--json FILE] [CASE...]

    thumbnails COUNT requests a round for thumbnails that no cache has: each is fetched from the origin, decoded, reduced
               to a width around 320 pixels and written as JPEG of quality 80; by 1, 8 and 64 clients
    hits       requests for one thumbnail that memory has, by 1, 8 and 64 clients; beside them a hit of nginx's cache
    health     the time of /health (given up after 10 seconds) while 16 clients ask for thumbnails that no cache has, and
               of a 503 where 8 of them are more than may wait; beside them how late the system wakes the process that
               asks, which sleeps 10 ms between two questions
    memory     64 clients ask at once for thumbnails of a photograph of 8 megapixels that no cache has

Subjects, one process each besides their own helpers: `ozu serve` (decoders in processes of their own, as always), nginx
with image_filter (libgd), thumbor (Pillow), and a handler of libvips over a bare socket, as the smallest possible server.
Each is left out where it is not installed. They take turns in every round. The figure is the processor time (user and
system) of all processes of a subject: those of the session that it was started in, the ended ones too. Memory is what they
take together (PSS, shared pages once), sampled. Everything is on loopback; the origin is an nginx whose time counts
for nobody.

Needs what `make bench-peers` installs.
"""

import argparse
import glob
import json
import os
import shutil
import statistics
import sys
import tempfile

from servers import cases, subjects
from servers.subject import Subject, free_ports


class Rows:
    def __init__(self):
        self.rows = []

    def add(self, case, subject, metric, values):
        self.rows.append({
            "case": case, "subject": subject, "metric": metric, "median": round(statistics.median(values), 4),
            "min": round(min(values), 4), "max": round(max(values), 4), "runs": len(values)})
        print(f"  {case:28} {subject:28} {metric:10} {statistics.median(values):10.3f}"
              f"  [{min(values):.3f}-{max(values):.3f}]", flush=True)


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    with open("/etc/os-release") as file:
        system = next((line.split('"')[1] for line in file if line.startswith("PRETTY_NAME")), "")
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu, "cores": os.cpu_count(), "memory_bytes": memory_bytes, "system": system}


def main():
    if sys.argv[1:2] == ["--probe"]:
        return cases.probe(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    if sys.argv[1:2] == ["--libvips-handler"]:
        return subjects.libvips_handler(int(sys.argv[2]), sys.argv[3])
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ozu", required=True)
    parser.add_argument("--thumbor", help="the program; as usual that of `make bench-peers`, or that on the path")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--count", type=int, default=40, help="thumbnails in a round")
    parser.add_argument("--smoke", action="store_true", help="one small round")
    parser.add_argument("--json", help="where the rows are written")
    parser.add_argument("cases", nargs="*", metavar="CASE", choices=[[], "thumbnails", "hits", "health", "memory"])
    arguments = parser.parse_args()
    if arguments.smoke:
        arguments.rounds, arguments.count = 1, 5
    chosen = arguments.cases or ["thumbnails", "hits", "health", "memory"]
    import pyvips
    rows = Rows()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        photos = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/Apps/OzuCLI/Resources/Photos")
        names = []
        for path in sorted(glob.glob(os.path.join(photos, "*.jpg"))):
            shutil.copy(path, folder)
            names.append(os.path.basename(path))
        large = pyvips.Image.new_from_file(os.path.join(photos, "the-spices-of-life.jpg")).crop(0, 0, 1600, 1200)
        large.resize(3266 / large.width).jpegsave(os.path.join(folder, "large.jpg"), Q=89)
        ports = free_ports()
        origin = Subject("origin", subjects.nginx(folder, port := next(ports), f"root {folder}; etag off;"), port, None,
                         folder=folder)
        origin.wait()
        started = [origin]
        try:
            print(f"service: {arguments.rounds} rounds, {arguments.count} thumbnails each of {len(names)} photographs")
            found = subjects.installed(arguments, folder, ports, origin.port)
            started += found
            if "thumbnails" in chosen:
                cases.thumbnails(found, rows, arguments, names)
            if "hits" in chosen:
                cache = Subject(
                    "yardstick:nginx cache", subjects.nginx(
                        folder, port := next(ports), f"location / {{ proxy_pass http://origin; {subjects.PROXY} proxy_cache c; "
                        "proxy_cache_valid 200 1h; proxy_ignore_headers Cache-Control Vary; }", found[0].port,
                        f"proxy_cache_path {folder}/cache keys_zone=c:1m;"), port, None, folder=folder)
                started.append(cache)
                cache.wait()
                cases.hits(found, rows, arguments, names, cache)
            if "health" in chosen:
                # A host, and there is one, has half of the places.
                small = subjects.ozu(arguments, folder, next(ports), origin.port, "16")
                started.append(small)
                small.wait()
                cases.health(found, small, rows, arguments, names)
            if "memory" in chosen:
                cases.memory(found, rows, arguments)
        finally:
            for subject in reversed(started):
                subject.close()
    if arguments.json:
        with open(arguments.json, "w") as file:
            lines = ",\n".join("    " + json.dumps(row) for row in rows.rows)
            file.write('{\n  "benchmark": "service",\n  "machine": %s,\n  "rows": [\n%s\n  ]\n}\n'
                       % (json.dumps(machine()), lines))


if __name__ == "__main__":
    main()
