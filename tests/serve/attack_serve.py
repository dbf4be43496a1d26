#!/usr/bin/env python3
"""Attacks on `sluice serve`: each is answered by a clear 4xx or cut off, nothing is learned, no secret is said, and memory and
descriptors stay what they were.

    attack_serve.py --sluice PROGRAM [--rounds N] [CASE...]"""
import argparse
import json
import os
import re
import socket
import sys
import threading

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from serve_process import Served, check, run_cases, until  # noqa: E402
from harness import equal  # noqa: E402
from probe_process import Raw  # noqa: E402

SECRET, READER = "s3cret-of-learning", "s3cret-of-reading"
ROUNDS = 3
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def used(s):
    """(resident memory in kB, open files) of the server."""
    with open(f"/proc/{s.process.pid}/status", encoding="ascii") as f:
        memory = int(re.search(r"VmRSS:\s+(\d+)", f.read())[1])
    return memory, len(os.listdir(f"/proc/{s.process.pid}/fd"))


def is_sanitized(s):
    """Then what was freed stays in memory for a while."""
    with open(f"/proc/{s.process.pid}/maps", encoding="utf-8") as f:
        return re.search(r"/lib(asan|tsan)\.so", f.read()) is not None


def raw(s):
    return Raw(s.port, s.host)


def served(t, *options):
    for name, text in ("learn.token", SECRET), ("predict.token", READER):
        t.write(name, text + "\n")
        os.chmod(t.path(name), 0o600)
    return Served(t, "-m", "m", "-a", "ssol", "--token-file", "learn.token", "--predict-token-file", "predict.token",
                  "--access-log", "log", "--max-body", 1 << 20, "--labels", "waiting.db", *options)


def bearer(token):
    return {"Authorization": "Bearer " + token}


def withstands(t, attack, *options):
    """Runs an attack again and again: its first time may warm up what is kept; after that memory is flat. What it was sent is
    neither learned nor told."""
    with served(t, *options) as s:
        equal(s.post("/learn", "1 1:1\n-1 2:1\n", **bearer(SECRET)).version, 2)
        attack(s)
        memory, files = used(s)
        for _ in range(ROUNDS):
            attack(s)
        until("descriptors to be closed", lambda: used(s)[1] <= files)
        equal(s.client().get("/v2/health/live").status, 200)
        now = used(s)[0]
        check(now - memory < 20_000 or is_sanitized(s), f"memory grew from {memory} kB to {now} kB")
        last = s.client().post("/learn", "1 1:1\n", **bearer(SECRET))
        equal((last.status, last.version), (200, 3), "nothing of the attacks was learned")
        said = s.text()
    for text in said, t.read("log").decode("utf-8", "replace"):
        check("s3cret" not in text, "a token was told")


def refused(answer, *statuses):
    """A clear refusal: a status that is meant, and words."""
    check(answer is not None and answer.status in statuses, f"wanted {statuses}: {answer}")
    body = answer.body.decode()
    if answer.headers and "json" in (answer["Content-Type"] or ""):
        body = json.loads(body)["error"]
    check(len(body) > 8 and "s3cret" not in body, answer)


@case
def requests_that_drip(t):
    """Many that send a byte now and then, in the head and in the body: closed when their time is over, others are answered."""

    def attack(s):
        head = b"POST /predict HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer " + READER.encode()
        slow = []
        for begin in (b"G", b"POST /pre", head, head + b"\r\nContent-Length: 1000\r\n\r\n", head + b"\r\nTransfer-Encoding: chunked\r\n\r\n5"):
            for _ in range(20):
                c = raw(s)
                c.send(begin)
                slow.append(c)
        stop = threading.Event()

        def drip():
            while not stop.wait(0.1):
                for c in slow:
                    try:
                        c.s.send(b"1")
                    except OSError:
                        pass

        thread = threading.Thread(target=drip, daemon=True)
        thread.start()
        try:
            equal(s.client().post("/predict", "1:1\n", **bearer(READER)).status, 200)
            for c in slow:
                check(c.is_closed(), "closed")
                c.s.close()
        finally:
            stop.set()
            thread.join()

    withstands(t, attack, "--request-timeout", 1, "--idle-timeout", 1)


@case
def requests_that_are_too_large(t):
    def attack(s):
        with raw(s) as c:  # a body that is announced, and never sent
            c.send(b"POST /learn HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 99999999999\r\n\r\n" % SECRET.encode())
            refused(c.answer(), 413)
        with raw(s) as c:  # without a length
            c.send(b"POST /learn HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nTransfer-Encoding: chunked\r\n\r\n" % SECRET.encode())
            for _ in range(20):
                c.send(b"10000\r\n" + b"1 1:1\n--" * 8192 + b"\r\n")
            c.send(b"0\r\n\r\n")
            refused(c.answer(), 413)
        for length in (b"-1", b"1e3", b"0x10", b"18446744073709551616", b"1, 1"):
            with raw(s) as c:
                c.send(b"POST /learn HTTP/1.1\r\nHost: x\r\nContent-Length: " + length + b"\r\n\r\n")
                a = c.answer()
                check(a is None or 400 <= a.status < 500, f"{length}: {a}")
        with raw(s) as c:
            c.send(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: " + b"y" * 100_000)
            a = c.answer()
            check(a is None or 400 <= a.status < 500, a)
        refused(raw(s).ask("POST", "/predict", b"\n" * (1 << 20), headers=[("Authorization", "Bearer " + READER),
                                                                       ("Content-Encoding", "gzip")]), 415)

    withstands(t, attack)


@case
def tensors_that_lie(t):
    """Shapes, sizes and pointers that are not what they say."""

    def of(**inputs):
        return {"inputs": [{"name": name, "datatype": kind, "shape": shape, **({"data": data} if data is not None else {})}
                           for name, (kind, shape, data) in inputs.items()]}

    big = 1 << 62
    csr = {"values": ("FP32", [2], [1, 1]), "indices": ("INT64", [2], [1, 2])}
    bad = [of(x=("FP32", [big, big, 4], [1])), of(x=("FP32", [big, 4], [1])), of(x=("FP32", [1 << 64, 1], [1])),
           of(x=("FP32", [-1, 1], [1])), of(x=("FP32", [1.5], [1])), of(x=("FP32", [], 1)), of(x=("FP32", [1, 2], [1])),
           of(x=("FP32", [1, 1], [1e39])), of(x=("FP32", [1, 1], [None])), of(x=("INT8", [1, 1], [128])),
           of(x=("FP32", [0, big], [])) | {"parameters": {"names": ["a"]}}, of(x=("FP32", [1, 1], [[[1]]])),
           of(x=("UINT64", [1, 1], [1 << 64])), of(x=("FP32", [1], None)), of(x=("BYTES", [1, 1], ["1"])),
           of(indptr=("INT64", [2], [0, 3]), **csr), of(indptr=("INT64", [2], [1, 2]), **csr),
           of(indptr=("INT64", [3], [0, 2, 1]), **csr), of(indptr=("INT64", [3], [0, big, 2]), **csr),
           of(indptr=("INT64", [2], [0, -2]), **csr), of(indptr=("INT64", [0], []), **csr),
           of(indptr=("INT64", [2], [0, 2]), values=csr["values"], indices=("INT64", [2], [-1, 2])),
           of(indptr=("INT64", [2], [0, 2]), values=csr["values"], indices=("INT64", [2], [2, 2])),
           of(indptr=("INT64", [2], [0, 2]), values=csr["values"]),
           of(examples=("BYTES", [2], ["1:1\n2:1", ""])), of(examples=("BYTES", [1], ["1:1 1:1"])),
           of(examples=("BYTES", [1], [7])), {"inputs": [None]}, {"inputs": None}, {"inputs": {}}, {}, [], 7, None,
           {"inputs": [{"name": "x"}] * 40}, {"id": 7, "inputs": []}, {"parameters": [], "inputs": []}]
    texts = [json.dumps(b).encode() for b in bad]
    texts += [b"[" * 100_000, b'{"inputs":' * 1000, b'{"a":' + b"9" * 100_000 + b"}", b"\xff\xfe", b'{"inputs":[]} x', b"{}" * 3]
    binary = [(b'{"inputs":[{"name":"x","shape":[1,2],"datatype":"FP32","parameters":{"binary_data_size":%s}}]}' % size, data)
              for size, data in ((b"8", b""), (b"8", b"1234"), (b"4", b"1234"), (b"-8", b"12345678"), (b"18446744073709551615", b"12345678"),
                                 (b"8", b"12345678rest"), (b"8", b"\0\0\xc0\x7f\0\0\0\0"))]
    binary.append((b'{"inputs":[{"name":"examples","shape":[1],"datatype":"BYTES","parameters":{"binary_data_size":8}}]}',
                   b"\xff\xff\xff\xff1:1 "))

    def attack(s):
        client = s.client()
        for text in texts:
            for what in "infer", "learn":
                a = client.post(f"/v2/models/m/{what}", text, **bearer(SECRET))
                check(400 <= a.status < 500 and len(a.json()["error"]) > 8, f"{what} {text[:200]}: {a}")
        for text, data in binary:
            for n in (len(text), len(text) + len(data) + 1, 1 << 64, -1, "x"):
                a = client.post("/v2/models/m/infer", text + data, Inference_Header_Content_Length=str(n), **bearer(SECRET))
                check(400 <= a.status < 500 and len(a.json()["error"]) > 8, f"{text} {data} {n}: {a}")
        client.close()

    withstands(t, attack)


@case
def connections_that_end_in_the_middle(t):
    def attack(s):
        whole = (b"POST /learn HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer %s\r\nContent-Length: 30\r\n\r\n1 1:1\n1 2:1\n1 3:1\n1 4:1\n1 5:1\n"
                 % SECRET.encode())
        for cut in range(0, len(whole), 5):
            for half in False, True:
                c = raw(s)
                c.send(whole[:cut])
                if half:
                    c.s.shutdown(socket.SHUT_WR)
                c.s.close()
        waiting = []
        for cut in range(1, len(whole), 9):  # and wait: they are closed, or refused
            c = raw(s)
            c.send(whole[:cut])
            c.s.shutdown(socket.SHUT_WR)
            waiting.append(c)
        for c in waiting:
            a = c.answer()
            check(a is None or 400 <= a.status < 500, a)
            c.s.close()

    withstands(t, attack, "--request-timeout", 1, "--idle-timeout", 1)


@case
def wrong_tokens(t):
    def attack(s):
        client = s.client()
        routes = [("POST", "/learn"), ("POST", "/label"), ("POST", "/v2/models/m/learn"), ("POST", "/v2/models/m/label"),
                  ("POST", "/v2/models/m/save"), ("POST", "/v2/models/m/reload"), ("POST", "/v2/models/m/rollback")]
        reading = [("POST", "/predict"), ("POST", "/v2/models/m/infer"), ("GET", "/metrics"), ("GET", "/events")]
        wrong = ["", SECRET[:-1], SECRET + "x", SECRET.upper(), "x" * 8000, "\xff" * 20]
        for method, path in routes + reading:
            tokens = wrong + ([READER] if (method, path) in routes else [])
            for headers in [{}, {"Authorization": SECRET}, {"Authorization": "Basic " + SECRET}] + [bearer(token) for token in tokens]:
                a = client.ask(method, path, "1 1:1\n" if method == "POST" else None, **headers)
                check(a.status == 401 and "s3cret" not in a.text and "Bearer" in a.headers["WWW-Authenticate"], f"{method} {path} {headers}: {a}")
        client.close()

    withstands(t, attack)


@case
def pages_of_other_sites(t):
    def attack(s):
        for path in "/learn", "/predict", "/v2/models/m/save", "/v2/models/m/infer":
            for origin in "http://evil.example", "null", "http://localhost.evil.example", "":
                a = raw(s).ask("POST", path, b"1 1:1\n", headers=[("Origin", origin), ("Authorization", "Bearer " + SECRET)])
                refused(a, 403)
                equal(a["Access-Control-Allow-Origin"], None)
        a = raw(s).ask("OPTIONS", "/learn", headers=[("Origin", "http://evil.example"), ("Access-Control-Request-Method", "POST")])
        equal((a.status, a["Access-Control-Allow-Origin"]), (403, None))

    withstands(t, attack)


@case
def names_that_are_paths(t):
    t.write("outside.model", "secret")

    def attack(s):
        for name in ("..%2f..%2fetc%2fpasswd", "%2e%2e", "../m", "./m", "m%00.model", "m.1", "m%2f", "/etc/passwd", "//m", "m\\..\\m",
                     "outside", "outside.model", "waiting.db", "%c0%ae%c0%ae", "~root", "m;ls", "$(ls)", "%25%32%65", "\xff", "x" * 5000):
            for what in "infer", "learn", "save", "reload", "rollback":
                a = raw(s).ask("POST", f"/v2/models/{name}/{what}", b"{}", headers=[("Authorization", "Bearer " + SECRET)])
                refused(a, 400, 404)
            a = raw(s).ask("POST", f"/predict?model={name}", b"1:1\n", headers=[("Authorization", "Bearer " + SECRET)])
            refused(a, 400, 404)
        for path in ("/../../etc/passwd", "/etc/passwd", "/%2e%2e/m", "/m", "/waiting.db", "/.git/config", "/v2/../m"):
            refused(raw(s).ask("GET", path), 400, 404)
        for body in b'{"version":"../m"}', b'{"version":-1}', b'{"version":1e400}', b'{"version":{}}', b'{"version":"18446744073709551616"}':
            refused(raw(s).ask("POST", "/v2/models/m/rollback", body, headers=[("Authorization", "Bearer " + SECRET)]), 400, 404)

    before = set(os.listdir(t.folder)) if os.path.isdir(t.folder) else set()
    withstands(t, attack)
    made = {name for name in os.listdir(t.folder) if not re.fullmatch(r"\.?m(\.\d+|\.sluice-\w+)?|log|(learn|predict)\.token|waiting\.db.*", name)}
    equal(made - before, set(), "files that were made")


def main():
    global ROUNDS
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--rounds", type=int, default=ROUNDS)
    parser.add_argument("cases", nargs="*")
    a = parser.parse_args()
    ROUNDS = a.rounds
    return run_cases(CASES, a.cases, a.sluice)


if __name__ == "__main__":
    sys.exit(main())
