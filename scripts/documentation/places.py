"""The places of pages in the site, and the text of its pages."""

import html
import re

import pages


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
