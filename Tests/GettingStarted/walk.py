"""Follows the pages of Documentation/getting-started by the letter, from empty folders: writes their files, runs their commands, and
looks at what comes out.

    walk.py PHOTO OZU [server] [linux-desktop] [command-line]

PHOTO is a JPEG file that stands in for the reader's, OZU the command, built. Packages are built as the pages say, beside a clone of
this repository: each takes as long as the first build of an app."""

import os
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import time

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def check(claim, what):
    print(("ok    " if claim else "FAILED ") + what, flush=True)
    if not claim:
        check.failures += 1


check.failures = 0


def read(name):
    with open(os.path.join(ROOT, "Documentation/getting-started", name + ".md"), encoding="utf-8") as file:
        return file.read()


def write_files(page, folder):
    """The files that the page shows behind their names."""
    for name, code in re.findall(r"^`([^`\n]+)`:\n+(?:<!--[^\n]*-->\n)?```swift\n(.*?)^```", page, re.MULTILINE | re.DOTALL):
        place = os.path.join(folder, name)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(code)


def commands(page, heading):
    """The lines of the shell blocks below a heading and its like."""
    rest = page[page.index(heading):]
    return [line for block in re.findall(r"^```sh\n(.*?)^```", rest, re.MULTILINE | re.DOTALL) for line in block.splitlines() if line.strip()]


class Reader:
    """A shell that stays in its folder, as a reader's does."""

    def __init__(self, folder, environment):
        self.folder, self.environment = folder, environment

    def run(self, line):
        variable = re.fullmatch(r"export (\w+)=(\S+)", line)
        if variable:
            self.environment = self.environment | {variable[1]: variable[2]}
            return None
        outcome = subprocess.run(["bash", "-c", line + "\npwd > \"$WALK_PWD\""], cwd=self.folder, env=self.environment,
                                 capture_output=True, text=True)
        if outcome.returncode == 0:
            with open(self.environment["WALK_PWD"], encoding="utf-8") as file:
                self.folder = file.read().strip()
        check(outcome.returncode == 0, line + ("" if outcome.returncode == 0 else "\n" + outcome.stdout + outcome.stderr))
        return outcome

    def start(self, line):
        """Begins a command that builds a program and runs it until it is stopped."""
        return subprocess.Popen(["bash", "-c", "exec " + line], cwd=self.folder, env=self.environment, stdout=subprocess.DEVNULL,
                                stderr=subprocess.DEVNULL, start_new_session=True)


def wait(condition, process):
    """Waits for what the program shows; it has to be built first."""
    end = time.monotonic() + 3600
    while time.monotonic() < end and process.poll() is None:
        if condition():
            return True
        time.sleep(1)
    return False


def stop(process):
    """Ends the program and all that it has started."""
    try:
        os.killpg(process.pid, 15)
    except ProcessLookupError:
        pass
    process.wait()
    time.sleep(1)


def begins(path, *starts):
    with open(path, "rb") as file:
        head = file.read(12)
    return any(head.startswith(start) for start in starts)


def server(folder, environment, photo):
    page = read("server")
    write_files(page, folder)
    reader = Reader(folder, environment)
    process = None
    for line in commands(page, "## Run it"):
        if line.startswith("swift run"):
            process = reader.start(line)
            check(wait(lambda: subprocess.run(["curl", "-s", "http://127.0.0.1:8080/health"], capture_output=True).returncode == 0,
                       process), line + ", and the server answers")
        else:
            reader.run(line)
    check(begins(os.path.join(reader.folder, "small.jpg"), b"\xff\xd8\xff"), "small.jpg is a JPEG")
    check(begins(os.path.join(reader.folder, "small.webp"), b"RIFF"), "small.webp is a WebP")
    stop(process)


def colours(frame):
    """How many colours a frame buffer of Xvfb shows (the form of xwd)."""
    with open(frame, "rb") as file:
        data = file.read()
    head = struct.unpack(">25I", data[:100])
    pixels = data[head[0] + head[19] * 12:]
    return len({pixels[place:place + 3] for place in range(0, len(pixels) - 4, 4 * 7)})


def linux_desktop(folder, environment, photo):
    page = read("linux-desktop")
    write_files(page, folder)
    if not shutil.which("Xvfb"):
        check(False, "a display is needed: install xvfb")
        return
    screen = os.path.join(folder, "screen")
    os.makedirs(screen)
    display = subprocess.Popen(["Xvfb", ":93", "-screen", "0", "800x600x24", "-fbdir", screen], stderr=subprocess.DEVNULL)
    reader = Reader(folder, environment | {"DISPLAY": ":93", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none"})
    try:
        for line in commands(page, "## Run it"):
            if not line.startswith("swift run"):
                reader.run(line)
                continue
            process = reader.start(line)
            frame = os.path.join(screen, "Xvfb_screen0")
            check(wait(lambda: os.path.exists(frame) and colours(frame) > 1000, process), line + ", and the photograph is in the window")
            stop(process)
    finally:
        display.terminate()
        display.wait()


def command_line(folder, environment, photo):
    page = read("command-line")
    place = os.path.join(folder, "empty")
    os.makedirs(os.path.join(place, "photos/summer"))
    shutil.copy(photo, os.path.join(place, "photo.jpg"))
    shutil.copy(photo, os.path.join(place, "photos/summer/beach.jpg"))
    reader = Reader(place, environment)
    for line in commands(page, "## Resize a file"):
        reader.run(line)
    for name in ("small.jpg", "exact.webp", "web/summer/beach.webp", "out/photo-320.avif", "out/photo-1280.jpg"):
        check(os.path.exists(os.path.join(place, name)), name + " is there")


def main():
    if len(sys.argv) < 3:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    photo, ozu = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
    walks = {"server": server, "linux-desktop": linux_desktop, "command-line": command_line}
    for name in sys.argv[3:] or walks:
        with tempfile.TemporaryDirectory() as folder:
            # The reader's clone, and the reader's photographs.
            subprocess.run(["git", "clone", "-q", ROOT, os.path.join(folder, "ozu")], check=True)
            home = os.path.join(folder, "home")
            os.makedirs(os.path.join(home, "Pictures"))
            shutil.copy(photo, os.path.join(home, "Pictures/photo.jpg"))
            environment = os.environ | {
                "HOME": home, "XDG_CACHE_HOME": os.path.join(home, ".cache"), "WALK_PWD": os.path.join(folder, "pwd"),
                "PATH": os.path.dirname(ozu) + ":" + os.environ["PATH"]}
            walks[name](folder, environment, photo)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
