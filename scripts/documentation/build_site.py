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
import reference
import site_links
from highlight import highlight
from places import output, plain, root

HERE = os.path.dirname(os.path.abspath(__file__))


class Site:
    def __init__(self, folder):
        self.folder = folder
        self.problems = []
        self.titles = {}
        self.repository = os.environ.get("REPOSITORY", "").rstrip("/")
        self.paths = pages.documents()
        self.modules, self.symbols, self.search = reference.read(folder)

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
        for name in ("site.css", "search.js", "site.js", "reference.css"):
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
        written = [output(path) for path in self.paths] + (["reference.html"] if self.modules else [])
        self.problems += site_links.broken(self.folder, written, bool(self.modules))

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
