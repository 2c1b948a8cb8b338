"""This repository as the one who uses it finds it: published at an address with a tag and a branch, or as a folder; and what a build
of a package that depends on it may say."""

import os
import re
import subprocess

ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), "../../.."))
# Warnings that are not Ozu's: Foundation's own when it is linked statically, and GTK's flags for pkg-config, of which the pages tell.
OTHERS = re.compile(r"swift_static/.*\.a\(|prohibited flag\(s\): -pthread")


def git(*arguments, folder=ROOT):
    identity = {f"GIT_{role}_{part}": "Ozu" for role in ("AUTHOR", "COMMITTER") for part in ("NAME", "EMAIL")}
    return subprocess.run(["git", *arguments], cwd=folder, env=os.environ | identity, check=True, capture_output=True,
                          text=True).stdout.strip()


def version():
    with open(os.path.join(ROOT, "VERSION"), encoding="utf-8") as file:
        return file.read().strip()


def ways():
    """The ways to depend on this repository, as README shows them: by path, by branch and by version."""
    with open(os.path.join(ROOT, "README.md"), encoding="utf-8") as file:
        found = re.findall(r'\.package\((path: "[^"]*"|url: "<this repository>", (?:branch|from): "[^"]*")\)', file.read())
    return {"path" if way.startswith("path") else "branch" if "branch" in way else "version": way for way in found}


def publish(folder):
    """Makes a repository of one commit, with the files that git lists in the working tree as it is now. Returns its address."""
    place = os.path.join(folder, "ozu.git")
    git("init", "-q", "--bare", place)
    objects = os.path.join(os.path.realpath(os.path.join(ROOT, git("rev-parse", "--git-common-dir"))), "objects")
    with open(os.path.join(place, "objects/info/alternates"), "w", encoding="utf-8") as file:
        file.write(objects + "\n")
    # Changes that are not committed are tested too; files that git does not know are not.
    tree = (git("stash", "create") or "HEAD") + "^{tree}"
    commit = git("commit-tree", git("rev-parse", tree), "-m", "Ozu", folder=place)
    git("update-ref", "refs/heads/main", commit, folder=place)
    git("symbolic-ref", "HEAD", "refs/heads/main", folder=place)
    git("tag", version(), commit, folder=place)
    return "file://" + place


def warnings(output):
    """The warnings of a build about Ozu that its user cannot mend."""
    return [line for line in output.splitlines() if re.search(r"\bwarning: ", line) and not OTHERS.search(line)]
