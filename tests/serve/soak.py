#!/usr/bin/env python3
"""Everything that `sluice serve` does, at once and for a while, beside connections that mean no good:

    soak.py --sluice PROGRAM --load HTTP_LOAD [--seconds 3] [--rate 500] [--grows MB]

Rows are predicted and learned over many connections; another model is saved, rolled back and loaded anew again and again;
rows are remembered and their labels sent; pages, metrics, descriptions and events are read, or not read; and other
connections end halfway, drip, send what is no request or too much of it, or are too many. All well-formed requests must be
answered, the server must end by SIGTERM and have saved whole models, and a sanitizer must not have said anything. With
--grows its memory may not grow by more than this from the first quarter of the time to its end.
"""
import argparse
import http.client
import json
import os
import random
import re
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
sys.dont_write_bytecode = True
from harness import Context, check, equal, rows  # noqa: E402
from learn_once import Watch  # noqa: E402
from serve_process import Served  # noqa: E402

MODELS = ("busy", "labels", "turned")
OPTIONS = [*(f"-m{name}={name}.model" for name in MODELS), "-a", "ssol", "--threads", 2, "--save-every", "1s", "--labels", "waiting.db",
           "--labels-most", 5000, "--max-body", 65536, "--max-per-address", 150, "--idle-timeout", 60, "--request-timeout", 10]


class Soak:
    def __init__(self, given, t, server):
        self.given, self.t, self.server = given, t, server
        self.lines = rows(3000).splitlines(True)
        self.questions = [line.split(" ", 1)[1] for line in self.lines]
        self.over, self.problem, self.done = threading.Event(), None, {}

    def paced(self, kind):
        """Turns of this kind, about fifty a second, as long as there is time."""
        while not self.over.wait(0.02):
            self.done[kind] = self.done.get(kind, 0) + 1
            yield

    # ---- those who are well-behaved

    def turn(self, client, r):
        for _ in self.paced("saved, rolled back, loaded"):
            answer = client.post("/learn?model=turned", "".join(r.sample(self.lines, 20)))
            check(answer.status == 200, answer)
            answer = client.post(f"/v2/models/turned/{r.choice(['save', 'reload', 'rollback'])}")
            check(answer.status in (200, 404), answer)  # 404: there is no checkpoint to go back to, no file yet

    def label(self, client, r):
        waiting, number = [], 0
        for _ in self.paced("labels"):
            number += 1
            check(client.post(f"/predict?model=labels&remember=row-{number}", r.choice(self.questions)).status == 200, number)
            waiting.append(number)
            if len(waiting) > 100:
                answer = client.post("/label?model=labels", f"row-{waiting.pop(r.randrange(100))}\t{r.choice([-1, 1])}\n")
                check(answer.status in (200, 429), answer)

    def look(self, client, r):
        for _ in self.paced("pages, metrics, descriptions"):
            path = r.choice(["/", "/metrics", "/openapi.json", "/v2", "/v2/models", "/v2/models/busy", "/v2/health/ready"])
            answer = client.get(path)
            check(answer.status == 200, f"{path}: {answer}")
            asked = {"inputs": [{"name": "indptr", "datatype": "INT64", "shape": [3], "data": [0, 2, 3]},
                                {"name": "indices", "datatype": "INT64", "shape": [3], "data": [1, 7, r.randrange(1, 50)]},
                                {"name": "values", "datatype": "FP32", "shape": [3], "data": [0.5, 1, -1]}]}
            equal(client.post("/v2/models/busy/infer", json.dumps(asked)).status, 200, "infer")

    def listen(self, _, r):
        for _ in self.paced("streams of events"):
            with socket.create_connection((self.server.host, self.server.port)) as s:
                s.sendall(b"GET /events?model=busy HTTP/1.1\r\nHost: localhost\r\n\r\n")
                self.over.wait(r.uniform(0, 3))
                if r.random() < 0.7:
                    said = s.recv(65536)
                    check(re.match(rb"HTTP/1.1 200|HTTP/1.1 503 .*too many connections$", said, re.S), said)

    # ---- and those who are not

    def harm(self, _, r):
        whole = b"POST /learn?model=busy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 9\r\n\r\n"
        for _ in self.paced("connections that mean no good"):
            with socket.socket() as s:
                try:
                    s.settimeout(0.1)
                    s.connect((self.server.host, self.server.port))
                    r.choices([self.end_halfway, self.send_noise, self.send_too_much, self.drip, self.crowd], [30, 30, 10, 1, 1])[0](s, r, whole)
                    if r.random() < 0.3:  # gone without a word
                        s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                    else:
                        s.recv(4096)
                except OSError:
                    pass  # refused, cut off or not answered: as it is to be

    def end_halfway(self, s, r, whole):
        s.sendall((whole + b"1 1:1 2:")[:r.randrange(len(whole) + 8)])

    def drip(self, s, r, whole):
        for at in range(len(whole)):
            s.sendall(whole[at:at + 1])
            if self.over.wait(r.uniform(0, 0.2)):
                break

    def send_noise(self, s, r, whole):
        s.sendall(r.choice([b"", whole, b"POST /predict?model=busy HTTP/1.1\r\nHost: localhost\r\nTransfer-Encoding: chunked\r\n\r\n"]) +
                  r.randbytes(r.randrange(5000)))

    def send_too_much(self, s, r, whole):
        if r.random() < 0.5:
            s.sendall(b"GET / HTTP/1.1\r\nHost: localhost\r\nX: " + 70000 * b"x")
        else:
            s.sendall(b"POST /learn?model=busy HTTP/1.1\r\nHost: localhost\r\nContent-Length: 200000\r\n\r\n" + 100000 * b"1 ")

    def crowd(self, s, r, whole):
        others = []
        try:
            for _ in range(200):
                others.append(socket.create_connection((self.server.host, self.server.port), 0.2))
                others[-1].sendall(whole[:r.randrange(len(whole))])
        finally:
            for other in others:
                other.close()

    # ---- all of it

    def guarded(self, what, client, r):
        try:
            what(client, r)
        except (AssertionError, OSError, http.client.HTTPException) as problem:
            self.problem = self.problem or AssertionError(f"{what.__name__}: {problem!r}")
        client.close()

    def start_load(self, path, lines, *words):
        self.t.write(path.split("?")[0].strip("/"), "".join(lines))
        return subprocess.Popen([self.given.load, *map(str, words), "-s", str(self.given.seconds), self.server.host, str(self.server.port),
                                 path, self.t.path(path.split("?")[0].strip("/"))], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)

    def run(self):
        watch = Watch(self.server.process.pid, self.given.seconds / 200)
        watch.start()
        loads = [self.start_load("/predict?model=busy", self.questions, "-c", 32, "-r", self.given.rate),
                 self.start_load("/learn?model=busy", self.lines, "-c", 8, "-r", self.given.rate)]
        time.sleep(0.2)  # their connections are open, before others are too many
        whats = [self.turn, self.label, self.look, self.look, self.listen, self.listen, *3 * [self.harm]]
        threads = []
        for seed, what in enumerate(whats):
            client = self.server.client()
            client.http.connect()
            threads.append(threading.Thread(target=self.guarded, args=(what, client, random.Random(seed))))
        for thread in threads:
            thread.start()
        said = [load.communicate()[0] for load in loads]
        memory = watch.end()
        self.over.set()
        for thread in threads:
            thread.join()
        if self.problem:
            raise self.problem
        for load, text in zip(loads, said):
            equal(load.returncode, 0, f"http_load: {text}")
        return [json.loads(text) for text in said], memory


def run(given, t):
    with Served(t, *OPTIONS) as s:
        soak = Soak(given, t, s)
        (predicted, learned), memory = soak.run()
        equal(s.end(), 128 + 15, f"exit status; it said:\n{s.text()}")
    check(not re.search(r"Sanitizer|runtime error", s.text()), s.text())
    facts = {name: t.run("inspect", "--json", f"{name}.model").json() for name in MODELS}
    check(facts["busy"]["examples"] >= learned["requests"], f"{facts['busy']['examples']} of {learned['requests']} rows are in the file")
    quarters = [memory[len(memory) * i // 4] for i in (1, 2, 3)] + memory[-1:]
    print(f"{given.seconds:.0f} s: {predicted['requests']} rows predicted, {learned['requests']} learned; " +
          ", ".join(f"{n} {kind}" for kind, n in sorted(soak.done.items())) + "; memory after each quarter, MB: " +
          " ".join(f"{m:.1f}" for m in quarters))
    if given.grows is not None:
        check(quarters[-1] <= quarters[0] + given.grows, "the server's memory grows")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--load", required=True, help="tests/serve/http_load.c")
    parser.add_argument("--seconds", type=float, default=3)
    parser.add_argument("--rate", type=float, default=500, help="rows predicted, and rows learned, a second")
    parser.add_argument("--grows", type=float)
    given = parser.parse_args()
    given.sluice, given.load = os.path.abspath(given.sluice), os.path.abspath(given.load)
    with tempfile.TemporaryDirectory(prefix="sluice-soak-") as folder:
        run(given, Context(given.sluice, folder))


main()
