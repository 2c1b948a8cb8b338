"""Reads the site of `make docs` in a real browser: links, search by keyboard, light and dark, wide and narrow.

    site.py FOLDER [SCREENSHOTS]

FOLDER is what `make docs` has made. It is served on a port of this process."""

import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "../../Service/Playground"))

from browser import Browser  # noqa: E402
from checking import check, serve  # noqa: E402

PAGES = ["index.html", "getting-started/server.html", "guides/grid.html", "choosing-a-call.html", "glossary.html", "performance.html",
         "security.html", "command-line.html", "reference.html"]

# What people ask, and where the answer is: the first or the second result. The last three have a typing error, a synonym and
# the name of a member.
QUESTIONS = [
    ("limit of the disk cache", "faq.html#where-is-the-disk-cache-and-how-do-i-change-its-limit"),
    ("how do I show a BlurHash until the picture is there?", "faq.html#how-do-i-show-a-blurhash-until-the-picture-is-there"),
    ("Authorization header", "faq.html#how-do-i-send-an-authorization-header"),
    ("empty the cache, remove one picture", "faq.html#how-do-i-empty-the-cache-or-remove-one-picture-from-it"),
    ("AVIF with quality 60", "faq.html#how-do-i-write-an-avif-with-a-quality-of-60"),
    ("which packages do I install?", "faq.html#which-packages-do-i-have-to-install"),
    ("is GPS removed?", "faq.html#is-gps-removed-from-a-picture-that-i-write"),
    ("retry and time limits", "faq.html#how-are-failed-downloads-retried-and-what-are-the-time-limits"),
    ("a GIF that moves in my view", "faq.html#does-an-animated-gif-move-in-a-view"),
    ("cancel in a reused cell", "faq.html#do-i-have-to-cancel-the-load-of-a-reused-cell"),
    ("prefecth", "guides/prefetch.html"),
    ("location removed", "faq.html#is-gps-removed-from-a-picture-that-i-write"),
    ("removeAllImages", "documentation/ozu/imagepipeline/removeallimages()/"),
]


def main():
    folder = sys.argv[1]
    shots = sys.argv[2] if len(sys.argv) > 2 else None
    server, base = serve(folder)
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        browser = Browser(profile)
        try:
            read(browser, base, shots)
        finally:
            browser.close()
            server.shutdown()
    return 1 if check.failures else 0


def read(browser, base, shots):
    for scheme, width, height in (("light", 1440, 900), ("dark", 1440, 900), ("light", 390, 844), ("dark", 390, 844)):
        browser.look(scheme, width, height)
        for page in PAGES:
            browser.open(base + page)
            wide = browser.run("document.documentElement.scrollWidth - document.documentElement.clientWidth")
            check(wide <= 0, f"{page} needs no scrolling sideways, {scheme}, {width} wide ({wide})")
            if shots:
                browser.screenshot(os.path.join(shots, f"{page.replace('/', '-')[:-5]}-{scheme}-{width}.png"))

    browser.look("light", 1440, 900)
    browser.open(base + "guides/grid.html")
    browser.run("document.body.focus()")
    browser.key("/", text="/")
    check(browser.run("document.activeElement.id") == "search", "/ moves to the search")
    for words, expected in [("prefetch", "guides/prefetch.html"), ("ImagePipeline", "documentation/ozu/imagepipeline/"),
                            ("untrusted uploads", "guides/untrusted-uploads.html"), ("tombstone", "glossary.html#caches")] + QUESTIONS:
        browser.run("document.getElementById('search').value = ''")
        browser.type(words)
        browser.wait("document.querySelector('#search-results a') !== null")
        browser.wait(f"document.getElementById('search-results').dataset.words === {words!r}")
        found = browser.run("[...document.querySelectorAll('#search-results a')].slice(0, 2).map(e => e.href)")
        check(any(address == base + expected for address in found), f"'{words}' finds {expected} {found}")
    browser.run("document.getElementById('search').value = ''")
    browser.type("glossary")
    browser.wait("document.getElementById('search-results').dataset.words === 'glossary'")
    if shots:
        browser.screenshot(os.path.join(shots, "search.png"))
    browser.key("ArrowDown")
    browser.key("Enter", text="\r")
    browser.wait("location.pathname.endsWith('.html') && location.pathname !== '/guides/grid.html'")
    check("glossary" in browser.run("location.href"), "Enter opens the result that the arrow keys chose")

    browser.look("light", 390, 844)
    browser.open(base + "index.html")
    browser.run("document.getElementById('menu').click()")
    check(browser.run("document.getElementById('contents').offsetHeight > 0"), "a narrow window opens its contents")

    nameless = []
    for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
        properties = {entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])}
        if properties.get("focusable") and node["role"]["value"] not in ("RootWebArea", "StaticText"):
            if not node.get("name", {}).get("value", "").strip():
                nameless.append(node["role"]["value"])
    check(not nameless, f"every control has a name {nameless}")

    browser.look("light", 1440, 900)
    browser.open(base + "documentation/ozu/imagepipeline/")
    browser.wait("document.body.innerText.includes('ImagePipeline') && document.querySelector('h1')")
    check(browser.run("document.querySelector('.ozu-pages').getBoundingClientRect().top < innerHeight"),
          "the reference shows a type, and a link to the pages")
    if shots:
        browser.screenshot(os.path.join(shots, "reference-type.png"))

    outside = sorted({event["params"]["request"]["url"] for event in browser.events if event["method"] == "Network.requestWillBeSent"
                      and not event["params"]["request"]["url"].startswith((base, "data:", "about:", "blob:"))})
    check(not outside, f"nothing is asked of other hosts {outside}")
    errors = [event["params"] for event in browser.events if event["method"] == "Runtime.exceptionThrown"]
    check(not errors, f"no script fails {errors[:2]}")


if __name__ == "__main__":
    sys.exit(main())
