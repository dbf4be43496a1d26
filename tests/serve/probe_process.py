"""http_probe as a process of a test, and raw connections to it."""
import json
import os
import re
import signal
import socket
import subprocess

PATIENCE = 60  # seconds: it ends what hangs


def check(truth, *what):
    if not truth:
        raise AssertionError(" ".join(str(w) for w in what))


def equal(got, want):
    check(got == want, "got", repr(got), "want", repr(want))


class Answer:
    def __init__(self, status, headers, body):
        self.status, self.headers, self.body = status, headers, body

    def __getitem__(self, name):
        """A header, or None."""
        return next((value for key, value in self.headers if key.lower() == name.lower()), None)

    @property
    def text(self):
        return self.body.decode()

    def json(self):
        return json.loads(self.body)

    def __repr__(self):
        return f"{self.status} {self.headers} {self.body[:200]!r}"


class Raw:
    """A connection to which any bytes can be sent."""

    def __init__(self, port, host="127.0.0.1", wrap=None):
        self.s = socket.create_connection((host, port), timeout=PATIENCE)
        self.s.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if wrap:
            self.s = wrap(self.s)
        self.left = b""

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.s.close()

    def send(self, data):
        self.s.sendall(data)

    def more(self):
        try:
            data = self.s.recv(65536)
        except ConnectionError:
            data = b""
        self.left += data
        return bool(data)

    def until(self, mark):
        while mark not in self.left:
            if not self.more():
                return None
        got, self.left = self.left.split(mark, 1)
        return got

    def exactly(self, n):
        got, self.left = bytearray(self.left), b""  # it grows in place: a large answer is not copied for each piece of it
        while len(got) < n:
            check(self.more(), "the answer ends early:", bytes(got[:200]), len(got))
            got += self.left
            self.left = b""
        self.left = bytes(got[n:])
        return bytes(got[:n])

    def answer(self, head=False):
        """The next answer; None: the connection was closed."""
        got = self.until(b"\r\n\r\n")
        if got is None:
            return None
        first, *lines = got.decode("latin-1").split("\r\n")
        check(re.match(r"HTTP/1\.[01] \d\d\d ", first), first)
        headers = [tuple(line.split(": ", 1)) for line in lines]
        a = Answer(int(first.split()[1]), headers, b"")
        if a.status == 100 or a.status == 204 or head:
            return a
        if a["Transfer-Encoding"] == "chunked":
            while n := int(self.until(b"\r\n"), 16):
                a.body += self.exactly(n)
                equal(self.exactly(2), b"\r\n")
            equal(self.exactly(2), b"\r\n")
        elif a["Content-Length"]:
            a.body = self.exactly(int(a["Content-Length"]))
        else:
            while self.more():
                pass
            a.body, self.left = self.left, b""
        return a

    def ask(self, method, target, body=None, headers=(), host="localhost"):
        lines = [f"{method} {target} HTTP/1.1"] + ([f"Host: {host}"] if host else [])
        lines += [f"{k}: {v}" for k, v in headers]
        if body is not None:
            lines.append(f"Content-Length: {len(body)}")
        self.send("\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + (body or b""))
        return self.answer(method == "HEAD")

    def is_closed(self):
        """Waits until the server closes."""
        while self.more():
            pass
        return True


class Probe:
    def __init__(self, program, *options, **settings):
        arguments = [program] + [str(o) for o in options]
        for name, value in settings.items():
            arguments += ["--" + name.replace("_", "-"), str(value)]
        # AddressSanitizer keeps 256 MB of freed memory from use; memory() is to be what is held
        sanitizer = ":".join(filter(None, [os.environ.get("ASAN_OPTIONS"), "quarantine_size_mb=8"]))
        self.process = subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                                        env={**os.environ, "ASAN_OPTIONS": sanitizer})
        self.url = self.process.stdout.readline().strip()
        self.port = int(self.url.rsplit(":", 1)[1]) if self.url else None
        self.said = self.complaints = self.status = None

    def __enter__(self):
        check(self.url, "it did not start:", self.process.stderr.read() if not self.url else "")
        return self

    def __exit__(self, *failure):
        if self.status is None:
            self.stop()
        if not failure[0]:
            equal(self.status, 0)

    def stop(self):
        """Ends it. Returns what it said: its counts."""
        self.process.send_signal(signal.SIGTERM)
        return self.end()

    def end(self):
        try:
            self.said, self.complaints = self.process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            raise
        self.status = self.process.returncode
        return self.said

    def raw(self, **more):
        return Raw(self.port, **more)

    def ask(self, *request, **more):
        with self.raw() as c:
            return c.ask(*request, **more)

    def counts(self):
        """connections, refused, open, streams, bytes in, bytes out"""
        return [int(n) for n in self.ask("GET", "/count").text.split()]

    def files(self):
        return len(os.listdir(f"/proc/{self.process.pid}/fd"))

    def memory(self):
        """kB that are in use now"""
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as f:
            return int(re.search(r"VmRSS:\s+(\d+)", f.read()).group(1))
