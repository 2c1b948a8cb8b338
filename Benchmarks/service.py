#!/usr/bin/env python3
"""Compares what `ozu serve` takes to answer with what other image servers take.

    make bench ARGS=service                     the same by its short name
    python3 Benchmarks/service.py --ozu .build/release/ozu [--rounds 5] [--count 40] [--json FILE] [CASE...]

    thumbnails COUNT requests a round for thumbnails that no cache has: each is fetched from the origin, decoded, reduced
               to a width around 320 pixels and written as JPEG of quality 80
    hits       requests for one thumbnail that memory has; beside them a hit of nginx's cache
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
import importlib.util
import itertools
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import tempfile
import threading
import time

QUALITY = 80
TICK = os.sysconf("SC_CLK_TCK")


class Rows:
    def __init__(self):
        self.rows = []

    def add(self, case, subject, metric, values):
        self.rows.append({
            "case": case, "subject": subject, "metric": metric, "median": round(statistics.median(values), 4),
            "min": round(min(values), 4), "max": round(max(values), 4), "runs": len(values)})
        print(f"  {case:28} {subject:28} {metric:10} {statistics.median(values):10.3f}"
              f"  [{min(values):.3f}-{max(values):.3f}]", flush=True)


# Subjects

def processes(session):
    """The processes of a session, with the fields of their `stat`."""
    for path in glob.glob("/proc/[0-9]*/stat"):
        try:
            with open(path) as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        if int(fields[3]) == session:
            yield int(path.split("/")[2]), fields


class Subject:
    """A server with all its processes."""

    def __init__(self, name, command, port, path, environment=None, folder=None, health=None):
        self.name, self.port, self.path, self.health = name, port, path, health
        self.log = open(os.path.join(folder, f"{port}.log"), "w+")
        self.process = subprocess.Popen(
            command, env=os.environ | (environment or {}), start_new_session=True, stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=self.log)

    def wait(self):
        for _ in range(200):
            try:
                socket.create_connection(("127.0.0.1", self.port), 1).close()
                return
            except OSError:
                time.sleep(0.05)
        self.log.seek(0)
        raise SystemExit(f"{self.name} did not start: {self.log.read()[-400:]}")

    def cpu(self):
        """Milliseconds of processor time until now."""
        ticks = 0
        for _, fields in processes(self.process.pid):
            ticks += sum(int(field) for field in fields[11:15])
        return 1000 * ticks / TICK

    def memory(self):
        """Bytes that its processes take, shared ones once."""
        total = 0
        for number, _ in processes(self.process.pid):
            try:
                with open(f"/proc/{number}/smaps_rollup") as file:
                    total += next(int(line.split()[1]) for line in file if line.startswith("Pss:")) << 10
            except (OSError, StopIteration):
                pass
        return total

    def close(self):
        try:
            os.killpg(self.process.pid, signal.SIGTERM)
            self.process.wait(30)
        except (ProcessLookupError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        self.log.close()


class Client:
    """A connection that is kept while the server keeps it. Plain sockets: the client must not take the machine."""

    def __init__(self, port, patience=60):
        self.port, self.patience, self.socket, self.rest = port, patience, None, b""

    def get(self, path):
        """The status and the body."""
        if self.socket is None:
            self.socket, self.rest = socket.create_connection(("127.0.0.1", self.port), self.patience), b""
        self.socket.sendall(
            f"GET {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nAccept: image/jpeg\r\n\r\n".encode())
        while b"\r\n\r\n" not in self.rest:
            self.receive()
        head, self.rest = self.rest.split(b"\r\n\r\n", 1)
        fields = dict(line.lower().split(b": ", 1) for line in head.split(b"\r\n")[1:])
        if b"content-length" in fields:
            length = int(fields[b"content-length"])
            while len(self.rest) < length:
                self.receive()
            body, self.rest = self.rest[:length], self.rest[length:]
        else:
            body = b""
            while True:
                while b"\r\n" not in self.rest:
                    self.receive()
                size, self.rest = self.rest.split(b"\r\n", 1)
                size = int(size, 16)
                while len(self.rest) < size + 2:
                    self.receive()
                body, self.rest = body + self.rest[:size], self.rest[size + 2:]
                if size == 0:
                    break
        if fields.get(b"connection") == b"close" or head.startswith(b"HTTP/1.0"):
            self.close()
        return int(head.split(b" ", 2)[1]), body

    def receive(self):
        piece = self.socket.recv(1 << 18)
        if not piece:
            raise RuntimeError("the connection has ended")
        self.rest += piece

    def close(self):
        if self.socket:
            self.socket.close()
        self.socket = None


def libvips_handler(port, origin):
    """One request after the other: fetch, reduce while decoding, write."""
    import http.client
    import pyvips
    pyvips.cache_set_max(0)
    listener = socket.create_server(("127.0.0.1", port), backlog=128)
    upstream = None
    import selectors
    chosen = selectors.DefaultSelector()
    chosen.register(listener, selectors.EVENT_READ)
    while True:
        for key, _ in chosen.select():
            if key.fileobj is listener:
                connection, _ = listener.accept()
                connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                chosen.register(connection, selectors.EVENT_READ)
                continue
            request = key.fileobj.recv(1 << 16)
            if not request:
                chosen.unregister(key.fileobj)
                key.fileobj.close()
                continue
            _, width, name = request.split(b" ", 2)[1].decode().split("/", 2)
            try:
                upstream = upstream or http.client.HTTPConnection("127.0.0.1", int(origin))
                upstream.request("GET", "/" + name)
                data = upstream.getresponse().read()
            except (OSError, http.client.HTTPException):
                # The origin closes what is idle for long.
                upstream = http.client.HTTPConnection("127.0.0.1", int(origin))
                upstream.request("GET", "/" + name)
                data = upstream.getresponse().read()
            image = pyvips.Image.thumbnail_buffer(data, int(width), height=100_000, size="down")
            body = image.jpegsave_buffer(Q=QUALITY, keep="none", optimize_coding=True)
            head = f"HTTP/1.1 200 OK\r\nContent-Type: image/jpeg\r\nContent-Length: {len(body)}\r\n\r\n"
            key.fileobj.sendall(head.encode() + body)


NGINX = """
daemon off;
worker_processes 1;
pid {folder}/{port}.pid;
error_log {folder}/{port}.log;
{modules}
events {{ worker_connections 512; }}
http {{
  access_log off;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ image/jpeg jpg; }}
  {http}
  upstream origin {{ server 127.0.0.1:{origin}; keepalive 16; }}
  server {{
    listen 127.0.0.1:{port} backlog=512;
    keepalive_requests 1000000;
    {server}
  }}
}}
"""

PROXY = 'proxy_http_version 1.1; proxy_set_header Connection "";'


def nginx(folder, port, server, origin=1, http="", modules=""):
    path = os.path.join(folder, f"{port}.conf")
    with open(path, "w") as file:
        file.write(NGINX.format(folder=folder, port=port, server=server, origin=origin, http=http, modules=modules))
    program = shutil.which("nginx", path=os.environ.get("PATH", "") + ":/usr/sbin")
    return [program, "-e", f"{folder}/{port}.log", "-c", path, "-p", folder]


def ozu(arguments, folder, port, origin, pending):
    return Subject(
        "ozu", [arguments.ozu, "serve", "--insecure"], port,
        lambda width, name: f"/x/w:{width}/q:{QUALITY}/plain/http:%2F%2F127.0.0.1:{origin}%2F"
        + name.replace("?", "%3F").replace("=", "%3D") + "@jpg",
        {"OZU_LISTEN": f"127.0.0.1:{port}", "OZU_PRIVATE_NETWORKS": "yes", "OZU_LOG": "no",
         "OZU_SOURCES": f"http://127.0.0.1:{origin}/", "OZU_PENDING": pending}, folder, "/health")


def subjects(arguments, folder, ports, origin):
    """Those that are installed, started."""
    found = []
    port = next(ports)
    found.append(ozu(arguments, folder, port, origin, "1024"))
    if importlib.util.find_spec("pyvips"):
        import pyvips
        number = ".".join(str(pyvips.version(part)) for part in range(3))
        port = next(ports)
        found.append(Subject(
            f"libvips {number}", [sys.executable, os.path.abspath(__file__), "--libvips-handler", str(port), str(origin)],
            port, lambda width, name: f"/{width}/{name}", {"VIPS_CONCURRENCY": "1"}, folder))
    module = "/usr/lib/nginx/modules/ngx_http_image_filter_module.so"
    if os.path.exists(module):
        port = next(ports)
        command = nginx(folder, port, f"""
            location ~ ^/([0-9]+)/(.*)$ {{
              proxy_pass http://origin/$2$is_args$args; {PROXY}
              image_filter resize $1 -; image_filter_jpeg_quality {QUALITY}; image_filter_buffer 32m;
            }}
            location = /health {{ return 200; }}""", origin, modules=f"load_module {module};")
        text = subprocess.run([command[0], "-v"], capture_output=True, text=True).stderr
        found.append(Subject(
            f"nginx image_filter {text.strip().split('/')[-1]}", command, port, lambda width, name: f"/{width}/{name}",
            None, folder, "/health"))
    own = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../.build-thumbor/bin/thumbor")
    script = arguments.thumbor or (own if os.path.exists(own) else shutil.which("thumbor"))
    if script:
        settings = os.path.join(folder, "thumbor.conf")
        with open(settings, "w") as file:
            file.write(f"QUALITY = {QUALITY}\nSTORAGE = 'thumbor.storages.no_storage'\nAUTO_WEBP = False\n"
                       "MAX_WIDTH = 0\nHTTP_LOADER_MAX_CLIENTS = 64\n")
        text = subprocess.run([script, "--version"], capture_output=True, text=True).stdout.split()
        port = next(ports)
        found.append(Subject(
            f"thumbor {text[1].lstrip('v')}", [script, "-c", settings, "-p", str(port), "-i", "127.0.0.1", "-l", "error"],
            port, lambda width, name: f"/unsafe/{width}x0/http://127.0.0.1:{origin}/{name}".replace("?", "%3F"),
            None, folder, "/healthcheck"))
    for subject in found:
        subject.wait()
    return found


def free_ports():
    while True:
        with socket.socket() as probe:
            probe.bind(("127.0.0.1", 0))
            number = probe.getsockname()[1]
        yield number


# Cases

class Widths:
    """Sizes and names that no cache has seen: another width, or another query, for each request."""

    def __init__(self, names):
        self.names = itertools.cycle(names)
        self.number = 0

    def next(self):
        self.number += 1
        return 300 + self.number % 41, f"{next(self.names)}?n={self.number}"


def sized(body, width):
    """Whether a JPEG file is so wide; the heights of libraries differ by rounding."""
    place = 2
    while place + 9 < len(body):
        marker, length = body[place + 1], int.from_bytes(body[place + 2:place + 4], "big")
        if 0xC0 <= marker <= 0xCF and marker not in (0xC4, 0xC8, 0xCC):
            return int.from_bytes(body[place + 7:place + 9], "big") == width
        place += 2 + length
    return False


def ask(client, subject, width, name):
    status, body = client.get(subject.path(width, name))
    if status != 200 or not sized(body, width):
        raise SystemExit(f"{subject.name}: {subject.path(width, name)}: {status}, {body[:80]!r}")
    return body


def thumbnails(found, rows, arguments, names):
    costs, sizes = {}, {}
    for number in range(arguments.rounds + 1):
        # The same ones for all; a round first that does not count.
        widths = Widths(names)
        widths.number = 10_000 * number
        work = [widths.next() for _ in range(arguments.count)]
        for subject in found:
            client = Client(subject.port)
            before, count = subject.cpu(), 0
            for width, name in work:
                count += len(ask(client, subject, width, name))
            client.close()
            if number:
                costs.setdefault(subject.name, []).append((subject.cpu() - before) / len(work))
                sizes.setdefault(subject.name, []).append(count / len(work))
    for name in costs:
        rows.add("thumbnail, uncached", name, "cpu_ms", costs[name])
        rows.add("thumbnail, uncached", name, "bytes", sizes[name])


def hits(found, rows, arguments, names, cache):
    count = 200 if arguments.smoke else 20_000
    costs = {}
    ozu = found[0]
    path = ozu.path(320, names[0])
    for number in range(arguments.rounds + 1):
        for subject in [ozu, cache]:
            client = Client(subject.port)
            client.get(path)
            before = subject.cpu()
            for _ in range(count):
                client.get(path)
            client.close()
            if number:
                costs.setdefault(subject.name, []).append((subject.cpu() - before) / count)
    for name in costs:
        rows.add("thumbnail, cached", name, "cpu_ms", costs[name])


def probe(port, path, seconds):
    """Asks again and again, in a process of its own, which waits for no other thread. Prints the times in milliseconds of the
    answers of each status, and how late it was woken."""
    client, times, late = Client(port, 10), {}, []
    end = time.monotonic() + seconds
    number = 0
    while time.monotonic() < end:
        number += 1
        start = time.monotonic()
        try:
            status, _ = client.get(path.replace("NUMBER", str(number)))
        except (OSError, RuntimeError):
            client.close()
            status = 0
        asleep = time.monotonic()
        times.setdefault(status, []).append(1000 * (asleep - start))
        time.sleep(0.01)
        late.append(1000 * (time.monotonic() - asleep - 0.01))
    print(json.dumps({"times": times, "late": late}))


def percentile99(values):
    return sorted(values)[int(len(values) * 0.99)]


def saturating(subject, widths, lock, isOver):
    client = Client(subject.port)
    while not isOver.is_set():
        with lock:
            width, name = widths.next()
        try:
            status, _ = client.get(subject.path(width, name))
        except (OSError, RuntimeError):
            client.close()
            continue
        if status == 503:
            time.sleep(0.05)
    client.close()


def probed(subject, path, arguments, names, number):
    """The answer of `probe` while 16 clients request more than the server can make."""
    widths, lock, isOver = Widths(names), threading.Lock(), threading.Event()
    widths.number = 1_000_000 + 100_000 * number
    threads = [threading.Thread(target=saturating, args=(subject, widths, lock, isOver)) for _ in range(16)]
    for thread in threads:
        thread.start()
    time.sleep(0.5)
    seconds = "1" if arguments.smoke else "4"
    try:
        text = subprocess.run(
            [sys.executable, os.path.abspath(__file__), "--probe", str(subject.port), path, seconds],
            capture_output=True, text=True, check=True).stdout
    finally:
        isOver.set()
        for thread in threads:
            thread.join()
    return json.loads(text)


def health(found, small, rows, arguments, names):
    times = {}

    def note(case, name, values):
        if values:
            times.setdefault((case, name), []).append(percentile99(values))

    for number in range(arguments.rounds):
        for subject in found:
            if subject.health:
                told = probed(subject, subject.health, arguments, names, number)
                note("health while saturated, p99", subject.name, sum(told["times"].values(), []))
                note("yardstick: woken late meanwhile, p99", subject.name, told["late"])
        told = probed(small, small.path(299, f"{names[0]}?p={number}-NUMBER"), arguments, names, 50 + number)
        refused = told["times"].get("503", [])
        note("503 while saturated, p99", "ozu", refused)
        if refused:
            times.setdefault(("503 while saturated, median", "ozu"), []).append(statistics.median(refused))
        note("yardstick: woken late meanwhile, p99", "ozu, 503", told["late"])
    for case, name in times:
        rows.add(case, name, "wall_ms", times[case, name])


def memory(found, rows, arguments):
    for subject in found:
        widths = Widths(["large.jpg"])
        widths.number = 5_000_000
        client = Client(subject.port)
        ask(client, subject, *widths.next())
        client.close()
        work = [widths.next() for _ in range(64)]
        answers = []

        def one(width, name):
            client = Client(subject.port)
            answers.append(client.get(subject.path(width, name))[0])
            client.close()

        idle = subject.memory()
        threads = [threading.Thread(target=one, args=item) for item in work]
        peak = 0
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            peak = max(peak, subject.memory())
            time.sleep(0.002)
        for thread in threads:
            thread.join()
        if answers.count(200) != 64:
            print(f"  {subject.name}: {64 - answers.count(200)} of 64 were not answered", flush=True)
        rows.add("64 cold of 8 megapixels", subject.name, "idle_mb", [idle / 1e6])
        rows.add("64 cold of 8 megapixels", subject.name, "peak_mb", [peak / 1e6])


def machine():
    with open("/proc/cpuinfo") as file:
        cpu = next((line.split(":")[1].strip() for line in file if line.startswith("model name")), "")
    with open("/etc/os-release") as file:
        system = next((line.split('"')[1] for line in file if line.startswith("PRETTY_NAME")), "")
    memory_bytes = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    return {"cpu": cpu, "cores": os.cpu_count(), "memory_bytes": memory_bytes, "system": system}


def main():
    if sys.argv[1:2] == ["--probe"]:
        return probe(int(sys.argv[2]), sys.argv[3], float(sys.argv[4]))
    if sys.argv[1:2] == ["--libvips-handler"]:
        return libvips_handler(int(sys.argv[2]), sys.argv[3])
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
    cases = arguments.cases or ["thumbnails", "hits", "health", "memory"]
    import pyvips
    rows = Rows()
    with tempfile.TemporaryDirectory() as folder:
        os.chmod(folder, 0o755)
        photos = os.path.join(os.path.dirname(os.path.abspath(__file__)), "../Sources/OzuCLI/Resources/Photos")
        names = []
        for path in sorted(glob.glob(os.path.join(photos, "*.jpg"))):
            shutil.copy(path, folder)
            names.append(os.path.basename(path))
        large = pyvips.Image.new_from_file(os.path.join(photos, "the-spices-of-life.jpg")).crop(0, 0, 1600, 1200)
        large.resize(3266 / large.width).jpegsave(os.path.join(folder, "large.jpg"), Q=89)
        ports = free_ports()
        origin = Subject("origin", nginx(folder, port := next(ports), f"root {folder}; etag off;"), port, None,
                         folder=folder)
        origin.wait()
        started = [origin]
        try:
            print(f"service: {arguments.rounds} rounds, {arguments.count} thumbnails each of {len(names)} photographs")
            found = subjects(arguments, folder, ports, origin.port)
            started += found
            if "thumbnails" in cases:
                thumbnails(found, rows, arguments, names)
            if "hits" in cases:
                cache = Subject(
                    "yardstick:nginx cache", nginx(
                        folder, port := next(ports), f"location / {{ proxy_pass http://origin; {PROXY} proxy_cache c; "
                        "proxy_cache_valid 200 1h; proxy_ignore_headers Cache-Control Vary; }", found[0].port,
                        f"proxy_cache_path {folder}/cache keys_zone=c:1m;"), port, None, folder=folder)
                started.append(cache)
                cache.wait()
                hits(found, rows, arguments, names, cache)
            if "health" in cases:
                # A host, and there is one, has half of the places.
                small = ozu(arguments, folder, next(ports), origin.port, "16")
                started.append(small)
                small.wait()
                health(found, small, rows, arguments, names)
            if "memory" in cases:
                memory(found, rows, arguments)
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
