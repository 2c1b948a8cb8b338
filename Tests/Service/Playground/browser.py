"""Chromium without a window, driven through its DevTools protocol over a pipe: one tab, answers in order."""

import json
import os
import select
import subprocess
import time


class Moved(RuntimeError):
    """The page on which an expression was to be evaluated is being replaced by the next one."""


class Browser:
    # The longest wait for an answer of the browser, or for the page, in seconds: what hangs must not keep the test for ever.
    patience = 120

    def __init__(self, folder):
        # The browser reads from its descriptor 3 and writes to its descriptor 4.
        commands, self.out = os.pipe()
        self.into, answers = os.pipe()

        def place():
            # The copies go through higher numbers, so that neither overwrites the other.
            first, second = os.dup(commands), os.dup(answers)
            high = [os.dup2(first, 100), os.dup2(second, 101)]
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-extensions",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--mute-audio",
             "--disable-dev-shm-usage", "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            close_fds=False, preexec_fn=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(commands)
        os.close(answers)
        self.number = 0
        self.rest = b""
        self.session = None
        self.events = []
        targets = self.call("Target.getTargets")["targetInfos"]
        page = next(target for target in targets if target["type"] == "page")
        self.session = self.call("Target.attachToTarget", targetId=page["targetId"], flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "DOM", "Accessibility", "Network"):
            self.call(f"{domain}.enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def receive(self):
        while b"\0" not in self.rest:
            if not select.select([self.into], [], [], self.patience)[0]:
                raise RuntimeError("the browser does not answer")
            piece = os.read(self.into, 1 << 16)
            if not piece:
                raise RuntimeError("the browser has ended")
            self.rest += piece
        text, self.rest = self.rest.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session and not method.startswith("Target."):
            message["sessionId"] = self.session
        os.write(self.out, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive()
            if answer.get("id") == self.number:
                if "error" in answer:
                    text = f"{method}: {answer['error']}"
                    raise Moved(text) if "navigated" in text or "context" in text else RuntimeError(text)
                return answer["result"]
            if "method" in answer:
                self.events.append(answer)

    def run(self, script):
        """The value of an expression on the page."""
        answer = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(f"{script}: {answer['exceptionDetails']}")
        return answer["result"].get("value")

    def wait(self, script):
        """Waits until an expression on the page is true."""
        end = time.monotonic() + self.patience
        while time.monotonic() < end:
            try:
                if self.run(script):
                    return
            except Moved:
                pass
            time.sleep(0.05)
        raise AssertionError(f"this never became true: {script}; the page says: {self.run('document.body.innerText')}")

    def open(self, address):
        """Goes to a page, and waits until it is loaded."""
        # A page of which only the part behind the # differs would not be loaded again.
        for place in ("about:blank", address):
            page = self.call("Page.navigate", url=place)["loaderId"]
            seen = 0
            while not any(event["method"] == "Page.lifecycleEvent" and event["params"]["loaderId"] == page
                          and event["params"]["name"] == "load" for event in self.events[seen:]):
                seen = len(self.events)
                self.events.append(self.receive())

    def key(self, name, code=None, text=None, modifiers=0):
        parameters = {"key": name, "code": code or name, "modifiers": modifiers}
        numbers = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowDown": 40, "ArrowUp": 38, "ArrowLeft": 37}
        if name in numbers:
            parameters["windowsVirtualKeyCode"] = numbers[name]
        if text:
            parameters["text"] = text
        self.call("Input.dispatchKeyEvent", type="keyDown", **parameters)
        self.call("Input.dispatchKeyEvent", type="keyUp", **{k: v for k, v in parameters.items() if k != "text"})

    def type(self, text):
        self.call("Input.insertText", text=text)

    def look(self, scheme, width, height):
        self.call("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 600)

    def screenshot(self, path):
        import base64
        data = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=True)["data"]
        with open(path, "wb") as file:
            file.write(base64.b64decode(data))

    def complaints(self):
        """Errors of scripts and refusals of the content security policy since the last call."""
        found = []
        for event in self.events:
            if event["method"] == "Runtime.exceptionThrown":
                found.append(str(event["params"]["exceptionDetails"]))
            if event["method"] == "Log.entryAdded" and event["params"]["entry"]["level"] == "error":
                entry = event["params"]["entry"]
                # The page itself shows answers that are refusals.
                if entry["source"] != "network":
                    found.append(entry["text"])
        self.events = []
        return found

    def close(self):
        try:
            self.call("Browser.close")
        except (RuntimeError, OSError):
            pass
        os.close(self.out)
        os.close(self.into)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
