"""Drive a headless Chromium over --remote-debugging-pipe, with the standard library only.

    with Chromium() as browser:
        tab = browser.open(Path("model.html"))
        tab.evaluate("document.title")

Messages of the DevTools protocol are JSON, each ended by a NUL byte; the browser reads them from file descriptor 3 and
writes its own to 4. `Tab.problems` lists errors on the console, violations of the CSP, and requests of
other files.
"""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

FLAGS = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]

PLACE_ENDS = (
    "import os, sys; os.dup2(int(sys.argv[1]), 3); os.dup2(int(sys.argv[2]), 4); os.execv(sys.argv[3], sys.argv[3:])"
)
"""Becomes the browser. A preexec_fn would do, but Python 3.12 warns of forks in a process with threads."""

TIMEOUT = 120
"""Seconds until an answer has to come: many, since other tests may run beside."""


def chromium() -> str | None:
    """Return the path of the browser, or None."""
    return shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")


class Chromium:
    """A browser process. Use it in a `with` statement."""

    def __enter__(self):
        self._profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self._write = os.pipe()
        self._read, write = os.pipe()
        ends = [fcntl.fcntl(end, fcntl.F_DUPFD, 10) for end in (read, write)]  # above 3 and 4, which they become
        start = [sys.executable, "-c", PLACE_ENDS, *map(str, ends)]
        self._process = subprocess.Popen(
            [*start, chromium(), *FLAGS, f"--user-data-dir={self._profile.name}", "about:blank"],
            pass_fds=ends,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        for end in (read, write, *ends):
            os.close(end)
        self._buffer, self._number, self.events = b"", 0, []
        return self

    def __exit__(self, *_):
        self._process.terminate()
        self._process.wait(TIMEOUT)
        os.close(self._write)
        os.close(self._read)
        self._profile.cleanup()

    def call(self, method, session=None, **parameters):
        """Send a command and return its result. Events that come before are kept in `events`."""
        self._number += 1
        message = {"id": self._number, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            answer = self._receive()
            if answer.get("id") == self._number:
                assert "error" not in answer, (method, answer["error"])
                return answer["result"]
            self.events.append(answer)

    def _receive(self):
        end = time.monotonic() + TIMEOUT
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._read], [], [], max(0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            data = os.read(self._read, 1 << 20)
            assert data, "the browser ended"
            self._buffer += data
        message, _, self._buffer = self._buffer.partition(b"\0")
        return json.loads(message)

    def open(self, path: Path, *, fragment: str = "", width: int = 1400, height: int = 900, dark: bool = False):
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        tab = Tab(self, session, target)
        for domain in ("Page", "Runtime", "Network", "Log"):
            tab.call(f"{domain}.enable")
        tab.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        tab.call("Emulation.setEmulatedMedia", features=[scheme])
        tab.url = path.resolve().as_uri()
        tab.call("Page.navigate", url=tab.url + (f"#{fragment}" if fragment else ""))
        tab.wait("location.href !== 'about:blank' && document.readyState === 'complete'")
        tab.evaluate("globalThis.tfmodelPage?.ready.then(() => true)")
        return tab


class Tab:
    """An open page."""

    def __init__(self, browser, session, target):
        self._browser, self._session, self._target = browser, session, target
        self.url = ""

    def call(self, method, **parameters):
        return self._browser.call(method, self._session, **parameters)

    def evaluate(self, expression):
        """Return the value of an expression; promises are awaited. A script error fails the test."""
        result = self.call("Runtime.evaluate", expression=expression, awaitPromise=True, returnByValue=True)
        assert "exceptionDetails" not in result, result["exceptionDetails"]
        return result["result"].get("value")

    def wait(self, condition):
        end = time.monotonic() + TIMEOUT
        while not self.evaluate(f"!!({condition})"):
            assert time.monotonic() < end, f"never true: {condition}"
            time.sleep(0.02)

    def press(self, key, text=""):
        text = text or (key if len(key) == 1 else {"Enter": "\r"}.get(key, ""))
        self.call("Input.dispatchKeyEvent", type="keyDown", key=key, text=text)
        self.call("Input.dispatchKeyEvent", type="keyUp", key=key)

    def click(self, x, y, count=1):
        for clicks in range(1, count + 1):
            for kind in ("mousePressed", "mouseReleased"):
                self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, button="left", clickCount=clicks)

    def move(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def screenshot(self) -> bytes:
        self.evaluate("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return base64.b64decode(self.call("Page.captureScreenshot", format="png")["data"])

    @property
    def problems(self) -> list[str]:
        found = []
        for event in self._browser.events:
            if event.get("sessionId") != self._session:
                continue
            facts = event.get("params", {})
            match event["method"]:
                case "Runtime.exceptionThrown":
                    found.append(str(facts["exceptionDetails"]))
                case "Runtime.consoleAPICalled" if facts["type"] in ("error", "warning"):
                    found.append(str(facts["args"]))
                case "Log.entryAdded" if facts["entry"]["level"] == "error":
                    found.append(facts["entry"]["text"])
                case "Network.requestWillBeSent" if facts["request"]["url"].partition("#")[0] not in (
                    self.url,
                    "about:blank",
                ):
                    found.append(f"request of {facts['request']['url'][:100]}")
        return found

    def close(self):
        self._browser.call("Target.closeTarget", targetId=self._target)
