#!/usr/bin/env python3
"""Cuts the Swift samples out of the pages and compiles each of them; makes no machine code.

    check_samples.py linux MODULES       against the modules of a build (…/debug/Modules)
    check_samples.py gtk MODULES FOLDER  those for GTK 4, against the same modules and OzuGTK, which is compiled into FOLDER
    check_samples.py apple               against what `scripts/typecheck-apple` has built from stand-ins
    check_samples.py list                says which samples there are
    check_samples.py write FOLDER        writes them into a folder

A comment before a block says what it is; the pages of PAGES must have one for each block, on others it is the reader's choice:

    <!-- sample: program -->             a whole `main.swift`
    <!-- sample: declarations -->        a whole file of a module
    <!-- sample: continued -->           goes on where the block before it ended
    <!-- sample: package -->             a whole `Package.swift`
    <!-- sample: gtk -->                 a program with GTK 4
    <!-- sample: apple -->               a file of an app for Apple platforms
    <!-- sample: given …code… -->        a program, after some lines that readers do not see
    <!-- sample: none, because … -->     is not compiled
"""

import os
import re
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

import pages

# Folders and pages on which every block has to say what it is.
PAGES = ("Documentation/getting-started/", "Documentation/guides/", "Documentation/choosing-a-call.md", "Documentation/README.md")
KINDS = {"program", "declarations", "continued", "package", "gtk", "apple", "given", "none"}
BLOCK = re.compile(
    r"(?:<!-- sample: (?P<kind>\w+)(?P<rest>.*?)-->\n)?(?P<fence>^```swift[^\n]*\n)(?P<code>.*?)^```", re.MULTILINE | re.DOTALL)


class Sample:
    def __init__(self, page, line, kind, code):
        self.page, self.line, self.kind, self.code = page, line, kind, code

    @property
    def name(self):
        return f"{self.page}:{self.line}"


def located(page, line, code):
    """The code with the place it comes from, so that the compiler's messages name the page."""
    return f'#sourceLocation(file: "{page}", line: {line})\n{code}#sourceLocation()\n'


def samples():
    found, problems = [], []
    for page in pages.documents():
        text = pages.read(page)
        for block in BLOCK.finditer(text):
            line = text.count("\n", 0, block.start("code")) + 1
            kind, code = block["kind"], block["code"]
            if kind is None:
                if page.startswith(PAGES):
                    problems.append(f"{page}:{line - 1}: a sample without a comment that says what it is")
                continue
            if kind not in KINDS:
                problems.append(f"{page}:{line - 1}: there is no kind of sample '{kind}'")
            elif kind == "none":
                if len(block["rest"].strip(" ,:")) < 12:
                    problems.append(f"{page}:{line - 1}: say why this sample is not compiled")
            elif kind == "continued":
                if not found or found[-1].page != page:
                    problems.append(f"{page}:{line - 1}: there is nothing that this sample continues")
                else:
                    found[-1].code += located(page, line, code)
            elif kind == "given":
                found.append(Sample(page, line, "program", block["rest"].lstrip("\n") + located(page, line, code)))
            else:
                # A manifest begins with the version of its tools.
                found.append(Sample(page, line, kind, code if kind == "package" else located(page, line, code)))
    return found, problems


def toolchain():
    swift = os.environ.get("SWIFT", "swift")
    path = subprocess.run(["sh", "-c", f"readlink -f \"$(command -v {swift})\""], capture_output=True, text=True).stdout.strip()
    return os.path.dirname(path)


def c_modules(modules):
    """Where the C modules are that those of Ozu import."""
    built = os.path.dirname(modules.rstrip("/"))
    maps = [os.path.join(built, name, "module.modulemap") for name in sorted(os.listdir(built)) if re.fullmatch(r"C\w+\.build", name)]
    return [word for map in maps if os.path.exists(map) for word in ("-Xcc", f"-fmodule-map-file={map}")]


def compile(sample, folder, flags):
    name = re.sub(r"\W+", "-", sample.name)
    place = os.path.join(folder, name)
    os.makedirs(place, exist_ok=True)
    file = os.path.join(place, "main.swift" if sample.kind in ("program", "gtk") else "Sample.swift")
    with open(file, "w", encoding="utf-8") as out:
        out.write(sample.code)
    if sample.kind == "apple":
        command = ["scripts/typecheck-apple", file]
    else:
        bin = toolchain()
        command = [os.path.join(bin, "swiftc"), "-swift-version", "6", "-warnings-as-errors", "-wmo", "-Onone",
                   "-module-cache-path", os.path.join(folder, "cache"), "-o", os.devnull]
        library = os.path.join(os.path.dirname(bin), "lib", "swift")
        if sample.kind == "package":
            api = os.path.join(library, "pm", "ManifestAPI")
            command += ["-typecheck", "-I", api, "-package-description-version", "6.2.0"]
        else:
            # Data races are found after type checking.
            command += ["-emit-sil", "-module-name", "Sample"] + flags
        if sample.kind == "declarations":
            command += ["-parse-as-library"]
        if "import Testing" in sample.code:
            command += ["-plugin-path", os.path.join(library, "host", "plugins", "testing")]
        command.append(file)
    outcome = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True)
    return sample, outcome.returncode == 0, outcome.stdout + outcome.stderr


def gtk(modules, folder):
    """Compiles the module of the widgets, which a build without the trait leaves empty. The flags for samples, which stand in
    FOLDER/flags too."""
    answer = subprocess.run(["pkg-config", "--cflags-only-I", "gtk4"], capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit("check-samples: GTK 4 is not installed")
    os.makedirs(folder, exist_ok=True)
    flags = ["-I", folder, "-I", modules, "-Xcc", f"-fmodule-map-file={pages.ROOT}/Sources/CGTK/module.modulemap"]
    flags += [word for flag in answer.stdout.split() for word in ("-Xcc", flag)] + c_modules(modules)
    sources = subprocess.run(["find", "Sources/OzuGTK", "-name", "*.swift"], cwd=pages.ROOT, capture_output=True, text=True, check=True)
    outcome = subprocess.run(
        [os.path.join(toolchain(), "swiftc"), "-emit-module", "-wmo", "-Onone", "-parse-as-library", "-module-name", "OzuGTK", "-D", "GTK",
         "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
         "-package-name", "ozu", "-module-cache-path", os.path.join(folder, "cache"), "-o", os.path.join(folder, "OzuGTK.swiftmodule")]
        + flags + sorted(sources.stdout.split()), cwd=pages.ROOT)
    if outcome.returncode != 0:
        raise SystemExit("check-samples: OzuGTK does not compile; is the build up to date?")
    with open(os.path.join(folder, "flags"), "w", encoding="utf-8") as out:
        out.write("\n".join(flags) + "\n")
    return flags


def main():
    found, problems = samples()
    arguments = sys.argv[1:]
    if arguments == ["list"]:
        for sample in found:
            print(f"{sample.kind:13}{sample.name}")
        return report(problems)
    if len(arguments) == 2 and arguments[0] == "write":
        for sample in found:
            place = os.path.join(arguments[1], re.sub(r"\W+", "-", sample.name))
            os.makedirs(place, exist_ok=True)
            with open(os.path.join(place, "main.swift"), "w", encoding="utf-8") as out:
                out.write(re.sub(r"^#sourceLocation.*\n", "", sample.code, flags=re.MULTILINE))
        return report(problems)
    if not (arguments == ["apple"] or (arguments[:1], len(arguments)) in ((["linux"], 2), (["gtk"], 3))):
        print(__doc__.strip(), file=sys.stderr)
        return 2
    with tempfile.TemporaryDirectory() as folder:
        kinds = {"linux": ("program", "declarations", "package"), "gtk": ("gtk",), "apple": ("apple",)}[arguments[0]]
        flags = []
        if arguments[0] != "apple":
            modules = os.path.abspath(arguments[1])
            flags = ["-I", modules] + c_modules(modules)
        if arguments[0] == "gtk":
            flags = gtk(modules, os.path.abspath(arguments[2]))
        wanted = [sample for sample in found if sample.kind in kinds]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            for sample, succeeds, text in pool.map(lambda sample: compile(sample, folder, flags), wanted):
                if not succeeds:
                    problems.append(f"{sample.name}: this sample does not compile\n{text.strip()}")
    status = report(problems)
    if status == 0:
        print(f"check-samples: {len(wanted)} samples compile ({arguments[0]})")
    return status


def report(problems):
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
