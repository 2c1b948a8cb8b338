"""Compiles the samples that check_samples.py has cut out of pages and comments; makes no machine code."""

import os
import re
import subprocess

import pages


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
    if sample.kind in ("apple", "fragments-apple"):
        command = ["scripts/typecheck-apple"] + (["-no-warnings-as-errors"] if sample.kind != "apple" else []) + [file]
    else:
        bin = toolchain()
        warnings = "-suppress-warnings" if sample.kind.startswith(("fragments", "refused")) else "-warnings-as-errors"
        command = [os.path.join(bin, "swiftc"), "-swift-version", "6", warnings, "-wmo", "-Onone",
                   "-module-cache-path", os.path.join(folder, "cache"), "-o", os.devnull]
        library = os.path.join(os.path.dirname(bin), "lib", "swift")
        if sample.kind == "package":
            api = os.path.join(library, "pm", "ManifestAPI")
            command += ["-typecheck", "-I", api, "-package-description-version", "6.2.0"]
        else:
            # Data races are found after type checking.
            command += ["-emit-sil", "-module-name", "Sample"] + flags
            # A sample names the modules that it uses: members come from what it imports, not from what others import.
            if not sample.kind.startswith(("fragments", "refused")):
                command += ["-enable-upcoming-feature", "MemberImportVisibility"]
        if sample.kind == "declarations" or sample.kind.startswith(("fragments", "refused")):
            command += ["-parse-as-library"]
        if "import Testing" in sample.code:
            command += ["-plugin-path", os.path.join(library, "host", "plugins", "testing")]
        command.append(file)
    outcome = subprocess.run(command, cwd=pages.ROOT, capture_output=True, text=True)
    return sample, outcome.returncode == 0, outcome.stdout + outcome.stderr


def package_name():
    """The name under which SwiftPM has compiled the modules: that of the folder, as an identifier. Modules of another package do not see
    what is `package`."""
    return re.sub(r"\W", "_", os.path.basename(os.path.realpath(pages.ROOT)).lower())


def gtk(modules, folder):
    """Compiles the module of the widgets, which a build without the trait leaves empty. The flags for samples, which stand in
    FOLDER/flags too."""
    answer = subprocess.run(["pkg-config", "--cflags-only-I", "gtk4"], capture_output=True, text=True)
    if answer.returncode != 0:
        raise SystemExit("check-samples: GTK 4 is not installed")
    os.makedirs(folder, exist_ok=True)
    flags = ["-I", folder, "-I", modules, "-Xcc", f"-fmodule-map-file={pages.ROOT}/Sources/Libraries/CGTK/module.modulemap"]
    flags += [word for flag in answer.stdout.split() for word in ("-Xcc", flag)] + c_modules(modules)
    sources = subprocess.run(["find", "Sources/Toolkits/OzuGTK", "-name", "*.swift"], cwd=pages.ROOT, capture_output=True, text=True, check=True)
    outcome = subprocess.run(
        [os.path.join(toolchain(), "swiftc"), "-emit-module", "-wmo", "-Onone", "-parse-as-library", "-module-name", "OzuGTK", "-D", "GTK",
         "-swift-version", "6", "-enable-upcoming-feature", "ExistentialAny", "-enable-upcoming-feature", "NonisolatedNonsendingByDefault",
         "-package-name", package_name(), "-module-cache-path", os.path.join(folder, "cache"), "-o", os.path.join(folder, "OzuGTK.swiftmodule")]
        + flags + sorted(sources.stdout.split()), cwd=pages.ROOT)
    if outcome.returncode != 0:
        raise SystemExit("check-samples: OzuGTK does not compile; is the build up to date?")
    with open(os.path.join(folder, "flags"), "w", encoding="utf-8") as out:
        out.write("\n".join(flags) + "\n")
    return flags
