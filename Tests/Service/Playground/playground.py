"""Uses the playground of `ozu serve` in a real browser: by keyboard alone, in light and dark, wide and narrow.

    playground.py OZU PHOTOS [SCREENSHOTS]

starts an origin and a service on ports of their own, and ends both."""

import os
import re
import subprocess
import sys
import tempfile
import urllib.error
import urllib.request

from browser import Browser
from checking import check, serve

KEYS = "0a" * 32 + ":" + "0b" * 16


def start(ozu, photos):
    origin, base = serve(photos)
    service = subprocess.Popen(
        [ozu, "serve"], stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
        env=os.environ | {
            "OZU_LISTEN": "127.0.0.1:0", "OZU_KEYS": KEYS, "OZU_SOURCES": base, "OZU_PRIVATE_NETWORKS": "yes",
            "OZU_PLAYGROUND": "yes", "OZU_PRESETS": "thumb=rs:fill:320:240/q:70; wide=rs:fit:1600:1600"})
    for line in service.stderr:
        found = re.match(r"ozu: playground at (http://\S+)", line)
        if found:
            return origin, base, service, found[1]
    raise SystemExit("the service did not start")


def facts(browser):
    return browser.run("[...document.querySelectorAll('dd')].map(e => e.textContent)")


def done(browser):
    browser.wait("document.getElementById('status').textContent === 'Done.'")


def use(browser, base, photo, page):
    address = page.split("#")[0]
    browser.look("light", 1280, 900)
    browser.open(address)
    browser.wait("!document.getElementById('token-box').hidden")
    check(browser.run("document.activeElement.id") == "token", "without a token the page asks for it, and nothing else")
    check(browser.run("document.getElementById('options').inert"), "the rest of the page cannot be used before")
    browser.type("not-the-right-token")
    browser.key("Enter", text="\r")
    browser.wait("document.getElementById('status').classList.contains('bad')")
    check("token" in browser.run("document.getElementById('status').textContent"), "a wrong token is reported")
    browser.run("sessionStorage.clear()")

    browser.open(page)
    browser.wait("document.getElementById('source-hint').textContent !== ''")
    check(browser.run("location.hash") == "", "the token leaves the address bar")

    # By keyboard alone: Tab must reach every control from the first one on, and every control must have a name.
    browser.run("document.activeElement.blur(); document.querySelectorAll('details').forEach(e => e.open = true)")
    seen = []
    for _ in range(80):
        browser.key("Tab")
        name = browser.run("(e => e.id || '~' + (e.value || '') + e.textContent.trim())(document.activeElement)")
        if browser.run("document.activeElement === document.body") or seen and name == seen[0]:
            break
        # Tab stops several times in a field for a time.
        if name not in seen:
            seen.append(name)
        if name == "url":
            browser.type(base + os.path.basename(photo))
            done(browser)
    wanted = browser.run(
        "[...document.querySelectorAll('input, select, textarea, button')].filter(e => e.id && !e.disabled && "
        "e.offsetParent && e.type !== 'radio').map(e => e.id)")
    missed = [name for name in wanted if name not in seen]
    check(not missed, f"Tab reaches every control ({len(seen)} stops) {missed}")
    nameless = []
    for node in browser.call("Accessibility.getFullAXTree")["nodes"]:
        properties = {entry["name"]: entry["value"].get("value") for entry in node.get("properties", [])}
        if properties.get("focusable") and node["role"]["value"] not in ("RootWebArea", "StaticText"):
            if not node.get("name", {}).get("value", "").strip():
                nameless.append(node["role"]["value"])
    check(not nameless, f"every control has a name {nameless}")
    browser.run("document.querySelectorAll('details').forEach((e, i) => e.open = i < 2)")
    done(browser)
    size, count, kind, time = facts(browser)
    check(size.startswith("640 × "), f"a picture from the web: {size}, {count}, {kind}, {time}")

    copied = browser.run("document.getElementById('address').value")
    request = urllib.request.Request(copied, headers={"Accept": "image/avif,image/webp,*/*;q=0.8"})
    with urllib.request.urlopen(request) as answer:
        check(answer.status == 200 and answer.headers["Content-Type"] == "image/" + kind, f"the copied address works: {copied}")

    browser.run("document.getElementById('type').focus()")
    browser.key("ArrowDown")
    browser.key("Tab")
    browser.type("300")
    browser.key("Tab")
    browser.type("200")
    browser.wait("document.getElementById('fact-size').textContent === '300 × 200'")
    check("/rs:fill:300:200/" in browser.run("document.getElementById('address').value"), "options by keyboard: fill 300 × 200")
    browser.run("document.getElementById('height').value = '9000';"
                "document.getElementById('height').dispatchEvent(new Event('input', {bubbles: true}))")
    browser.wait("document.getElementById('status').textContent.includes('9000')")
    check(browser.run("document.getElementById('copy').disabled"), "options that cannot be served are reported, and nothing is signed")
    browser.run("document.getElementById('reset').click()")
    done(browser)

    everything = {"gravity": "fp", "px": "0.2", "py": "0.3", "dpr": "2", "width": "120", "height": "90", "type": "fill",
                  "quality": "60", "fq": "webp:70", "bytes": "40000", "cw": "400", "ch": "300", "cg": "no", "trim": "3",
                  "rotate": "90", "blur": "0.5", "sharpen": "1", "pt": "4", "pl": "8", "format": "webp", "name": "a b.jpg",
                  "buster": "1", "color": "#ff8800"}
    checks = ["enlarge", "extend", "metadata", "profile", "fliph", "flipv", "ground"]
    for name, value in everything.items():
        browser.run(f"document.getElementById('{name}').value = {value!r}")
    for name in checks:
        browser.run(f"document.getElementById('{name}').checked = true")
    browser.run("document.getElementById('status').textContent = '';"
                "document.getElementById('px').dispatchEvent(new Event('input', {bubbles: true}))")
    done(browser)
    text = browser.run("document.getElementById('address').value")
    parts = ["rs:fill:120:90:1:1", "dpr:2", "g:fp:0.2:0.3", "c:400:300:no", "t:3", "rot:90", "fl:1:1", "bl:0.5", "sh:1",
             "pd:4:0:0:8", "bg:ff8800", "q:60", "fq:webp:70", "mb:40000", "sm:0", "scp:0", "fn:", "cb:1", "@webp"]
    check(not [part for part in parts if part not in text], f"every option together: {text}")
    browser.run("document.getElementById('reset').click()")
    done(browser)

    browser.run("document.querySelector('input[value=thumb]').click()")
    browser.run("document.getElementById('width').value = '';"
                "document.getElementById('width').dispatchEvent(new Event('input', {bubbles: true}))")
    browser.wait("document.getElementById('fact-size').textContent === '320 × 240'")
    check("/pr:thumb/" in browser.run("document.getElementById('address').value"), "a preset")
    browser.run("document.getElementById('reset').click()")
    done(browser)

    # The page looks at its options a moment after a change; the file is given after that.
    browser.run("document.querySelector('input[value=file]').click()")
    browser.wait("document.getElementById('status').textContent === 'Choose a file.'")
    node = browser.call("DOM.getDocument")["root"]["nodeId"]
    node = browser.call("DOM.querySelector", nodeId=node, selector="#file")["nodeId"]
    browser.call("DOM.setFileInputFiles", nodeId=node, files=[photo])
    browser.wait("document.getElementById('fact-bytes').textContent.includes('of the file')")
    check("no address" in browser.run("document.getElementById('address-label').textContent"),
          f"an uploaded file: {facts(browser)}")
    with tempfile.NamedTemporaryFile(suffix=".jpg") as bad:
        bad.write(b"no picture at all")
        bad.flush()
        browser.call("DOM.setFileInputFiles", nodeId=node, files=[bad.name])
        browser.wait("document.getElementById('status').classList.contains('bad')")
        check("not a picture" in browser.run("document.getElementById('status').textContent"), "a file that is no picture")
    complaints = browser.complaints()
    check(not complaints, f"no errors, and nothing that the policy refused {complaints}")
    browser.run("document.querySelector('input[value=url]').click()")
    done(browser)


def looks(browser, folder):
    for scheme in ("light", "dark"):
        for name, width, height in (("wide", 1280, 900), ("narrow", 390, 800)):
            browser.look(scheme, width, height)
            browser.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
            over = browser.run("document.documentElement.scrollWidth - innerWidth")
            check(over <= 0, f"{scheme}, {name}: nothing to scroll sideways ({over})")
            # The contrast of text to its background must be at least 4.5 to 1 (WCAG 2).
            poor = browser.run(CONTRAST)
            check(not poor, f"{scheme}, {name}: contrast {poor}")
            if folder:
                browser.screenshot(os.path.join(folder, f"playground-{name}-{scheme}.png"))


CONTRAST = """
(() => {
  const parse = text => text.match(/[\\d.]+/g).map(Number);
  const light = ([r, g, b]) => [r, g, b].map(v => v / 255).map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, i) => sum + v * [0.2126, 0.7152, 0.0722][i], 0);
  const ground = element => {
    for (let e = element; e; e = e.parentElement) {
      const color = parse(getComputedStyle(e).backgroundColor);
      if (color.length < 4 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  const poor = [];
  for (const e of document.querySelectorAll('h1, h2, p, label, legend, summary, dt, dd, button, input, select, textarea')) {
    if (!e.offsetParent || e.disabled || e.type === 'range') continue;
    const [a, b] = [light(parse(getComputedStyle(e).color)), light(ground(e))];
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) poor.push((e.id || e.textContent.trim().slice(0, 20)) + ' ' + ratio.toFixed(2));
  }
  return poor;
})()
"""


def main():
    ozu, photos = sys.argv[1:3]
    folder = sys.argv[3] if len(sys.argv) > 3 else None
    origin, base, service, page = start(ozu, photos)
    try:
        with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
            browser = Browser(profile)
            try:
                use(browser, base, os.path.abspath(os.path.join(photos, "roman-colosseum.jpg")), page)
                looks(browser, folder)
            finally:
                browser.close()
    finally:
        service.terminate()
        service.wait(300)
        origin.shutdown()
    print("all is well" if not check.failures else f"{check.failures} failed")
    sys.exit(1 if check.failures else 0)


if __name__ == "__main__":
    main()
