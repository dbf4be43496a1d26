#!/usr/bin/env python3
"""kill -9 under load, again and again: kill_serve.py --sluice PROGRAM [--kills 10] [--seed N]

Three models are served, and killed at random moments:
- `steady` learns lines one after the other. After each restart it must be its last checkpoint that was told of, or a later
  one; the client goes on behind it. At the end its file must be, byte for byte, that of `sluice train` over all lines.
- `labels` learns nothing but labels that come later, of rows that were predicted with remember=ID. Rows that were remembered
  must still be there, and labels that were taken must have been learned, each once: at the end the model has learned exactly
  as many examples as there were labels.
- `busy` learns from several connections at once.
After each kill every file must be a whole model of at least the version that an answer called saved.
"""
import argparse
import http.client
import os
import random
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
sys.dont_write_bytecode = True
from harness import Context, Failure, check, equal, rows  # noqa: E402
from serve_process import Served  # noqa: E402

GONE = (ConnectionError, OSError, http.client.HTTPException)
MODELS = ("busy", "labels", "steady")
OPTIONS = [f"-m{name}={name}.model" for name in MODELS] + ["-a", "ssol", "--save-every", "300", "--keep", 2, "--labels", "waiting.db"]


class Loop:
    def __init__(self, given, t):
        self.given, self.t, self.random = given, t, random.Random(given.seed)
        self.lines = rows(20000, seed=given.seed).splitlines(True)
        self.questions = [line.split(" ", 1)[1] for line in self.lines]
        self.saved = dict.fromkeys(MODELS, 0)
        self.place = 0  # lines of `steady` that it has learned, as far as its client knows
        self.sent = 0  # the furthest that were sent
        self.ids = 0
        self.waiting = []  # ids that were remembered, no label sent
        self.unsure = []  # ids whose label was sent, without an answer
        self.labelled = set()  # ids whose label was taken
        self.lost = 0  # examples of `steady` that were learned and not saved
        self.problem = None
        self.lock = threading.Lock()

    # ---- the load

    def seen(self, model, answer):
        if answer.saved is not None:
            with self.lock:
                self.saved[model] = max(self.saved[model], answer.saved)

    def steady(self, client):
        while True:
            n = self.random.choice([1, 1, 5, 40])
            part = [self.lines[i % len(self.lines)] for i in range(self.place, self.place + n)]
            self.sent = max(self.sent, self.place + n)
            answer = client.post("/learn?model=steady", "".join(part))
            if answer.status == 429:
                continue
            check(answer.status == 200, answer)
            self.place += n
            equal(answer.version, self.place, "version of steady")
            self.seen("steady", answer)

    def busy(self, client):
        while True:
            answer = client.post("/learn?model=busy", self.lines[self.random.randrange(1000)])
            check(answer.status in (200, 429), answer)
            self.seen("busy", answer)

    def label(self, client):
        while True:
            if len(self.waiting) < 200 and self.random.random() < 0.6:
                self.ids += 1
                name = f"id-{self.ids}"
                answer = client.post(f"/predict?model=labels&remember={name}", self.questions[self.ids % len(self.questions)])
                check(answer.status == 200, answer)
                self.waiting.append(name)
            elif self.waiting:
                name = self.waiting.pop(self.random.randrange(len(self.waiting)))
                self.unsure.append(name)
                self.send_label(client, name)

    def send_label(self, client, name):
        """Of a name in `unsure`."""
        answer = client.post("/label?model=labels", f"{name}\t{1 if int(name[3:]) % 3 else -1}\n")
        if answer.status == 429:
            return
        check(answer.status == 200, f"label of {name}: {answer}")
        self.seen("labels", answer)
        self.unsure.remove(name)
        self.labelled.add(name)

    def guarded(self, what, s):
        client = s.client()
        try:
            what(client)
        except GONE:
            pass  # killed
        except Exception as problem:
            self.problem = self.problem or problem
        finally:
            client.close()

    # ---- between kills

    def start(self):
        return Served(self.t, *OPTIONS)

    def kill_while_it_starts(self):
        process = self.t.start("serve", "--listen", "127.0.0.1:0", *OPTIONS, stderr=subprocess.DEVNULL)
        time.sleep(self.random.uniform(0, 0.1))
        process.kill()
        process.wait()
        self.check_files()

    def check_files(self):
        for name in MODELS:
            if not self.saved[name] and not self.t.exists(f"{name}.model"):
                continue
            facts = self.t.run("inspect", "--json", f"{name}.model").json()
            check(facts["examples"] >= self.saved[name], f"{name}: {facts['examples']} examples, {self.saved[name]} were saved")

    def check_started(self, s):
        versions = {name: s.post(f"/predict?model={name}", "1:1\n").version for name in MODELS}
        for name in MODELS:
            check(versions[name] >= self.saved[name], f"{name}: version {versions[name]}, {self.saved[name]} were saved")
        check(versions["steady"] <= self.sent, "steady has more than was sent")
        self.lost += max(0, self.place - versions["steady"])
        self.place = versions["steady"]
        client = s.client()
        for name in list(self.unsure):
            self.settle(client, name)
        client.close()

    def settle(self, client, name):
        """A label that was sent without an answer is sent again: it is taken now, or was taken then."""
        answer = client.post("/label?model=labels", f"{name}\t{1 if int(name[3:]) % 3 else -1}\n")
        check(answer.status in (200, 404, 409), f"label of {name} once more: {answer}")
        self.unsure.remove(name)
        self.labelled.add(name)

    def run(self):
        began = time.monotonic()
        for kill in range(self.given.kills):
            if self.random.random() < 0.2:
                self.kill_while_it_starts()
            s = self.start()
            self.check_started(s)
            threads = [threading.Thread(target=self.guarded, args=(what, s)) for what in (self.steady, self.busy, self.busy, self.label)]
            for thread in threads:
                thread.start()
            time.sleep(self.random.uniform(0.02, 0.6))
            s.kill()
            for thread in threads:
                thread.join()
            if self.problem:
                raise Failure(f"kill {kill}: {self.problem}")
            self.check_files()
            if self.given.kills >= 100 and kill % 50 == 49:
                print(f"{kill + 1} kills, {time.monotonic() - began:.0f} s", flush=True)
        with self.start() as s:
            self.check_started(s)
            client = s.client()
            for name in list(self.waiting):  # all that were remembered are still there
                self.waiting.remove(name)
                self.unsure.append(name)
                self.send_label(client, name)
            client.close()
        equal(self.t.run("inspect", "--json", "labels.model").json()["examples"], len(self.labelled), "labels learned")
        self.t.write("all", "".join(self.lines[i % len(self.lines)] for i in range(self.place)))
        self.t.run("train", "-qq", "-a", "ssol", "--allow-empty", "-o", "serial", "all")
        check(self.t.read("serial") == self.t.read("steady.model"), "steady is not the model of a serial run")
        print(f"{self.given.kills} kills: {self.place} lines in the end each learned once (of {self.lost} more the client was told that they "
              f"were not saved), {len(self.labelled)} labels of {self.ids} rows, none lost, none twice")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    given = parser.parse_args()
    given.sluice = os.path.abspath(given.sluice)
    with tempfile.TemporaryDirectory(prefix="sluice-kills-") as folder:
        Loop(given, Context(given.sluice, folder)).run()


main()
