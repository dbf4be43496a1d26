"""A headless chromium, driven over its debugging pipe: JSON messages that end with NUL."""

import base64
import fcntl
import json
import os
import select
import signal
import subprocess
import time

PATIENCE = 600  # seconds; a machine may be busy


class Browser:
    def __init__(self, program, folder):
        # above 9, so that neither is in the way of the other's place
        commands, answers = [[fcntl.fcntl(end, fcntl.F_DUPFD_CLOEXEC, 10) for end in os.pipe()] for _ in range(2)]

        def as_3_and_4():
            os.dup2(commands[0], 3)
            os.dup2(answers[1], 4)

        self.process = subprocess.Popen(
            [program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars", "--no-first-run",
             "--disable-background-networking", "--disable-component-update", "--disable-sync", "--disable-quic", f"--user-data-dir={folder}",
             "--remote-debugging-pipe", "about:blank"],
            preexec_fn=as_3_and_4, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL,
            start_new_session=True)
        os.close(commands[0])
        os.close(answers[1])
        self.to, self.answers, self.buffer, self.number, self.events = commands[1], answers[0], b"", 0, []

    def __enter__(self):
        return self

    def __exit__(self, *_):
        try:
            os.write(self.to, b'{"id":0,"method":"Browser.close"}\0')
            self.process.wait(10)
        except (OSError, subprocess.TimeoutExpired):
            os.killpg(self.process.pid, signal.SIGKILL)  # it may be a script that waits for the browser
            self.process.wait()

    def receive(self):
        deadline = time.monotonic() + PATIENCE
        while b"\0" not in self.buffer:
            left = deadline - time.monotonic()
            if left <= 0 or not select.select([self.answers], [], [], left)[0]:
                raise TimeoutError("chromium does not answer")
            piece = os.read(self.answers, 1 << 20)
            if not piece:
                raise EOFError(f"chromium has ended, status {self.process.wait()}")
            self.buffer += piece
        message, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(message)

    def call(self, method, session=None, **params):
        self.number += 1
        message = {"id": self.number, "method": method, "params": params}
        if session:
            message["sessionId"] = session
        data = json.dumps(message).encode() + b"\0"
        while data:
            data = data[os.write(self.to, data):]
        while True:
            answer = self.receive()
            if "method" in answer:
                self.events.append(answer)
            elif answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def wait_for(self, session, method):
        while not any(e["method"] == method and e.get("sessionId") == session for e in self.events):
            message = self.receive()
            if "method" in message:
                self.events.append(message)

    def open(self, address):
        return Tab(self, address)


class Tab:
    """One page, a file or an address of HTTP, and what it complained about."""

    def __init__(self, browser, address):
        self.browser, self.url = browser, address if "://" in address else "file://" + address
        self.target = browser.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = browser.call("Target.attachToTarget", targetId=self.target, flatten=True)["sessionId"]
        for domain in "Page", "Runtime", "Log", "Network":
            self.call(domain + ".enable")
        browser.events.clear()
        self.call("Page.navigate", url=self.url)
        browser.wait_for(self.session, "Page.loadEventFired")

    def call(self, method, **params):
        return self.browser.call(method, self.session, **params)

    def close(self):
        self.browser.call("Target.closeTarget", targetId=self.target)

    def evaluate(self, script):
        result = self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(json.dumps(result["exceptionDetails"])[:2000])
        return result["result"].get("value")

    def show(self, width, height=900, scheme="light", media="screen"):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)
        self.call("Emulation.setEmulatedMedia", media=media, features=[{"name": "prefers-color-scheme", "value": scheme}])
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(() => done(1))))")

    def point_at(self, x, y):
        self.call("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)

    def picture(self, x, y, width, height, scale):
        """PNG bytes of a part of the page, whether it is in view or not."""
        clip = {"x": x, "y": y, "width": width, "height": height, "scale": scale}
        return base64.b64decode(self.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"])

    def complaints(self, asks_for=()):
        """Console messages, exceptions, and requests for anything but the page itself and what begins with one of `asks_for`."""
        found = []
        for e in self.browser.events:
            if e.get("sessionId") != self.session:
                continue
            kind, params = e["method"], e["params"]
            if kind in ("Runtime.exceptionThrown", "Runtime.consoleAPICalled", "Log.entryAdded"):
                found.append(f"{kind}: {json.dumps(params)[:500]}")
            elif kind == "Network.requestWillBeSent" and params["request"]["url"] not in (self.url, "data:,") \
                    and not params["request"]["url"].startswith(tuple(asks_for)):
                found.append(f"asks for {params['request']['url']}")
            elif kind == "Network.loadingFailed":
                found.append(f"cannot load: {json.dumps(params)[:300]}")
        return found
