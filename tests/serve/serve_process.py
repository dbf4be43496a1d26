"""`sluice serve` as a process of a test: its address, requests to it, its end.

    with Served(t, "-m", "spam=m", "-a", "ssol") as s:
        r = s.post("/learn", "1 1:0.5\n-1 2:1\n")
        equal(r.status, 200)
"""
import http.client
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import threading
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
from harness import Context, Failure, check  # noqa: E402

# A sanitizer makes everything slower; a busy machine too. No test measures time: this only ends what hangs.
PATIENCE = 120


class Answer:
    """An answer to a request: status, headers, body."""

    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    @property
    def text(self):
        return self.body.decode("utf-8", "replace")

    @property
    def lines(self):
        return self.text.splitlines()

    def json(self):
        return json.loads(self.text)

    def count(self, name):
        """A header that is a number; None: it is not there."""
        value = self.headers.get(name)
        return None if value is None else int(value)

    @property
    def version(self):
        return self.count("Sluice-Version")

    @property
    def saved(self):
        return self.count("Sluice-Saved-Version")

    def __repr__(self):
        return f"{self.status} {dict(self.headers)} {self.text[:300]!r}"


class Client:
    """A connection that stays open."""

    def __init__(self, host, port, timeout=PATIENCE):
        self.http = http.client.HTTPConnection(host, port, timeout=timeout)

    def ask(self, method, path, body=None, **headers):
        if isinstance(body, str):
            body = body.encode()
        self.http.request(method, path, body, {name.replace("_", "-"): value for name, value in headers.items()})
        got = self.http.getresponse()
        return Answer(got.status, got.headers, got.read())

    def get(self, path, **headers):
        return self.ask("GET", path, **headers)

    def post(self, path, body="", **headers):
        return self.ask("POST", path, body, **headers)

    def close(self):
        self.http.close()


class Served(Client):
    """A server on a free port of the loopback address, and a connection to it. Leaving the block ends it by SIGTERM and
    expects 128 + 15, where the test has not ended it itself."""

    def __init__(self, t, *options, env=None, listen="127.0.0.1:0"):
        self.t, self.said, self.url = t, [], None
        command = [t.sluice, "serve", "--listen", listen, *map(str, options)]
        self.process = subprocess.Popen(command, cwd=t.folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, env={**os.environ, **env} if env else None)
        self.ready = threading.Event()
        self.listener = threading.Thread(target=self.listen, daemon=True)
        self.listener.start()
        self.ready.wait(PATIENCE)
        if not self.url:
            self.process.kill()
            self.process.wait()
            raise Failure(f"{' '.join(command)} did not start; it said:\n{self.text()}")
        found = re.fullmatch(r"https?://(\[.*\]|[^:]*):(\d+)", self.url)
        check(found, self.url)
        self.host, self.port = found[1].strip("[]"), int(found[2])
        super().__init__(self.host, self.port)

    def listen(self):
        for line in self.process.stderr:
            line = line.decode("utf-8", "replace").rstrip("\n")
            self.said.append(line)
            found = re.fullmatch(r"sluice: listening on (\S+)", line)
            if found:
                self.url = found[1]
                self.ready.set()
        self.ready.set()

    def text(self):
        return "\n".join(self.said)

    def client(self):
        return Client(self.host, self.port)

    def send_signal(self, number):
        self.process.send_signal(number)

    def end(self, number=signal.SIGTERM):
        """Ends it by a signal; the exit status."""
        self.close()
        if number:
            self.process.send_signal(number)
        try:
            status = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Failure(f"it did not end; it said:\n{self.text()}") from None
        self.listener.join(PATIENCE)
        return status

    def kill(self):
        self.end(signal.SIGKILL)

    def __enter__(self):
        return self

    def __exit__(self, kind, *_):
        if self.process.poll() is not None:
            self.close()
        elif kind:
            self.kill()
        else:
            status = self.end()
            check(status == 128 + signal.SIGTERM, f"exit status {status}; it said:\n{self.text()}")
        if kind and self.said:
            print("the server said:\n" + self.text()[-2000:], file=sys.stderr)


def until(what, question, seconds=PATIENCE):
    """Asks until the answer is something."""
    end = time.monotonic() + seconds
    while not (found := question()):
        if time.monotonic() > end:
            raise Failure(f"not within {seconds} s: {what}")
        time.sleep(0.02)
    return found


def run_cases(cases, names, sluice, **more):
    """Runs those named, or all, each in an empty folder; an exit status. `more` are attributes of the contexts."""
    failed = 0
    for name in names or cases:
        with tempfile.TemporaryDirectory(prefix="sluice-serve-") as folder:
            began = time.monotonic()
            t = Context(sluice, folder)
            vars(t).update(more)
            try:
                cases[name](t)
            except Exception:
                failed += 1
                print(f"FAILED {name}\n{traceback.format_exc()[-4000:]}", flush=True)
            else:
                print(f"ok {name} ({time.monotonic() - began:.1f} s)", flush=True)
    return bool(failed)
