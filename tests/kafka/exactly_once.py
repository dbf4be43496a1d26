#!/usr/bin/env python3
"""Every event is learned exactly once: `sluice train` from a topic is killed at random moments and started again, until it
is at the end. The topic has committed and aborted transactions, malformed messages and tombstones.

    exactly_once.py --sluice PROGRAM --tool KAFKA_TOOL --broker FOLDER [--kills 20] [--seed 1]

With one partition, and with --order deterministic over four, the predict-only model and the counts are byte for byte those
of the same lines in a file. In the order of arrival every message counts once.

    exactly_once.py ... --control       the same with the offsets that the brokers keep, instead of those in the model: messages
                                        are learned twice, as long as there are kills between a save and its commit
"""
import argparse
import json
import os
import random
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import broker  # noqa: E402
from kafka_clients import Tool  # noqa: E402
from model_positions import library_beside, set_positions  # noqa: E402

TURN = 1000  # messages of a turn in the deterministic order
TRANSACTION = 700
LONGEST = 0.08  # seconds until a kill


class Runs:
    def __init__(self, given, folder, tool, topic, options, rng):
        self.given, self.folder, self.tool, self.topic, self.options, self.rng = given, folder, tool, topic, options, rng
        self.model = os.path.join(folder, topic + ".model")
        self.kills = self.went_on = 0  # of them those of runs that had saved something new
        self.saved = 0
        self.before = lambda: None  # each run

    def command(self):
        words = [self.given.sluice, "train", "-a", "arow", "--kafka", self.tool.brokers, "--topic", self.topic,
                 "--until-end", "--on-error", "skip", "--save-every", "53", "-o", self.model, "-q", "--json"]
        return words + self.options + (["-i", self.model] if os.path.exists(self.model) else [])

    def run(self, wanted, check):
        """Kills runs that go on one after the other until the topic is at its end; checks the model; and so on anew, until
        there were enough kills. Returns how many times the end was reached."""
        ends = 0
        while True:
            self.before()
            process = subprocess.Popen(self.command(), stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
            try:
                _, said = process.communicate(timeout=None if self.kills >= wanted else self.rng.uniform(0.01, LONGEST))
                if process.returncode:
                    raise AssertionError(f"exit status {process.returncode}: {said.decode()}")
                check(self.inspect())
                ends += 1
                if self.kills >= wanted:
                    return ends
                os.remove(self.model)
                self.saved = 0
            except subprocess.TimeoutExpired:
                process.kill()
                process.communicate()
                self.kills += 1
                before, self.saved = self.saved, self.examples()
                self.went_on += self.saved > before

    def examples(self):
        return self.inspect()["examples"] if os.path.exists(self.model) else 0

    def inspect(self):
        done = subprocess.run([self.given.sluice, "inspect", "--json", "--top", "0", self.model], capture_output=True, text=True)
        if done.returncode:
            raise AssertionError(f"the model is damaged: {done.stderr}")
        return json.loads(done.stdout)

    def final(self):
        """The predict-only form, which a run at the end of the topic writes: it learns nothing more."""
        path = self.model + ".final"
        command = [word if word != self.model or before != "-o" else path
                   for before, word in zip([""] + self.command(), self.command())]
        subprocess.run(command + ["--final"], check=True, capture_output=True, timeout=120)
        with open(path, "rb") as file:
            return file.read()


def make_lines(rng, n):
    """Rows of a noisy rule over names that keep coming; some are malformed."""
    lines = []
    for i in range(n):
        ids = sorted(rng.sample(range(1, 50 + i // 4), 8))
        label = 1 if sum(1 if k % 3 else -1 for k in ids) + rng.uniform(-2, 2) > 2 else -1
        line = f"{label} " + " ".join(f"{k}:{rng.randint(1, 9)}" for k in ids)
        lines.append(rng.choice(["1 2:x", "1 y", "1 5:1 5:2", ""]) if rng.random() < 0.01 else line)
    return lines


def put_transactions(tool, topic, partition, lines, rng):
    """Sends them, some in transactions that are aborted; returns those that count."""
    counted, plan, sent = [], [], 0
    while sent < len(lines):
        n = min(rng.randint(1, TRANSACTION), len(lines) - sent)
        kind = "abort" if rng.random() < 0.3 else "commit"
        if kind == "commit":
            counted += lines[sent:sent + n]
        plan.append(f"{kind}={n}")
        sent += n
    tool("transactions", topic, *plan, "-p", partition, "-n", "GONE", lines=lines, seconds=120)
    return counted


def learn_file(given, folder, lines):
    """The model of the same lines in a file, predict-only, and what it is."""
    source, model, full = (os.path.join(folder, name) for name in ("lines.svm", "file.final", "file.model"))
    with open(source, "w") as file:
        file.writelines(("" if line == "GONE" else line) + "\n" for line in lines)
    for path, more in ((model, ["--final"]), (full, [])):
        subprocess.run([given.sluice, "train", "-a", "arow", "--on-error", "skip", source, "-o", path, "-qq", *more], check=True,
                       capture_output=True)
    done = subprocess.run([given.sluice, "inspect", "--json", "--top", "0", full], check=True, capture_output=True, text=True)
    with open(model, "rb") as file:
        return file.read(), json.loads(done.stdout)


def in_turns(parts):
    """The lines of the partitions in the deterministic order."""
    ordered, at = [], [0] * len(parts)
    while any(a < len(p) for a, p in zip(at, parts)):
        for i, part in enumerate(parts):
            ordered += part[at[i]:at[i] + TURN]
            at[i] += TURN
    return ordered


COUNTS = ("examples", "mistakes", "updates", "features_seen", "nonzeros", "positives")


def check(given, tool, name, partitions, options, exact, rng):
    with tempfile.TemporaryDirectory(prefix="sluice-once-") as folder:
        topic = f"once-{name}-{os.getpid()}"
        tool("create", topic, partitions)
        parts = []
        for p in range(partitions):
            lines = make_lines(rng, given.rows // partitions + p * 700)
            for i in rng.sample(range(len(lines)), 5):
                lines[i] = "GONE"
            parts.append(put_transactions(tool, topic, p, lines, rng))
        final, of_file = learn_file(given, folder, in_turns(parts))
        runs = Runs(given, folder, tool, topic, options, rng)

        def check_model(found):
            taken = sum(p["messages"] for p in found["positions"])  # with turns those of the last run
            if "--order" not in options and taken != sum(map(len, parts)):
                raise AssertionError(f"{name}: {taken} messages were taken of {sum(map(len, parts))}")
            for count in COUNTS if exact else ("examples", "positives", "features_seen"):
                if found[count] != of_file[count]:
                    raise AssertionError(f"{name}: {count} is {found[count]}, and {of_file[count]} of the file")
            if exact and runs.final() != final:
                raise AssertionError(f"{name}: the predict-only model is not that of the file")

        began = time.monotonic()
        ends = runs.run(given.kills, check_model)
        print(f"{name}: {runs.kills} kills, {runs.went_on} of them of runs that had saved more; {ends} times at the end of "
              f"{sum(map(len, parts))} messages, {time.monotonic() - began:.0f} s")
        tool("delete", topic)


def control(given, tool, partitions, rng):
    """A run goes on from what the brokers know of it, as consumers of a group do."""
    with tempfile.TemporaryDirectory(prefix="sluice-control-") as folder:
        topic = f"control-{partitions}-{os.getpid()}"
        tool("create", topic, partitions)
        parts = [put_transactions(tool, topic, p, make_lines(rng, given.rows // partitions), rng) for p in range(partitions)]
        _, of_file = learn_file(given, folder, in_turns(parts))
        runs = Runs(given, folder, tool, topic, [], rng)
        too_many = []

        def next_group(found=None):
            if found:
                too_many.append(found["examples"] - of_file["examples"])
            runs.group = f"{topic}-{len(too_many)}"
            runs.options = ["-X", "group.id=" + runs.group]

        def take_offsets():
            if os.path.exists(runs.model):
                set_positions(library_beside(given.sluice), runs.model, topic, dict(tool.pairs("offsets", runs.group, topic)))

        next_group()
        runs.before = take_offsets
        runs.run(given.kills, next_group)
        print(f"control, {partitions}: {runs.kills} kills, {len(too_many)} times at the end of {sum(map(len, parts))} messages; "
              f"examples too many: {' '.join(map(str, too_many))}")
        tool("delete", topic)
        return any(too_many)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("sluice", "tool", "broker"):
        parser.add_argument("--" + name, required=True)
    parser.add_argument("--kills", type=int, default=20, help="of each kind of run")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--control", action="store_true", help="positions of the brokers; succeeds if messages are learned twice")
    given = parser.parse_args()
    try:
        tool = Tool(given.tool, broker.started_in_background(given.broker))
    except broker.Missing as missing:
        print(f"skipped: {missing}")
        return broker.SKIP
    rng = random.Random(given.seed)
    if given.control:
        return 0 if all([control(given, tool, partitions, rng) for partitions in (1, 4)]) else 1
    check(given, tool, "one", 1, [], True, rng)
    check(given, tool, "turns", 4, ["--order", "deterministic"], True, rng)
    check(given, tool, "arrival", 4, [], False, rng)
    return 0


if __name__ == "__main__":
    sys.exit(main())
