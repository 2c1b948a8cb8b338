#!/usr/bin/env python3
"""Fails when the pages or a Dockerfile of Examples name other system packages or systems than `scripts/packages`, `scripts/systems` and
Package.swift.

    check_packages.py          compares
    check_packages.py write    writes the blocks of the pages, and the Dockerfile

A comment on a page stands before such a block:

    <!-- packages: build -->      the command that installs what a package with the trait Formats takes to build; with `build all`
                                  for AllFormats, which `make` builds, and with `build GTK` for Desktop
    <!-- packages: run -->        the table of what a machine takes that only runs the program
    <!-- packages: versions -->   the table of the versions that the systems have
"""

import os
import re
import sys
import textwrap

import pages

sys.path.append(os.path.join(pages.ROOT, "scripts"))
import system_list

RELEASES = system_list.releases()
USES = {"start": "to start", "HTTP": "for `http:` and `https:`", "WebP": "trait `WebP` (to start)"}
# Pages that must have a block of each kind.
BLOCKS = {
    "README.md": ["build all"], "Sources/Core/Ozu/Ozu.docc/GettingStarted.md": ["build"], "Documentation/gtk.md": ["build GTK"],
    "Documentation/getting-started/linux-desktop.md": ["build GTK"], "Documentation/getting-started/server.md": ["build"],
    "Documentation/getting-started/command-line.md": ["build"], "Documentation/libraries.md": ["build", "run", "versions"],
}
DOCKERFILE = "Examples/Thumbs/Dockerfile"
BLOCK = re.compile(r"(<!-- packages: (build|build GTK|build all|run|versions) -->\n)(```sh\n.*?^```\n|(?:\|[^\n]*\n)+)", re.MULTILINE | re.DOTALL)


def off():
    """The traits that a package does not get unless it names them."""
    return {package.use for package in system_list.packages() if "Off by default." in package.description} | {"GTK"}


def filled(indent, text):
    """The lines of a command, the first behind an indent."""
    return textwrap.wrap(text, 98, initial_indent=indent, subsequent_indent="  ", break_on_hyphens=False, break_long_words=False)


def build(list, kind):
    """The command that installs what a build takes."""
    without = {"build": off(), "build all": {"GTK"}, "build GTK": set()}[kind]
    names = " ".join(package.name for package in list if package.use not in without)
    return "```sh\n" + " \\\n".join(filled("", "apt-get install " + names)) + "\n```\n"


def table(rows):
    rows.insert(1, ["---"] * len(rows[0]))
    return "".join("| " + " | ".join(row) + " |\n" for row in rows).replace("| --- ", "|---").replace("|--- |", "|---|").replace("---|---", "---|---")


def run(list):
    """The table of what a machine takes that only runs the program."""
    uses = dict.fromkeys(package.use for package in list if package.use != "-")
    uses = sorted(uses, key=lambda use: use != "start")
    rows = [["", *RELEASES.values()]]
    for use in uses:
        row = [USES.get(use, f"trait `{use}`" + (" (off by default)" if use in off() else ""))]
        for release in RELEASES:
            row.append(" ".join(name for package in list if package.use == use for name in package.runs[release]) or "leave it out")
        rows.append(row)
    return table(rows)


def versions(list):
    """The table of the versions that the systems have; of those that are too old for Ozu it says so."""
    rows = [["", *RELEASES.values()]]
    for package in list:
        if package.versions:
            rows.append([f"`{package.name}`"] + [
                "none" if version == "-" else version if package.runs[release] else version + ", too old"
                for release, version in package.versions.items()])
    return table(rows)


def block(kind, list):
    return {"run": run, "versions": versions}.get(kind, lambda list: build(list, kind))(list)


def manifest_line(list, release):
    """The traits of a manifest on a release that cannot have some of the usual formats; nothing for others."""
    lacking = set(system_list.lacking(list, release))
    usual = [package.use for package in list if package.is_trait and package.use not in off()]
    return "traits: [" + ", ".join(f'"{use}"' for use in usual if use not in lacking) + "]" if lacking & set(usual) else None


def write(page, text):
    with open(os.path.join(pages.ROOT, page), "w", encoding="utf-8") as file:
        file.write(text)


def check_pages(list, writes):
    problems = []
    for page, kinds in BLOCKS.items():
        text = pages.read(page)
        new = BLOCK.sub(lambda found: found[1] + block(found[2], list), text)
        if [found[2] for found in BLOCK.finditer(text)] != kinds:
            problems.append(f"{page}: it must have these blocks of packages: {', '.join(kinds)}")
        if new != text and writes:
            write(page, new)
        elif new != text:
            problems.append(f"{page}: its packages are not those of scripts/packages: run check_packages.py write")
        for release, name in RELEASES.items():
            line = manifest_line(list, release) if "run" in kinds else None
            if line and not re.search(re.escape(name) + r"\b(?:(?!\n\n).)*" + re.escape(line), text, re.DOTALL):
                problems.append(f"{page}: it must say what a manifest asks for on {name}: {line}")
    for page in pages.documents() + pages.articles():
        # A list that no comment announces would not be compared.
        if page != "CHANGELOG.md" and len(re.findall(r"libpng-dev", BLOCK.sub("", pages.read(page)))) > 0:
            problems.append(f"{page}: it names packages outside of a block")
    return problems


def check_systems(list):
    """The list has a column for each system and a row for each library, and the page about systems and traits has all of them."""
    problems = []
    if re.findall(r"^# package +for (.*) instead$", pages.read("scripts/packages"), re.MULTILINE)[-1].split() != [*RELEASES]:
        problems.append(f"scripts/packages: its columns must be those of the systems: {', '.join(RELEASES)}")
    uses = {package.name: package.use for package in list}
    for name, cells in system_list.libraries().items():
        if uses.get(name) not in (cells[5:6] or ("start", "HTTP")):
            problems.append(f"scripts/packages: {name}: Package.swift has it for {cells[5] if cells[5:] else 'every build'}")
    for package in list:
        if bool(package.versions) != bool(package.libraries):
            problems.append(f"scripts/packages: it {'has' if package.versions else 'lacks'} the versions of {package.name}")
    page, text = "Documentation/libraries.md", pages.read("Documentation/libraries.md")
    rows = ["|  | " + " | ".join(system.title for system in system_list.systems()) + " |"]
    rows += [f"| `{name}` | " for name in re.findall(r'^  \("(\w+)", "', pages.read("Package.swift"), re.MULTILINE)]
    return problems + [f"{page}: it must have a row that begins so: {row}" for row in rows if "\n" + row not in text]


def check_dockerfile(list, writes):
    """The build stage installs what a build takes, the run stage what Debian 12 takes to run: first for the start and HTTP."""
    text, taken = pages.read(DOCKERFILE), [package for package in list if package.use not in off()]
    runs = [package for package in taken if package.use != "-"]
    stages = iter([[[package.name for package in taken]], [
        [name for package in runs if package.is_trait == is_trait for name in package.runs["debian-12"]] for is_trait in (False, True)]])
    install = re.compile(r"(apt-get install -y --no-install-recommends \\\n)((?:  [^&\n]*\\\n)*)")
    if len(install.findall(text)) != 2:
        return [f"{DOCKERFILE}: it must install packages in two stages"]
    new = install.sub(lambda found: found[1] + "".join(
        line + " \\\n" for names in next(stages) for line in filled("  ", " ".join(names))), text)
    if new != text and writes:
        write(DOCKERFILE, new)
    elif new != text:
        return [f"{DOCKERFILE}: its packages are not those of scripts/packages: run check_packages.py write"]
    return []


def main():
    list, writes = system_list.packages(), sys.argv[1:] == ["write"]
    problems = check_pages(list, writes) + check_systems(list) + check_dockerfile(list, writes)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
