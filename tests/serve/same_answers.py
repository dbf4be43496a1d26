#!/usr/bin/env python3
"""While a model learns, every answer is that of `sluice predict` with the model of the version that the answer names:

    same_answers.py --sluice PROGRAM --load HTTP_LOAD [--seconds 2] [--versions 20] [--learner NAME]...

One client has lines learned, several a request; others ask, over the text route and as binary tensors, and keep what is
answered and its version; http_load keeps the server busy beside them. Afterwards a serial run makes the model of each of
these versions: `sluice predict` must print the same bytes, and the 64 bits of a tensor's margins must be those of the number
in this text. The server's file must be that of a serial run over all lines.
"""
import argparse
import collections
import json
import os
import random
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
from serve_process import Served, until  # noqa: E402

Heard = collections.namedtuple("Heard", "first n text margins")  # questions from `first` on; one of the last two is None


class Clients:
    def __init__(self, given, t, server):
        self.given, self.t, self.server = given, t, server
        self.lines = rows(50000, seed=3, dim=400, nonzeros=10).splitlines(True)
        self.questions = [line.split(" ", 1)[1] for line in rows(3000, seed=4, dim=400, nonzeros=10).splitlines(True)]
        self.learned = []  # numbers of lines, in their order
        self.heard = collections.defaultdict(list)  # by version
        self.lock, self.over, self.problem = threading.Lock(), threading.Event(), None

    def learn(self, client, r):
        while not self.over.is_set():
            part = [r.randrange(len(self.lines)) for _ in range(r.choice([1, 3, 50]))]
            answer = client.post("/learn", "".join(self.lines[i] for i in part))
            check(answer.status == 200, answer)
            self.learned += part
            equal(answer.version, len(self.learned), "version")
            time.sleep(0.002)

    def ask(self, client, r):
        while not self.over.is_set():
            n = r.choice([1, 1, 20])
            first = r.randrange(len(self.questions) - n)
            answer = client.post("/predict", "".join(self.questions[first:first + n]))
            check(answer.status == 200, answer)
            with self.lock:
                self.heard[answer.version].append(Heard(first, n, answer.body, None))

    def infer(self, client, r):
        while not self.over.is_set():
            n = r.choice([1, 5])
            first = r.randrange(len(self.questions) - n)
            asked = {"inputs": [{"name": "examples", "datatype": "BYTES", "shape": [n], "data": [q.strip() for q in self.questions[first:first + n]]}],
                     "outputs": [{"name": "margin", "parameters": {"binary_data": True}}]}
            answer = client.post("/v2/models/m/infer", json.dumps(asked))
            check(answer.status == 200, answer)
            head = int(answer.headers["Inference-Header-Content-Length"])
            version = int(json.loads(answer.body[:head])["model_version"])
            with self.lock:
                self.heard[version].append(Heard(first, n, None, answer.body[head:]))

    def guarded(self, what, seed):
        client = self.server.client()
        try:
            what(client, random.Random(seed))
        except Exception as problem:
            self.problem = self.problem or problem
        client.close()

    def run(self):
        self.t.write("ask", "".join(self.questions))
        load = subprocess.Popen([self.given.load, "-c", "16", "-s", str(self.given.seconds), self.server.host, str(self.server.port),
                                 "/predict", self.t.path("ask")], stdout=subprocess.PIPE, text=True)
        whats = [self.learn, self.ask, self.ask, self.infer]
        threads = [threading.Thread(target=self.guarded, args=(what, seed)) for seed, what in enumerate(whats)]
        for thread in threads:
            thread.start()
        self.over.wait(self.given.seconds)
        try:
            until("answers of several versions", lambda: self.problem or len(self.heard) >= 3)
        finally:
            self.over.set()
        for thread in threads:
            thread.join()
        if self.problem:
            raise self.problem
        return json.loads(load.communicate()[0])["requests"]


def check_version(t, model, version, clients):
    heard = clients.heard[version]
    t.write("questions", "".join("".join(clients.questions[h.first:h.first + h.n]) for h in heard))
    lines = t.run("predict", "-qq", "-m", model, "questions").out.splitlines(True)
    for h in heard:
        mine, lines = lines[:h.n], lines[h.n:]
        if h.text is not None:
            equal(h.text.decode(), "".join(mine), f"the answer of version {version}")
        else:
            equal(h.margins, b"".join(struct.pack("<d", float(line.split("\t")[1])) for line in mine), f"the margins of version {version}")


def run(given, t, learner):
    options = ["-a", learner]
    with Served(t, "-m", "m=served", "--threads", 2, *options) as s:
        clients = Clients(given, t, s)
        beside = clients.run()
    t.run("train", "-qq", *options, "--allow-empty", "-o", "model", "-", stdin="")
    at, versions = 0, sorted(clients.heard)
    if given.versions < len(versions):
        versions = versions[:1] + sorted(random.Random(1).sample(versions[1:], given.versions - 1))
    for version in versions:
        part = "".join(clients.lines[i] for i in clients.learned[at:version])
        if part:
            t.run("train", "-qq", "-i", "model", "-o", "model", "-", stdin=part)
        at = version
        check_version(t, "model", version, clients)
    t.run("train", "-qq", *options, "-o", "serial", "-", stdin="".join(clients.lines[i] for i in clients.learned))
    check(t.read("serial") == t.read("served"), "the server's file is not that of a serial run")
    answers = [h for version in versions for h in clients.heard[version]]
    check(any(h.text for h in answers) and any(h.margins for h in answers), "one of the ways to ask had no answer")
    print(f"{learner}: {len(answers)} answers to {sum(h.n for h in answers)} rows, of {len(versions)} versions, are those of sluice predict; "
          f"{len(clients.learned)} examples were learned and {beside} other requests answered meanwhile")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--load", required=True, help="tests/serve/http_load.c")
    parser.add_argument("--seconds", type=float, default=2)
    parser.add_argument("--versions", type=int, default=20, help="so many of them are checked")
    parser.add_argument("--learner", action="append")
    given = parser.parse_args()
    given.sluice, given.load = os.path.abspath(given.sluice), os.path.abspath(given.load)
    for learner in given.learner or ["ssol", "auto"]:
        with tempfile.TemporaryDirectory(prefix="sluice-same-") as folder:
            run(given, Context(given.sluice, folder), learner)


main()
