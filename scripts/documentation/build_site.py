#!/usr/bin/env python3
"""Writes the pages of the documentation into a folder that has, or will have, the reference that DocC makes.

    build_site.py FOLDER

The contents stand in Documentation/README.md. Pages are Markdown, read by cmark-gfm. REPOSITORY=ADDRESS makes links to files
that are no pages lead there (as https://example.com/ozu/blob/main); without it they are plain text. Fails when a link of a
page leads nowhere in the folder. BASE=/name is where the folder is served, as for the reference.
"""

import html
import json
import os
import re
import shutil
import subprocess
import sys
from urllib.parse import unquote

import pages
from highlight import highlight

HERE = os.path.dirname(os.path.abspath(__file__))
KINDS = {"class": "class", "struct": "struct", "enum": "enum", "protocol": "protocol", "actor": "actor", "func": "function",
         "typealias": "type alias", "var": "variable", "macro": "macro"}


def output(path):
    """The file of a page in the site."""
    if path == pages.START:
        return "index.html"
    if path == "README.md":
        return "overview.html"
    path = re.sub(r"^Documentation/", "", path)
    path = re.sub(r"(^|/)README\.md$", r"\1index.md", path)
    return re.sub(r"\.md$", ".html", path).lower()


def root(page):
    return "../" * page.count("/")


def plain(fragment):
    text = re.sub(r"<(script|style|svg)\b.*?</\1>", " ", fragment, flags=re.DOTALL)
    text = html.unescape(re.sub(r"<[^>]+>", "", re.sub(r"<(/?(?:p|li|td|th|tr|h\d|br|div|pre)\b)", r" <\1", text)))
    return re.sub(r"\s+", " ", text).strip()


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.problems = []
        self.titles = {}
        self.search = []
        self.symbols = {}
        self.modules = []
        self.repository = os.environ.get("REPOSITORY", "").rstrip("/")
        self.paths = pages.documents()
        self.read_reference()

    def read_reference(self):
        """The modules and the types of the reference, by its index."""
        index = os.path.join(self.folder, "index", "index.json")
        if not os.path.exists(index):
            return
        with open(index, encoding="utf-8") as file:
            trees = json.load(file)["interfaceLanguages"]["swift"]
        twice = set()

        def visit(node, module, depth):
            kind, title, path = node.get("type"), node.get("title", ""), node.get("path", "").strip("/")
            if kind == "module" and path != "documentation":
                module = title
                self.modules.append((title, path + "/"))
            elif kind in KINDS and path and module:
                if title in self.symbols and self.symbols[title][0] != path + "/":
                    twice.add(title)
                self.symbols[title] = (path + "/", KINDS[kind], module)
            elif kind in ("article", "symbol") and path and module:
                self.search.append([title, module, path + "/", "", "article"])
            for child in node.get("children", []):
                visit(child, module, depth + 1)

        for tree in trees:
            visit(tree, None, 0)
        for title in sorted(self.symbols):
            path, kind, module = self.symbols[title]
            self.search.append([title, module, path, "", kind])
        for title in twice:
            del self.symbols[title]
        order = ["Ozu", "OzuImaging", "OzuCaching", "OzuHTTP"]
        self.modules.sort(key=lambda entry: (order.index(entry[0]) if entry[0] in order else len(order), entry[0]))

    def link(self, page, path, target):
        """The address of a link as it stands in a page of the site; nothing when it leads out of it."""
        if re.match(r"[a-z][a-z+.-]*:", target):
            return target
        file, anchor = pages.resolve(path, unquote(target))
        anchor = "#" + anchor if anchor else ""
        if target.startswith("#"):
            return target
        if file in self.paths:
            return root(page) + output(file) + anchor
        docc = pages.reference(file)
        if docc:
            return root(page) + docc
        full = os.path.join(pages.ROOT, file)
        if os.path.isfile(full) and file.startswith(("Documentation/", "Benchmarks/")) and not file.endswith(".py"):
            place = re.sub(r"^Documentation/", "", file).lower()
            os.makedirs(os.path.dirname(os.path.join(self.folder, place)) or ".", exist_ok=True)
            shutil.copyfile(full, os.path.join(self.folder, place))
            return root(page) + place + anchor
        return f"{self.repository}/{file}{anchor}" if self.repository else None

    def body(self, path, page):
        """The HTML of a page, its title and its headings."""
        text = re.sub(r"<!-- plot: (.*?) -->", lambda found: f"\n\nplot:{found[1]}\n\n", pages.read(path))
        text = re.sub(r"<!--.*?-->\n?", "", text, flags=re.DOTALL)
        # HTML in the pages is kept: only people who work on Ozu write them.
        body = subprocess.run(
            ["cmark-gfm", "--unsafe", "-e", "table", "-e", "strikethrough", "-e", "autolink", "--to", "html"],
            input=text, capture_output=True, text=True, check=True).stdout
        seen, headings = {}, []

        def heading(found):
            level, inner = found[1], found[2]
            anchor = pages.slug(plain(inner), seen)
            headings.append((int(level), plain(inner), anchor))
            if level == "1":
                return f'<h1 id="{anchor}">{inner}</h1>'
            return f'<h{level} id="{anchor}">{inner} <a class="anchor" href="#{anchor}" aria-label="Link to this section">#</a></h{level}>'

        def code(found):
            language = found[1] or ""
            text = html.unescape(found[2])
            return f'<pre data-language="{language}"><code>{highlight(text, language)}</code></pre>'

        def anchor(found):
            target = self.link(page, path, html.unescape(found[1]))
            if target is None:
                return f"<span>{found[2]}</span>"
            return f'<a href="{html.escape(target)}">{found[2]}</a>'

        def picture(found):
            target = self.link(page, path, html.unescape(found[1]))
            return f'<img src="{html.escape(target or "")}"'

        def symbol(found):
            known = self.symbols.get(found[1])
            return f'<a href="{root(page)}{html.escape(known[0])}">{found[0]}</a>' if known else found[0]

        body = re.sub(r"<p>plot:(.*?)</p>", lambda found: self.plot(path, found[1]), body)
        body = re.sub(r"<h([1-6])>(.*?)</h\1>", heading, body, flags=re.DOTALL)
        # The code of blocks and of links first, since names of types in the prose become links.
        kept = []

        def keep(text):
            kept.append(text)
            return f"\0{len(kept) - 1}\0"

        body = re.sub(r'<pre><code(?: class="language-([^"]*)")?>(.*?)</code></pre>', lambda found: keep(code(found)), body,
                      flags=re.DOTALL)
        body = re.sub(r'<a href="([^"]*)">(.*?)</a>', lambda found: keep(anchor(found)), body, flags=re.DOTALL)
        body = re.sub(r"<h\d.*?</h\d>", lambda found: keep(found[0]), body, flags=re.DOTALL)
        body = re.sub(r"<code>(\w+)</code>", symbol, body)
        while "\0" in body:
            body = re.sub("\0(\\d+)\0", lambda found: kept[int(found[1])], body)
        body = re.sub(r'<img src="([^"]*)"', picture, body)
        body = re.sub(r"<table>.*?</table>", lambda found: f'<div class="scroll">{found[0]}</div>', body, flags=re.DOTALL)
        if path == pages.START:
            # The words behind the links of its lists stand below them, in boxes.
            body = re.sub(r"(<li><a .*?</a>): (\w)", lambda found: f"{found[1]} {found[2].upper()}", body)
        title = next((text for level, text, _ in headings if level == 1), os.path.basename(path))
        return body, title, headings

    def plot(self, path, name):
        """A figure of Benchmarks/report.html, by the section it is in and its label: `section / label | words for it`."""
        section, _, label = html.unescape(name).partition("/")
        label, _, caption = label.partition("|")
        report = pages.read("Benchmarks/report.html")
        found = re.search(
            r"<h2>" + re.escape(section.strip()) + r"</h2>(?:(?!<h2>).)*?(<svg[^>]*aria-label=\"" +
            re.escape(html.escape(label.strip())) + r"\".*?</svg>)", report, re.DOTALL)
        if not found:
            self.problems.append(f"{path}: Benchmarks/report.html has no plot '{name}'")
            return ""
        drawing = found[1].replace(f">{html.escape(label.strip())}<", f">{html.escape(caption.strip())}<", 1) if caption else found[1]
        return f'<figure class="plot">{drawing}</figure>'

    def index(self, page, title, body):
        """The entries of a page in the search: one for the page, and one for each of its sections."""
        parts = re.split(r'<h[2-4] id="([^"]*)">(.*?)</h[2-4]>', body, flags=re.DOTALL)
        self.search.append([title, "", page, plain(re.sub(r"<h1.*?</h1>", "", parts[0], flags=re.DOTALL))[:1500], "page"])
        for anchor, heading, text in zip(parts[1::3], parts[2::3], parts[3::3]):
            name = plain(re.sub(r'<a class="anchor".*?</a>', "", heading, flags=re.DOTALL))
            self.search.append([name, title, f"{page}#{anchor}", plain(text)[:1500], "section"])

    def navigation(self, page, sections):
        parts = []
        for title, entries in sections:
            holds = any(place == page for _, place in entries)
            opened = " open" if holds or page == "index.html" else ""
            parts.append(f"<details{opened}><summary>{html.escape(title)}</summary><ul>")
            for text, place in entries:
                current = ' aria-current="page"' if place == page else ""
                parts.append(f'<li><a href="{root(page)}{place}"{current}>{html.escape(text)}</a></li>')
            parts.append("</ul></details>")
        return "\n".join(parts)

    def write(self, page, title, body, sections, headings=(), kind=""):
        toc = "".join(
            f'<li class="l{level}"><a href="#{anchor}">{html.escape(text)}</a></li>' for level, text, anchor in headings if level in (2, 3))
        toc = f'<nav class="toc" aria-label="On this page"><h2>On this page</h2><ul>{toc}</ul></nav>' if toc.count("<li") > 2 else ""
        order = [place for _, entries in sections for place in entries]
        at = next((number for number, entry in enumerate(order) if entry[1] == page), None)
        around = ""
        if at is not None:
            before = order[at - 1] if at > 0 else None
            after = order[at + 1] if at + 1 < len(order) else None
            around = '<nav class="around" aria-label="Neighbouring pages">' + "".join(
                f'<a class="{side}" href="{root(page)}{entry[1]}">{html.escape(entry[0])}</a>'
                for side, entry in (("before", before), ("after", after)) if entry) + "</nav>"
        with open(os.path.join(HERE, "page.html"), encoding="utf-8") as file:
            text = file.read()
        values = {
            "title": html.escape(title if page == "index.html" else f"{title} · Ozu"), "root": root(page), "kind": kind,
            "navigation": self.navigation(page, sections), "toc": toc, "body": body, "around": around,
        }
        text = re.sub(r"\{\{(\w+)\}\}", lambda found: values[found[1]], text)
        place = os.path.join(self.folder, page)
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "w", encoding="utf-8") as file:
            file.write(text)

    def module_page(self):
        parts = ["<h1 id=\"reference\">Reference</h1><p>Every public symbol of every module, from the comments of the sources.</p>"]
        for title, path in self.modules:
            data = os.path.join(self.folder, "data", path.rstrip("/") + ".json")
            with open(data, encoding="utf-8") as file:
                abstract = json.load(file).get("abstract", [])
            words = "".join(
                f"<code>{html.escape(piece['code'])}</code>" if "code" in piece else html.escape(piece.get("text", ""))
                for piece in abstract)
            types = sum(1 for _, kind, module in self.symbols.values() if module == title and kind != "function")
            parts.append(f'<a class="card" href="{path}"><strong>{title}</strong><span>{words}</span>{f"<small>{types} types</small>" if types else ""}</a>')
        return parts[0] + '<div class="cards">' + "".join(parts[1:]) + "</div>"

    def build(self):
        sections = [
            (title, [(text.replace("`", ""), output(path)) for text, path, _ in entries]) for title, entries in pages.contents()]
        if self.modules:
            sections.append(("Reference", [("All modules", "reference.html")]))
        os.makedirs(os.path.join(self.folder, "site"), exist_ok=True)
        for name in ("site.css", "site.js", "reference.css"):
            shutil.copyfile(os.path.join(HERE, name), os.path.join(self.folder, "site", name))
        for path in self.paths:
            page = output(path)
            body, title, headings = self.body(path, page)
            self.index(page, title, body)
            kind = "start" if path == pages.START else ""
            self.write(page, title, body, sections, () if kind else headings, kind)
        if self.modules:
            self.write("reference.html", "Reference", self.module_page(), sections)
        self.link_back()
        with open(os.path.join(self.folder, "site", "search.json"), "w", encoding="utf-8") as file:
            json.dump(self.search, file, ensure_ascii=False, separators=(",", ":"))
        self.check()

    def link_back(self):
        """A link to the pages on every page of the reference, which is an app of docc's own."""
        base = os.environ.get("BASE", "").rstrip("/") + "/"
        link = (f'<link rel="stylesheet" href="{base}site/reference.css">'
                f'<a class="ozu-pages" href="{base}index.html">Guides and search</a>')
        for folder, _, names in os.walk(os.path.join(self.folder, "documentation")):
            if "index.html" in names:
                place = os.path.join(folder, "index.html")
                with open(place, encoding="utf-8") as file:
                    text = file.read()
                if "ozu-pages" not in text:
                    with open(place, "w", encoding="utf-8") as file:
                        file.write(text.replace("</body>", link + "</body>"))

    def check(self):
        """Every link of every page that was written leads to a file of the folder, and to an anchor in it."""
        anchors = {}

        def ids(place):
            if place not in anchors:
                with open(os.path.join(self.folder, place), encoding="utf-8") as file:
                    anchors[place] = set(re.findall(r'\bid="([^"]+)"', file.read()))
            return anchors[place]

        written = [output(path) for path in self.paths] + (["reference.html"] if self.modules else [])
        for page in written:
            with open(os.path.join(self.folder, page), encoding="utf-8") as file:
                text = file.read()
            for target in re.findall(r'(?:href|src)="([^"]*)"', text):
                target = html.unescape(target)
                if re.match(r"[a-z][a-z+.-]*:", target):
                    continue
                file, _, anchor = target.partition("#")
                place = os.path.normpath(os.path.join(os.path.dirname(page), file)) if file else page
                if place.startswith("documentation/"):
                    if self.modules and not os.path.exists(os.path.join(self.folder, place, "index.html")):
                        self.problems.append(f"{page}: the reference has no {place}")
                    continue
                if os.path.isdir(os.path.join(self.folder, place)):
                    place = os.path.join(place, "index.html")
                if not os.path.isfile(os.path.join(self.folder, place)):
                    self.problems.append(f"{page}: there is no {target}")
                elif anchor and place.endswith(".html") and place in written and unquote(anchor) not in ids(place):
                    self.problems.append(f"{page}: {place} has no #{anchor}")


def main():
    if len(sys.argv) != 2:
        print(__doc__.strip(), file=sys.stderr)
        return 2
    site = Site(sys.argv[1])
    site.build()
    for problem in site.problems:
        print("build-site: " + problem, file=sys.stderr)
    return 1 if site.problems else 0


if __name__ == "__main__":
    sys.exit(main())
