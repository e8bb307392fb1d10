"""Headless Chromium over its debugging pipe, for tests of pages: what was asked for, said and shown."""

from __future__ import annotations

import base64
import json
import os
import select
import shutil
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
SECONDS = 40.0


class Browser:
    """One page of a browser of its own, with the requests and complaints of all that was opened in it."""

    def __init__(self, folder: Path) -> None:
        assert CHROMIUM is not None
        (reads, self._to), (self._from, writes) = os.pipe(), os.pipe()
        flags = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-pipe",
            f"--user-data-dir={folder}",
        ]
        command = f'exec "$0" "$@" 3<&{reads} 4>&{writes}'
        self._process = subprocess.Popen(
            ["bash", "-c", command, CHROMIUM, *flags, "about:blank"], pass_fds=(reads, writes),
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
        )  # fmt: skip
        os.close(reads)
        os.close(writes)
        self._number, self._buffer = 0, b""
        self.requests: list[str] = []
        self.complaints: list[str] = []
        self._session: str | None = None
        targets = self.ask("Target.getTargets")["targetInfos"]
        page = next(t["targetId"] for t in targets if t["type"] == "page")
        self._session = self.ask("Target.attachToTarget", targetId=page, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def close(self) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._to)
        os.close(self._from)

    def ask(self, method: str, **parameters: object) -> Any:
        """Return the answer to a command of the protocol; what is told meanwhile is kept."""
        self._number += 1
        message: dict[str, object] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._to, json.dumps(message).encode() + b"\0")
        while True:
            told = self._next()
            if told.get("id") == self._number:
                assert "error" not in told, told
                return told["result"]
            self._keep(told)

    def _next(self) -> Mapping[str, Any]:
        end = time.monotonic() + SECONDS
        while b"\0" not in self._buffer:
            ready, _, _ = select.select([self._from], [], [], max(0.0, end - time.monotonic()))
            assert ready, "the browser does not answer"
            self._buffer += os.read(self._from, 1 << 20)
        line, _, self._buffer = self._buffer.partition(b"\0")
        told: Mapping[str, Any] = json.loads(line)
        return told

    def _keep(self, told: Mapping[str, Any]) -> None:
        parameters = told.get("params", {})
        match told.get("method"):
            case "Network.requestWillBeSent":
                self.requests.append(parameters["request"]["url"])
            case "Runtime.exceptionThrown" | "Runtime.consoleAPICalled" | "Log.entryAdded":
                self.complaints.append(json.dumps(parameters))

    def open(self, url: str) -> None:
        """Open a page and wait until its script has run."""
        self.ask("Page.navigate", url="about:blank")
        self.ask("Page.navigate", url=url)
        end = time.monotonic() + SECONDS
        while self.value("document.readyState") != "complete" or self.value("location.href") == "about:blank":
            assert time.monotonic() < end, "the page does not load"
            time.sleep(0.02)

    def value(self, code: str) -> Any:
        """Return the value of an expression in the page."""
        answer = self.ask("Runtime.evaluate", expression=code, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in answer, answer
        return answer["result"].get("value")

    def press(self, *keys: str) -> None:
        """Press keys, as a person does."""
        for key in keys:
            text = {"text": key} if len(key) == 1 else {}
            for kind in ("keyDown", "keyUp"):
                self.ask(
                    "Input.dispatchKeyEvent",
                    type=kind,
                    key=key,
                    code=key,
                    **(text if kind == "keyDown" else {}),
                )

    def screenshot(self, path: Path, width: int = 1400, height: int = 1200, dark: bool = False) -> None:
        """Keep a picture of the page."""
        features = [{"name": "prefers-color-scheme", "value": "dark" if dark else "light"}]
        self.ask("Emulation.setEmulatedMedia", features=features)
        self.ask(
            "Emulation.setDeviceMetricsOverride",
            width=width,
            height=height,
            deviceScaleFactor=1,
            mobile=False,
        )
        data = self.ask("Page.captureScreenshot", format="png")["data"]
        path.write_bytes(base64.b64decode(data))
