"""Reads the index of the reference that DocC has made."""

import json
import os
import re

KINDS = {"class": "class", "struct": "struct", "enum": "enum", "protocol": "protocol", "actor": "actor", "func": "function",
         "typealias": "type alias", "var": "variable", "macro": "macro"}
MEMBERS = {"property", "method", "case", "init", "op", "subscript"}


def text(piece):
    """The words of a piece of DocC's JSON, without code blocks and declarations."""
    if isinstance(piece, list):
        return " ".join(filter(None, map(text, piece)))
    if not isinstance(piece, dict) or piece.get("type") == "codeListing" or piece.get("kind") == "declarations":
        return ""
    if piece.get("type") == "codeVoice":
        return piece["code"]
    if piece.get("type") == "reference":
        return piece["identifier"].rsplit("/", 1)[-1]
    own = piece["text"] if isinstance(piece.get("text"), str) else ""
    return " ".join(filter(None, [own] + [text(part) for part in piece.values() if isinstance(part, list)]))


def words(folder, path, length):
    """The beginning of what a page of the reference says."""
    place = os.path.join(folder, "data", path + ".json")
    if not os.path.exists(place):
        return ""
    with open(place, encoding="utf-8") as file:
        page = json.load(file)
    return re.sub(r"\s+", " ", text([page.get("abstract", []), page.get("primaryContentSections", [])])).strip()[:length]


def member(title):
    """The name of a member with its labels, as `setImage(from:placeholder:)`, for the title that DocC's index has: its declaration."""
    title = re.sub(r"^(?:(?:static|class|func|var|let|case) )+", "", title)
    found = re.fullmatch(r"([^(<:]+)(?:<.*?>)?\((.*)\).*", title)
    if not found:
        return title.split(":")[0]
    labels, depth, part = [], 0, ""
    for sign in found[2] + ",":
        depth += {"(": 1, "[": 1, "<": 1, ")": -1, "]": -1, ">": -1}.get(sign, 0)
        if sign == "," and depth <= 0:
            if part.strip():
                label = part.split(":")[0].strip()
                labels.append(label if ":" in part and re.fullmatch(r"\w+", label) else "_")
            part = ""
        else:
            part += sign
    return found[1].strip() + "(" + "".join(label + ":" for label in labels) + ")"


def read(folder):
    """The modules, the types and the entries of the search, by the index of the reference; empty without a reference."""
    modules, symbols, search = [], {}, []
    index = os.path.join(folder, "index", "index.json")
    if not os.path.exists(index):
        return modules, symbols, search
    with open(index, encoding="utf-8") as file:
        trees = json.load(file)["interfaceLanguages"]["swift"]
    twice, seen = set(), set()

    def visit(node, module, owner):
        kind, title, path = node.get("type"), node.get("title", ""), node.get("path", "").strip("/")
        if kind == "module" and path != "documentation":
            module = title
            modules.append((title, path + "/"))
        elif kind in KINDS and path and module:
            if title in symbols and symbols[title][0] != path + "/":
                twice.add(title)
            symbols[title] = (path + "/", KINDS[kind], module)
        elif kind in ("article", "symbol") and path and module:
            search.append([title, module, path + "/", words(folder, path, 1500), "article"])
        elif kind in MEMBERS and path and module:
            name = member(title)
            if (name, owner) not in seen:
                seen.add((name, owner))
                search.append([name, owner, path + "/", words(folder, path, 300), "member"])
        if kind in KINDS or kind == "extension":
            owner = title
        for child in node.get("children", []):
            visit(child, module, owner)

    for tree in trees:
        visit(tree, None, "")
    for title in sorted(symbols):
        path, kind, module = symbols[title]
        search.append([title, module, path, words(folder, path.strip("/"), 300), kind])
    for title in twice:
        del symbols[title]
    order = ["Ozu", "OzuImaging", "OzuCaching", "OzuHTTP"]
    modules.sort(key=lambda entry: (order.index(entry[0]) if entry[0] in order else len(order), entry[0]))
    return modules, symbols, search
