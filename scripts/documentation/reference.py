"""Reads the index of the reference that DocC has made."""

import json
import os

KINDS = {"class": "class", "struct": "struct", "enum": "enum", "protocol": "protocol", "actor": "actor", "func": "function",
         "typealias": "type alias", "var": "variable", "macro": "macro"}


def read(folder):
    """The modules, the types and the entries of the search, by the index of the reference; empty without a reference."""
    modules, symbols, search = [], {}, []
    index = os.path.join(folder, "index", "index.json")
    if not os.path.exists(index):
        return modules, symbols, search
    with open(index, encoding="utf-8") as file:
        trees = json.load(file)["interfaceLanguages"]["swift"]
    twice = set()

    def visit(node, module, depth):
        kind, title, path = node.get("type"), node.get("title", ""), node.get("path", "").strip("/")
        if kind == "module" and path != "documentation":
            module = title
            modules.append((title, path + "/"))
        elif kind in KINDS and path and module:
            if title in symbols and symbols[title][0] != path + "/":
                twice.add(title)
            symbols[title] = (path + "/", KINDS[kind], module)
        elif kind in ("article", "symbol") and path and module:
            search.append([title, module, path + "/", "", "article"])
        for child in node.get("children", []):
            visit(child, module, depth + 1)

    for tree in trees:
        visit(tree, None, 0)
    for title in sorted(symbols):
        path, kind, module = symbols[title]
        search.append([title, module, path, "", kind])
    for title in twice:
        del symbols[title]
    order = ["Ozu", "OzuImaging", "OzuCaching", "OzuHTTP"]
    modules.sort(key=lambda entry: (order.index(entry[0]) if entry[0] in order else len(order), entry[0]))
    return modules, symbols, search
