#!/usr/bin/env python3
"""Opens a folder of 10,000 pictures in the gallery and in other picture viewers, one after the other on a display of
its own, and says how long it takes until the first screenful of the grid stands still, and what it takes of processor
and memory.

    Benchmarks/viewers.py [--count 10000] PHOTOS ozu=PATH/ozu-gallery gthumb

PHOTOS is a folder of photographs; the pictures are parts of them, at 1600 x 1067. Each program runs twice: with empty
caches, and again. Needs Xvfb, dbus-run-session, openbox, libvips' tools, and the programs.

The screen is looked at 20 times a second. It counts as full with the last change before two seconds without one. Memory is
the peak of the whole process (VmHWM), the processor's time that of all its threads up to the full screen.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import zlib

SIZE = (1400, 1000)
QUIET = 2.0
PATIENCE = 120.0
DISTINCT = 50


def make_folder(folder, photos, count):
    """Some pictures, each under many names: every program takes each name for a picture of its own."""
    sources = sorted(p for p in pathlib.Path(photos).iterdir() if p.suffix == ".jpg")
    distinct = folder / "distinct"
    distinct.mkdir()
    for index in range(min(DISTINCT, count)):
        source = sources[index % len(sources)]
        x, y = 37 * index % 1600, 23 * index % 900
        subprocess.run(
            ["vips", "crop", str(source), f"{distinct}/{index}.jpg[Q=85,strip]", str(x), str(y), "1600", "1067"],
            check=True)
    pictures = folder / "pictures"
    pictures.mkdir()
    for index in range(count):
        os.link(distinct / f"{index % DISTINCT}.jpg", pictures / f"{index:05}.jpg")
    return pictures


def processor_time(pid):
    fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def peak_memory(pid):
    for line in pathlib.Path(f"/proc/{pid}/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024 / 1e6
    return 0.0


def measure(command, environment, screen, keep):
    start = time.monotonic()
    process = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    last, full, used, seen = None, start, 0.0, 0
    while True:
        now = time.monotonic()
        if process.poll() is not None:
            raise SystemExit(f"{command[0]} has ended with {process.returncode}")
        look = zlib.crc32(screen.read_bytes())
        if look != last:
            last, full, used, seen = look, now, processor_time(process.pid), seen + 1
        if (seen > 3 and now - full > QUIET) or now - start > PATIENCE:
            break
        time.sleep(0.05)
    memory = peak_memory(process.pid)
    shutil.copy(screen, keep)
    process.send_signal(signal.SIGTERM)
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
    return {"full_s": round(full - start, 2), "cpu_s": round(used, 2), "peak_mb": round(memory)}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("photos")
    parser.add_argument("programs", nargs="+")
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--keep", help="a folder for what the screens looked like, as XWD files")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        pictures = make_folder(folder, options.photos, options.count)
        keep = pathlib.Path(options.keep or name)
        keep.mkdir(exist_ok=True)
        display = f":{os.getpid() % 500 + 100}"
        server = subprocess.Popen(
            ["Xvfb", display, "-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-fbdir", name],
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        environment = dict(os.environ, DISPLAY=display, GDK_BACKEND="x11", GTK_A11Y="none", NO_AT_BRIDGE="1",
                           GSK_RENDERER="cairo", LIBGL_ALWAYS_SOFTWARE="1", GSETTINGS_BACKEND="memory")
        for variable in ("WAYLAND_DISPLAY", "DBUS_SESSION_BUS_ADDRESS"):
            environment.pop(variable, None)
        time.sleep(1)
        manager = subprocess.Popen(["openbox", "--sm-disable"], env=environment, stdout=subprocess.DEVNULL,
                                   stderr=subprocess.DEVNULL)
        time.sleep(1)
        rows = []
        try:
            for program in options.programs:
                title, _, path = program.partition("=")
                home = folder / f"home-{title}"
                home.mkdir()
                own = dict(environment, HOME=str(home), XDG_CACHE_HOME=str(home / "cache"),
                           XDG_CONFIG_HOME=str(home / "config"), XDG_DATA_HOME=str(home / "share"))
                for state in ("empty caches", "again"):
                    screen = folder / "Xvfb_screen0"
                    row = measure([path or title, str(pictures)], own, screen, keep / f"{title}-{state[0]}.xwd")
                    rows.append({"program": title, "state": state} | row)
                    print(json.dumps(rows[-1]), flush=True)
                    time.sleep(1)
        finally:
            manager.terminate()
            server.terminate()
            server.wait()


if __name__ == "__main__":
    sys.exit(main())
