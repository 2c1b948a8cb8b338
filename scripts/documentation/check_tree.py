#!/usr/bin/env python3
"""Fails when the map of CONTRIBUTING.md is not the tree's, an example is not what its page shows, or versions disagree.

    check_tree.py          compares
    check_tree.py write    writes the samples of the pages into Examples
"""

import os
import re
import sys

import pages

# The dependency in a reader's manifest; an example has the path of its own clone in its place.
IN_TREE = 'name: "ozu", path: "../.."'
BY_PAGE = re.compile(r'url: "<this repository>", branch: "main"|path: "../ozu"')


def folders(path):
    """The folders in a folder that git knows."""
    return {name for name in os.listdir(os.path.join(pages.ROOT, path))
            if os.path.isdir(os.path.join(pages.ROOT, path, name)) and not name.startswith(".")}


def check_map():
    """Every folder has its line, and every line its folder."""
    problems = []
    block = re.search(r"^```\n(Sources/\n.*?)^```", pages.read("CONTRIBUTING.md"), re.MULTILINE | re.DOTALL)[1]
    named, place = {"Sources": set(), "Tests": set(), "Examples": set()}, None
    for line in block.splitlines():
        names = re.findall(r"([\w.]+)/(?:,|  |$)", line)
        if not line.startswith(" "):
            place = parent = line.split("/")[0]
            if place not in folders("."):
                problems.append(f"CONTRIBUTING.md: the map has {place}/, the tree does not")
        elif place in ("Sources", "Tests") and not line.startswith("   ") and names:
            # A part, with the modules in the lines below it.
            parent = f"{place}/{names[0]}"
            named[place].add(names[0])
            named[parent] = set()
        else:
            named[parent].update(names)
    for place, names in named.items():
        for name in sorted(names ^ folders(place)):
            missing = "lacks" if name not in names else "has"
            problems.append(f"CONTRIBUTING.md: the map {missing} {place}/{name}/")
    # Targets whose folder is elsewhere would be on no map.
    tops = {line.split("/")[0] for line in block.splitlines() if not line.startswith(" ")}
    for path in re.findall(r"^  \S+ +\w+ +=?([A-Z]\w+/\S+)", pages.read("Package.swift"), re.MULTILINE):
        if path.split("/")[0] not in tops:
            problems.append(f"Package.swift: the map of CONTRIBUTING.md does not reach {path}")
    return problems


def check_errors():
    """Each kind of error has its section on the page of the errors."""
    kinds = set(re.findall(r"public static let (\w+) = Self\(", pages.read("Sources/Core/Ozu/Pipeline/ImageError+Kind.swift")))
    sections = set(re.findall(r"^### (\w+)$", pages.read("Documentation/errors.md"), re.MULTILINE))
    return [f"Documentation/errors.md: {name}: a kind without a section, or a section without a kind" for name in sorted(kinds ^ sections)]


def check_translations():
    """Each text of the gallery is translated into each of its languages, and nothing else is."""
    folder = "Sources/Apps/OzuGallery"

    def swift(folder):
        names = sorted(os.listdir(os.path.join(pages.ROOT, folder)))
        return [f"{folder}/{name}" for name in names if name.endswith(".swift")]

    source = "".join(map(pages.read, swift(folder)))
    text = r'"((?:[^"\\\n]|\\.)+)"'
    shortcuts = pages.read(f"{folder}/Shortcut.swift")
    rows = [r'\("[^"]+", "[^"]+", ' + text + r"\)", r"\bcase \w+ = " + text, r"\btitle: " + text]
    keys = set(re.findall(r"\btr\(\s*" + text, source)) | {key for row in rows for key in re.findall(row, shortcuts)}
    problems = []
    for path in swift(f"{folder}/Languages"):
        translated = set(re.findall(r"^ +(\S.*?) = \S", pages.read(path).split('"""')[1], re.MULTILINE))
        problems += [f"{path}: the text “{key}” is missing" for key in sorted(keys - translated)]
        problems += [f"{path}: no text is “{key}”" for key in sorted(translated - keys)]
    return problems


def check_version():
    """The file VERSION is `Version.current`, the newest section of CHANGELOG.md, and what pages tell readers to depend on."""
    problems, version = [], pages.read("VERSION").strip()
    for program, name in ("OzuCLI/Tool.swift", "current"), ("OzuGallery/Gallery.swift", "version"):
        tool = f"Sources/Apps/{program}"
        if f'static let {name} = "{version}"' not in pages.read(tool):
            problems.append(f"{tool}: its version is not {version}, that of the file VERSION")
    newest = re.search(r"^## (\d+\.\d+\.\d+) \(\d{4}-\d\d-\d\d\)$", pages.read("CHANGELOG.md"), re.MULTILINE)
    if newest is None or newest[1] != version:
        problems.append(f"CHANGELOG.md: its newest version is not {version}, that of the file VERSION")
    store = "scripts/desktop/org.ozu.Gallery.metainfo.xml"
    if f'<release version="{version}"' not in pages.read(store):
        problems.append(f"{store}: it has no release {version}")
    for page in pages.documents() + pages.articles():
        for found in re.findall(r'(?:repository>"|url: …), from: "([^"]*)"|`from: "([^"]*)"`', pages.read(page)):
            if version not in found:
                problems.append(f"{page}: it depends on version {''.join(found)}, and this is {version}")
    return problems


def check_ways():
    """README names each way to depend on Ozu, which `make package-test` tries, and so does each page that has one."""
    ways = ['.package(path: "../ozu")', '.package(url: "<this repository>", branch: "main")',
            f'.package(url: "<this repository>", from: "{pages.read("VERSION").strip()}")']
    problems = [f"README.md: it must show {way}" for way in ways if way not in pages.read("README.md")]
    for page in sorted(name for name in pages.documents() if "/getting-started/" in name):
        problems += [f"{page}: it must name {way}" for way in ('path: "../ozu"', 'branch: "main"', 'from: "') if way not in pages.read(page)]
    return problems


def check_examples(writes):
    """The files that the pages for newcomers show are those of Examples, except for the dependency on Ozu."""
    problems = []
    for page in sorted(name for name in pages.documents() if "/getting-started/" in name):
        files = re.findall(r"^`([^`\n]+\.swift)`:\n+<!--[^\n]*-->\n```swift\n(.*?)^```", pages.read(page), re.MULTILINE | re.DOTALL)
        if not files:
            problems.append(f"{page}: it shows no file of a package")
        for name, code in files:
            path = os.path.join("Examples", name)
            code = BY_PAGE.sub(IN_TREE, code)
            if writes:
                with open(os.path.join(pages.ROOT, path), "w", encoding="utf-8") as file:
                    file.write(code)
            elif not os.path.exists(os.path.join(pages.ROOT, path)) or pages.read(path) != code:
                problems.append(f"{page}: {path} is another file than the page shows: run check_tree.py write")
    return problems


def main():
    problems = check_map() + check_version() + check_ways() + check_errors() + check_translations()
    problems += check_examples(sys.argv[1:] == ["write"])
    for problem in problems:
        print(problem, file=sys.stderr)
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
