"""Follows the pages of Documentation/getting-started by the letter, from empty folders: writes their files, runs their commands, and
looks at what comes out. Their packages depend on this repository: the server by branch, in a release build with Swift's libraries
in it; the window by path, in a debug build with the trait Desktop; the command by branch and then by version, as README shows it and with a
tag of its own, in a debug build without traits. A warning of Ozu's in such a build is a failure, and so is a second build that
compiles Ozu again.

    walk.py PHOTO OZU [--install] [server] [linux-desktop] [command-line]
    walk.py PHOTO OZU all

PHOTO is a JPEG file that stands in for the reader's, OZU the command, built. `--install` is for a machine that is there for the walk
alone (`scripts/try-system`): it runs the lines of the pages that install packages and the command too; without, they are
there. `all` builds the package of the command in every combination: by version, branch and path;
debug and release; default traits, one and none; with Swift's libraries in it and without."""

import itertools
import os
import re
import resource
import shutil
import subprocess
import sys
import tempfile
import time
import urllib.request

import pictures
import subject


def check(claim, what):
    print(("ok    " if claim else "FAILED ") + what, flush=True)
    if not claim:
        check.failures += 1


check.failures = 0


def section(page, heading, until=None):
    """The text of a page from a heading to another."""
    with open(os.path.join(subject.ROOT, "Documentation/getting-started", page + ".md"), encoding="utf-8") as file:
        text = file.read()
    start = text.index(heading + "\n")
    return text[start:text.index(until + "\n") if until else len(text)]


def commands(text):
    """The lines of the shell blocks."""
    blocks = re.findall(r"^```sh\n(.*?)^```", text, re.MULTILINE | re.DOTALL)
    return [line for block in blocks for line in block.replace("\\\n", " ").splitlines() if line.strip()]


class Reader:
    """A shell that stays in its folder, as a reader's does, beside a clone of this repository."""

    def __init__(self, folder, photo, ozu, installs=False):
        self.folder, self.installs = folder, installs
        self.address = subject.publish(folder)
        subject.git("clone", "-q", self.address, os.path.join(folder, "ozu"))
        home = os.path.join(folder, "home")
        os.makedirs(os.path.join(home, "Pictures"))
        shutil.copy(photo, os.path.join(home, "Pictures/photo.jpg"))
        self.place_file = os.path.join(folder, "place")
        self.environment = os.environ | {
            "HOME": home, "XDG_CACHE_HOME": os.path.join(home, ".cache"), "PATH": os.path.dirname(ozu) + ":" + os.environ["PATH"]}

    def write_files(self, text):
        """The files that the page shows behind their names."""
        for name, code in re.findall(r"^`([^`\n]+\.swift)`:\n+(?:<!--[^\n]*-->\n)?```swift\n(.*?)^```", text, re.MULTILINE | re.DOTALL):
            self.write(os.path.join(self.folder, name), code.replace("<this repository>", self.address))

    def write(self, place, text):
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def run(self, line):
        """Performs a line, and returns what it has printed."""
        variable = re.fullmatch(r"export (\w+)=(\S+)", line)
        if variable:
            self.environment |= {variable[1]: variable[2]}
            return ""
        if line.startswith("apt-get install") and not self.installs:
            return ""
        if line.startswith("apt-get install"):
            line = line.replace("install", "install --yes --no-install-recommends", 1)
        line = line.replace("<this repository>", self.address)
        outcome = subprocess.run(["bash", "-c", f"{line}\nstatus=$?; pwd >'{self.place_file}'; exit $status"], cwd=self.folder,
                                 env=self.environment, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        with open(self.place_file, encoding="utf-8") as file:
            self.folder = file.read().strip()
        check(outcome.returncode == 0, line + ("" if outcome.returncode == 0 else "\n" + outcome.stdout))
        self.look_for_warnings(outcome.stdout)
        return outcome.stdout

    def start(self, line, condition):
        """Begins a command that builds a program and runs it; waits for what the program shows."""
        log = os.path.join(self.environment["HOME"], "log")
        with open(log, "wb") as output:
            process = subprocess.Popen(["bash", "-c", "exec " + line], cwd=self.folder, env=self.environment, stdout=output,
                                       stderr=subprocess.STDOUT, start_new_session=True)
        end = time.monotonic() + 3600
        try:
            while not (shows := condition()) and time.monotonic() < end and process.poll() is None:
                time.sleep(1)
        except BaseException:
            stop(process)
            raise
        with open(log, encoding="utf-8", errors="replace") as file:
            output = file.read()
        check(shows, line + ("" if shows else "\n" + output))
        self.look_for_warnings(output)
        return process

    def look_for_warnings(self, output):
        for warning in subject.warnings(output):
            check(False, "a build without warnings: " + warning)


def stop(process):
    """Ends the program and all that it has started."""
    try:
        os.killpg(process.pid, 15)
    except ProcessLookupError:
        pass
    process.wait()


def answers(address):
    try:
        with urllib.request.urlopen(address):
            return True
    except OSError:
        return False


def server(reader):
    page = section("server", "## Install")
    reader.write_files(page)
    build = process = None
    for line in commands(page):
        if line.startswith(".build/release/Thumbs"):
            build_again(reader, build, os.path.join(reader.folder, "Sources/Thumbs/main.swift"))
            process = reader.start(line, lambda: answers("http://127.0.0.1:8080/health"))
        else:
            build = line if line.startswith("swift build") else build
            reader.run(line)
    for name, kind in (("small.jpg", "JPEG"), ("small.webp", "WebP")):
        check(pictures.kind_and_width(os.path.join(reader.folder, name)) == (kind, 320), f"{name} is a {kind} that is 320 pixels wide")
    if process:
        stop(process)


def linux_desktop(reader):
    page = section("linux-desktop", "## Install")
    reader.write_files(page)
    screen = os.path.join(reader.folder, "screen")
    os.makedirs(screen)
    display = subprocess.Popen(["Xvfb", ":93", "-screen", "0", "800x600x24", "-fbdir", screen], stderr=subprocess.DEVNULL)
    reader.environment |= {"DISPLAY": ":93", "GDK_BACKEND": "x11", "GSK_RENDERER": "cairo", "GTK_A11Y": "none"}
    frame = os.path.join(screen, "Xvfb_screen0")
    try:
        for line in commands(page):
            if line.startswith("swift run"):
                stop(reader.start(line, lambda: os.path.exists(frame) and pictures.colours(frame) > 1000))
            else:
                reader.run(line)
    finally:
        display.terminate()
        display.wait()


def command_line(reader):
    empty, top = os.path.join(reader.folder, "empty"), reader.folder
    if reader.installs:
        reader.folder = os.path.join(top, "command")
        os.makedirs(reader.folder)
        for line in commands(section("command-line", "## Build the command", until="## Resize a file")):
            reader.run(line)
    os.makedirs(os.path.join(empty, "photos/summer"))
    photo = os.path.join(reader.environment["HOME"], "Pictures/photo.jpg")
    shutil.copy(photo, os.path.join(empty, "photo.jpg"))
    shutil.copy(photo, os.path.join(empty, "photos/summer/beach.jpg"))
    reader.folder = empty
    for line in commands(section("command-line", "## Resize a file", until="## Write a tool of your own")):
        reader.run(line)
    for name in ("small.jpg", "exact.webp", "web/summer/beach.webp", "out/photo-320.avif", "out/photo-1280.jpg"):
        check(os.path.exists(os.path.join(empty, name)), name + " is there")

    reader.folder = top
    page = section("command-line", "## Write a tool of your own")
    reader.write_files(page)
    lines = commands(page)
    check(prints_size([reader.run(line) for line in lines][-1]), "the tool, by branch, prints the size of what it wrote")
    # The same by version. It is the same revision, and SwiftPM builds all of it again all the same: it checks it out anew.
    manifest = os.path.join(reader.folder, "Package.swift")
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    ways = subject.ways()
    changed = text.replace(ways["branch"].replace("<this repository>", reader.address), ways["version"].replace("<this repository>", reader.address))
    check(changed != text, "the page depends on the branch as README does")
    reader.write(manifest, changed)
    check(prints_size(reader.run(lines[-1])), "the tool, by version, prints it too")
    build_again(reader, lines[-1], os.path.join(reader.folder, "Sources/Shrink/main.swift"))


def build_again(reader, line, program):
    """Builds once more as it is, and with a line of the program edited: neither compiles Ozu again."""
    with open(program, encoding="utf-8") as file:
        text = file.read()
    for edited, most in ((False, 5), (True, 8)):
        if edited:
            reader.write(program, text + "\n// Edited.\n")
        began = processor_time()
        reader.run(line)
        took = processor_time() - began
        check(took < most, f"{'with a line edited' if edited else 'a second time'}: {took:.1f} s of processor time, less than {most}")


def prints_size(output):
    return re.search(r"photo-small\.jpg: 320x\d+", output) is not None


def everything(reader):
    """The tool in every combination."""
    top = reader.folder
    ways = {name: way.replace("<this repository>", reader.address) for name, way in subject.ways().items()}
    reader.write_files(section("command-line", "## Write a tool of your own"))
    manifest = os.path.join(top, "Shrink/Package.swift")
    with open(manifest, encoding="utf-8") as file:
        text = file.read()
    reader.folder = os.path.join(top, "Shrink")
    for config, traits, static in itertools.product(("debug", "release"), ("[.defaults]", '["WebP"]', "[]"), ("", " --static-swift-stdlib")):
        for way, dependency in ways.items():
            began = processor_time()
            reader.write(manifest, re.sub(r"\.package\(.*\)\]", f".package({dependency}, traits: {traits})]", text))
            output = reader.run(f"swift build -c {config}{static} && .build/{config}/Shrink ~/Pictures/photo.jpg")
            check(prints_size(output), f"{way}, {config}, traits {traits}{static}: {processor_time() - began:.0f} s of processor time")
        build_again(reader, f"swift build -c {config}{static}", os.path.join(reader.folder, "Sources/Shrink/main.swift"))


def processor_time():
    usage = resource.getrusage(resource.RUSAGE_CHILDREN)
    return usage.ru_utime + usage.ru_stime


def main():
    arguments = [argument for argument in sys.argv[1:] if argument != "--install"]
    walks = {"server": server, "linux-desktop": linux_desktop, "command-line": command_line, "all": everything}
    if len(arguments) < 2 or not set(arguments[2:]) <= set(walks):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    # Servers of this machine are not asked for through a proxy.
    os.environ["no_proxy"] = "127.0.0.1," + (os.environ.get("no_proxy") or os.environ.get("NO_PROXY", ""))
    for name in arguments[2:] or [name for name in walks if name != "all"]:
        began, clock = processor_time(), time.monotonic()
        with tempfile.TemporaryDirectory() as folder:
            walks[name](Reader(folder, os.path.abspath(arguments[0]), os.path.abspath(arguments[1]), "--install" in sys.argv))
        print(f"{name}: {processor_time() - began:.0f} s of processor time, {time.monotonic() - clock:.0f} s", flush=True)
    return 1 if check.failures else 0


if __name__ == "__main__":
    sys.exit(main())
