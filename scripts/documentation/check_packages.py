#!/usr/bin/env python3
"""Fails when the pages, Package.swift or the Dockerfile name other system packages or systems than `scripts/packages` and
`scripts/systems`.

    check_packages.py          compares
    check_packages.py write    writes the blocks of the pages

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
    libraries = re.findall(r"SystemLibrary\(\n?\s*name: .*?brew: ", pages.read("Package.swift"), re.DOTALL)
    return {re.search(r'trait: "(\w+)"', text)[1] for text in libraries if "Off by default." in text} | {"GTK"}


def build(list, kind):
    """The command that installs what a build takes."""
    without = {"build": off(), "build all": {"GTK"}, "build GTK": set()}[kind]
    names = " ".join(package.name for package in list if package.use not in without)
    lines = textwrap.wrap("apt-get install " + names, 98, break_on_hyphens=False, break_long_words=False)
    return "```sh\n" + " \\\n  ".join(lines) + "\n```\n"


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


def check_pages(list, writes):
    problems = []
    for page, kinds in BLOCKS.items():
        text = pages.read(page)
        new = BLOCK.sub(lambda found: found[1] + block(found[2], list), text)
        if [found[2] for found in BLOCK.finditer(text)] != kinds:
            problems.append(f"{page}: it must have these blocks of packages: {', '.join(kinds)}")
        if new != text and writes:
            with open(os.path.join(pages.ROOT, page), "w", encoding="utf-8") as file:
                file.write(new)
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
    """The lists have the same columns and rows, and the page about systems and traits has all of them."""
    problems = []
    for name in ("packages", "systems"):
        heading = re.findall(r"^# package .*", pages.read("scripts/" + name), re.MULTILINE)[-1].split()
        if heading[-len(RELEASES):] != [*RELEASES]:
            problems.append(f"scripts/{name}: its columns must be those of the systems: {', '.join(RELEASES)}")
    for package in list:
        if bool(package.versions) != bool(package.libraries or package.use == "GTK"):
            problems.append(f"scripts/systems: it {'has' if package.versions else 'lacks'} the versions of {package.name}")
    page, text = "Documentation/libraries.md", pages.read("Documentation/libraries.md")
    rows = ["|  | " + " | ".join(system.title for system in system_list.systems()) + " |"]
    rows += [f"| `{name}` | " for name in re.findall(r'^  \("(\w+)", "', pages.read("Package.swift"), re.MULTILINE)]
    return problems + [f"{page}: it must have a row that begins so: {row}" for row in rows if "\n" + row not in text]


def check_manifest(list):
    """Libraries, packages and traits of Package.swift."""
    problems, manifest = [], pages.read("Package.swift")
    links = {name for found in re.findall(r"links: \[(\"[^\]]*)\]", manifest) for name in re.findall(r'"([^"]*)"', found)}
    links |= set(re.findall(r'linkedLibrary\("([^"]*)"', manifest))
    if links != {name for package in list for name in package.libraries}:
        problems.append("Package.swift: it links other libraries than scripts/packages has")
    named = {}
    for found in re.findall(r"SystemLibrary\(\n?\s*name: \"\w+\",.*?brew: \"[^\"]*\"\s*\)", manifest, re.DOTALL):
        trait = re.search(r'trait: "(\w+)"', found)
        named[re.search(r'apt: "([^"]*)"', found)[1]] = trait[1] if trait else "start"
    # The HTTP client has no trait, and opens its library with the first request.
    if named.get("libcurl4-openssl-dev") == "start":
        named["libcurl4-openssl-dev"] = "HTTP"
    named |= {name: "GTK" for name in re.findall(r'\.apt\(\["(libgtk[^"]*)"', manifest)}
    needed = {package.name: package.use for package in list if package.libraries or package.use == "GTK"}
    for name in sorted(set(named.items()) ^ set(needed.items())):
        problems.append(f"Package.swift and scripts/packages do not agree on {name[0]} ({name[1]})")
    return problems


def check_dockerfile(list):
    """The build stage installs what a build takes, the run stage what Debian 12 takes to run."""
    text = pages.read(DOCKERFILE)
    stages = [set(re.sub(r"\\\n", " ", found).split()) - {"--no-install-recommends", "-y", "-q"}
              for found in re.findall(r"apt-get install ((?:[^&\\]|\\\n)*)", text)]
    without = off()
    builds = {package.name for package in list if package.use not in without}
    runs = {name for package in list if package.use not in without | {"-"} for name in package.runs["debian-12"]}
    problems = []
    for stage, names, wanted in zip(("build", "run"), stages, (builds, runs)):
        for name in sorted(names ^ wanted):
            problems.append(f"{DOCKERFILE}: the {stage} stage {'has' if name in names else 'lacks'} {name}")
    return problems if len(stages) == 2 else problems + [f"{DOCKERFILE}: it must install packages in two stages"]


def main():
    list = system_list.packages()
    problems = check_pages(list, sys.argv[1:] == ["write"]) + check_systems(list) + check_manifest(list) + check_dockerfile(list)
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
