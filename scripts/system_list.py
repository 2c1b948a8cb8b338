"""The lists `packages` and `systems` beside this file, and that of the libraries in Package.swift."""

import os

HERE = os.path.dirname(os.path.abspath(__file__))


def lines(name):
    """The words of each line of a list."""
    with open(os.path.join(HERE, name), encoding="utf-8") as file:
        return [line.split() for line in file.read().splitlines() if not line.startswith("#")]


class System:
    def __init__(self, name, headers, *title):
        self.name, self.title = name, " ".join(title)
        base, *exceptions = headers.split(",")
        # The packages that are fetched, or nothing for a system whose headers stand over another's.
        self.suite, self.architecture = base.split("/") if "/" in base else (None, None)
        self.base = name if self.suite else base
        # The system that the headers of a package come from, where it is not the base.
        self.exceptions = dict(exception.split("=") for exception in exceptions)

    def origin(self, package):
        return self.exceptions.get(package, self.base)


class Package:
    def __init__(self, library, name, use, *cells):
        self.name, self.use = name, use
        # The libraries that it brings, and what its trait is for, from the row in Package.swift.
        self.libraries = library[4].lstrip("?").split(",") if library else []
        self.description = " ".join(library[6:]) if library else ""
        # By release: the version of the library, and the packages that a machine needs which only runs the program.
        cells = {release: cell.partition("=") for release, cell in zip(releases(), cells)}
        self.versions = {release: cell[0] for release, cell in cells.items()} if any(cell[0] != "-" for cell in cells.values()) else {}
        self.runs = {release: cell[2].split(",") if cell[2] else [] for release, cell in cells.items()}

    @property
    def is_trait(self):
        return self.use not in ("start", "HTTP", "-")


def systems():
    return [System(*words) for words in lines("systems")]


def releases():
    """The systems that have a column in the lists, and what pages call them."""
    return {system.name: system.title for system in systems() if system.name == release_of(system)}


def release_of(system):
    """The name of the column for a system: its own, or that of the system whose name its own begins with."""
    return next(other.name for other in systems() if system.name == other.name or system.name.startswith(other.name + "-"))


def libraries():
    """The rows of the table in Package.swift, by the package."""
    with open(os.path.join(HERE, "../Package.swift"), encoding="utf-8") as file:
        rows = file.read().split('let libraries = """\n')[1].split('\n  """')[0]
    return {cells[1]: cells for cells in map(str.split, rows.splitlines())}


def packages():
    rows = libraries()
    return [Package(rows.get(words[0]), *words) for words in lines("packages")]


def lacking(list, release):
    """The traits that a release cannot have, because it has no such library or one that is too old."""
    return [package.use for package in list if package.is_trait and not package.runs[release]]
