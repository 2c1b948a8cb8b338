"""The cases of the comparison. Each adds its rows to the report."""

import json
import statistics
import subprocess
import sys
import threading
import time

from servers.client import Client, Widths, ask
from servers.subjects import SCRIPT


AT_ONCE = (1, 8, 64)


def label(case, at_once):
    return case if at_once == 1 else f"{case}, {at_once} at once"


def asked(subject, at_once, work, question):
    """Puts each item of `work` to a subject by `question(client, item)`, by so many clients at once; the answers."""
    rest, answers = iter(work), []

    def one():
        client = Client(subject.port)
        # The next item of an iterator over a list is taken by one thread.
        for item in rest:
            answers.append(question(client, item))
        client.close()

    threads = [threading.Thread(target=one) for _ in range(at_once)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    if len(answers) != len(work):
        raise SystemExit(f"{subject.name}: {len(work) - len(answers)} of {len(work)} were not answered")
    return answers


def thumbnails(found, rows, arguments, names):
    for at_once in AT_ONCE:
        costs, sizes = {}, {}
        for number in range(arguments.rounds + 1):
            # The same ones for all; a round first that does not count.
            widths = Widths(names)
            widths.number = 10_000 * number + 1_000_000 * at_once
            work = [widths.next() for _ in range(max(arguments.count, 2 * at_once))]
            for subject in found:
                before = subject.cpu()
                answers = asked(subject, at_once, work, lambda client, item: len(ask(client, subject, *item)))
                if number:
                    costs.setdefault(subject.name, []).append((subject.cpu() - before) / len(work))
                    sizes.setdefault(subject.name, []).append(sum(answers) / len(work))
        for name in costs:
            rows.add(label("thumbnail, uncached", at_once), name, "cpu_ms", costs[name])
            if at_once == 1:
                rows.add("thumbnail, uncached", name, "bytes", sizes[name])


def hit(client, path):
    """A refusal is answered faster than a picture, and must not be taken for one."""
    status, body = client.get(path)
    if status != 200:
        raise SystemExit(f"{path}: {status}, {body[:80]!r}")


def hits(found, rows, arguments, names, cache):
    count = 200 if arguments.smoke else 20_000
    ozu = found[0]
    path = ozu.path(320, names[0])
    for at_once in AT_ONCE:
        costs = {}
        for number in range(arguments.rounds + 1):
            for subject in [ozu, cache]:
                asked(subject, 1, [path], hit)
                before = subject.cpu()
                asked(subject, at_once, [path] * count, hit)
                if number:
                    costs.setdefault(subject.name, []).append((subject.cpu() - before) / count)
        for name in costs:
            rows.add(label("thumbnail, cached", at_once), name, "cpu_ms", costs[name])


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
            [sys.executable, SCRIPT, "--probe", str(subject.port), path, seconds],
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
