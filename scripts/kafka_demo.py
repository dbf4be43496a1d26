#!/usr/bin/env python3
"""Learns a topic of Kafka while it is written, is killed, goes on, and proves that every message was learned once.

    kafka_demo.py PROGRAM KAFKA_TOOL

Starts a broker on this machine (tests/kafka/broker.py fetches it once, with Maven) and ends it. Everything is in a temporary
folder, also the topics; nothing is left, after Ctrl-C neither.
"""
import json
import os
import random
import shlex
import signal
import subprocess
import sys
import tempfile
import threading
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
sys.path.insert(0, os.path.join(ROOT, "tests", "kafka"))
sys.dont_write_bytecode = True
import broker  # noqa: E402
from kafka_clients import Tool, ToolFailed  # noqa: E402

TRANSACTIONS, ROWS, SECONDS = 30, 10000, 6  # sent one after the other, within about so many seconds
SAVE_EVERY = 15000
GOOD, BAD = ("docs", "news", "school", "library", "weather", "maps"), ("prize", "login", "bonus", "verify", "casino", "invoice")


class Stopped(Exception):
    """By Ctrl-C or a signal."""


class Failed(Exception):
    pass


def say(text=""):
    print(text, flush=True)


def step(text):
    say(f"\n== {text}")


class Demo:
    """Commands run in sessions of their own: Ctrl-C is for the demo, which ends them."""

    def __init__(self, sluice, folder, brokers):
        self.sluice, self.folder, self.brokers = sluice, folder, brokers
        self.running = []

    def start(self, *words, show=True, **given):
        if show:
            say("$ sluice " + " ".join(shlex.quote(word) for word in words))
        process = subprocess.Popen([self.sluice, *words], cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                                   stderr=subprocess.PIPE, text=True, start_new_session=True, **given)
        self.running.append(process)
        return process

    def run(self, *words, show=True):
        """What it prints. The notes that it writes are shown."""
        process = self.start(*words, show=show)
        out, err = process.communicate(timeout=120)
        if show and err:
            say(err.rstrip())
        if process.returncode:
            raise Failed(f"sluice {words[0]} ended with status {process.returncode}: {err}")
        return out

    def inspect(self, model):
        return json.loads(self.run("inspect", "--json", "--top", "0", model, show=False))

    def end(self):
        for process in self.running:
            if process.poll() is None:
                process.kill()
            process.communicate()

    def path(self, name):
        return os.path.join(self.folder, name)


# ---- the stream ----------------------------------------------------------------------------------------------------------


def address(rng, bad):
    """An URL. Most of its words are of one kind."""
    def word():
        return rng.choice(BAD if (rng.random() < 0.7) == bad else GOOD)

    return f"http://{word()}-{word()}{rng.randrange(300)}.example/{word()}/{rng.randrange(9)}?{word()}={rng.randrange(99)}"


def make_line(rng, turned):
    """1 or -1, a tab and an URL; one in a thousand is malformed. `turned`: with the wrong label."""
    bad = rng.random() < 0.5
    if rng.random() < 0.001:
        return "no label, no tab"
    return f"{1 if bad != turned else -1}\t{address(rng, bad)}"


def make_stream(rng):
    """The transactions: (kind, lines). Those that are aborted have wrong labels: learning one would show."""
    for i in range(TRANSACTIONS):
        kind = "abort" if i % 4 == 2 else "commit"
        yield kind, [make_line(rng, kind == "abort") for _ in range(ROWS)]


class Producer(threading.Thread):
    """Sends the transactions as fast as a stream that takes its time."""

    def __init__(self, tool, topic, stream):
        super().__init__(daemon=True)
        plan = [f"{kind}={len(lines)}" for kind, lines in stream]
        self.stream, self.sent, self.problem = stream, 0, None
        self.process = subprocess.Popen([tool.program, "-b", tool.brokers, "-T", "120", "transactions", topic, *plan],
                                        stdin=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def run(self):
        try:
            for _, lines in self.stream:
                self.process.stdin.write("".join(line + "\n" for line in lines).encode())
                self.process.stdin.flush()
                self.sent += 1
                time.sleep(SECONDS / TRANSACTIONS)
            self.process.stdin.close()
        except OSError:  # it has ended; wait() says why
            pass

    def wait(self):
        self.join()
        said = self.process.stderr.read().decode()
        if self.process.wait():
            raise Failed(f"the producer ended with status {self.process.returncode}: {said}")

    def end(self):
        self.process.kill()
        self.process.wait()


# ---- what is shown --------------------------------------------------------------------------------------------------------


def learn_and_kill(demo, topic, producer, options):
    """Learns while the stream goes on, and is killed between two saves."""
    say(f"a producer sends {TRANSACTIONS} transactions of {ROWS:,} messages meanwhile: the labels 1 or -1 and an URL,")
    say("one message in a thousand is malformed; every fourth transaction is aborted, and its labels are wrong")
    learner = demo.start("train", *options, "-q")
    producer.start()
    while producer.sent < TRANSACTIONS // 2 or not os.path.exists(demo.path("spam.model")):
        if learner.poll() is not None:
            raise Failed(f"sluice train ended: {learner.communicate()[1]}")
        time.sleep(0.05)
    learner.kill()
    learner.communicate()
    say(f"... kill -9, when about {producer.sent} of {TRANSACTIONS} transactions had been sent. What is there is what it saved last:")
    show_positions(demo)


def show_positions(demo):
    say("$ sluice inspect spam.model")
    shown = demo.run("inspect", "--top", "0", "spam.model", show=False).splitlines()
    at = next(i for i, line in enumerate(shown) if line.startswith("learned from Kafka"))
    for line in [line for line in shown if line.startswith("examples")] + shown[at:at + 2]:
        say("  " + line)
    say("(aborted messages and the markers of transactions have offsets, too)")


def prove(demo, stream, options):
    """The same lines in a file, one after the other, by a run that nobody disturbs."""
    with open(demo.path("committed.url.tsv"), "w", encoding="ascii") as file:
        for kind, lines in stream:
            if kind == "commit":
                file.writelines(line + "\n" for line in lines)
    say("the lines of the committed transactions, in a file, are learned by one run that is left alone;")
    say("then both models are written in their predict-only form and compared")
    learning = ["-f", "url", "--on-error", "skip", "-qq"]
    demo.run("train", *learning, "-o", "file.model", "committed.url.tsv")
    demo.run("train", *learning, "--final", "-o", "file.final", "committed.url.tsv", show=False)
    kafka = options[:options.index("-o")] + ["-i", "spam.model", "-o", "spam.final", "--final", "--until-end", "-qq"]
    demo.run("train", *kafka, show=False)
    counts = ("examples", "mistakes", "updates", "features_seen", "positives")
    ours, theirs = demo.inspect("spam.model"), demo.inspect("file.model")
    say(f"{'':24}{'killed, from Kafka':>20}{'from the file':>20}")
    for name in counts:
        say(f"{name.replace('_', ' '):24}{ours[name]:>20,}{theirs[name]:>20,}")
        if ours[name] != theirs[name]:
            raise Failed(f"{name} differ")
    say("$ cmp spam.final file.final")
    if subprocess.run(["cmp", "spam.final", "file.final"], cwd=demo.folder, stdin=subprocess.DEVNULL).returncode:
        raise Failed("the models differ")
    say(f"the models are the same, byte for byte ({os.path.getsize(demo.path('spam.final')):,} bytes)")


def show_dead_letters(tool, stream):
    """Malformed messages, with what is wrong. Some may have been sent twice, by the run that was killed and its successor."""
    bad = sum(line == "no label, no tab" for kind, lines in stream if kind == "commit" for line in lines)
    letters = [dict(pair.replace("\\x2c", ",").split("=", 1) for pair in headers.split(",")) | {"value": value}
               for _, _, _, headers, value in tool.read("events.bad")]
    places = {(letter["sluice.topic"], letter["sluice.offset"]) for letter in letters}
    say(f"{bad} malformed messages were committed. The topic events.bad has {len(letters)}, of {len(places)} places")
    say("(what the killed run sent behind its last save comes again: twice is possible, never is not). The first ones:")
    for letter in letters[:3]:
        say(f"  {letter['sluice.topic']}[{letter['sluice.partition']}]@{letter['sluice.offset']}  \"{letter['value']}\"  "
            f"{letter['sluice.reason']}: {letter['sluice.error']}")
    if len(places) != bad:
        raise Failed(f"{len(places)} places, and {bad} malformed messages")


def answer(demo, tool, rng):
    """URLs in, answers out, by their keys."""
    asked = {f"mail-{i}": address(rng, bad=i % 2 == 0) for i in range(1, 5)}
    tool("create", "mails", 1)
    tool("create", "verdicts", 1)
    tool("produce", "mails", "-K", lines=[f"{key}\t{url}" for key, url in asked.items()])
    demo.run("predict", "-m", "spam.model", "--kafka", demo.brokers, "--topic", "mails", "--to", "verdicts", "--proba",
             "-X", "group.id=demo", "--until-end", "-q")
    say("the answers in the topic verdicts: key, class, margin, probability of class 1")
    answers = tool.read("verdicts")
    for _, _, key, _, payload in answers:
        say(f"  {key}  {asked[key]:55}  " + "  ".join(payload.split("\\t")))
    if [fields[2] for fields in answers] != list(asked):
        raise Failed("not every message has one answer")


def show(sluice, tool_program, folder, node):
    demo = Demo(sluice, folder, node.bootstrap)
    tool = Tool(tool_program, node.bootstrap)
    rng = random.Random(1)
    producer = None
    try:
        tool("create", "events", 1)
        tool("create", "events.bad", 1)
        stream = list(make_stream(rng))
        options = ["--kafka", node.bootstrap, "--topic", "events", "-f", "url", "--on-error", "skip", "--dead-letters",
                   "events.bad", "--save-every", str(SAVE_EVERY), "-o", "spam.model"]
        step("sluice learns a topic while it is written, saves now and then, and is killed")
        producer = Producer(tool, "events", stream)
        learn_and_kill(demo, "events", producer, options)

        step("it goes on where the model stands, to the end of the topic")
        say("(the producer has gone on meanwhile; when it is done:)")
        producer.wait()
        demo.run("train", "-i", "spam.model", *options, "--until-end", "-q")
        show_positions(demo)

        step("the proof: each committed message was learned once")
        prove(demo, stream, options)
        step("the malformed messages")
        show_dead_letters(tool, stream)
        step("answers to a topic, each in one transaction with the offset of its message")
        answer(demo, tool, rng)
    finally:
        if producer:
            producer.end()
        demo.end()


def signals(action):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, action)


def stop(*_):
    signals(signal.SIG_IGN)  # one is enough; what follows is soon done
    raise Stopped


def main():
    sluice, tool = (os.path.abspath(path) for path in sys.argv[1:3])
    signals(stop)
    began = time.monotonic()
    try:
        if not os.path.exists(tool):
            raise broker.Missing("sluice was built without librdkafka (Debian: librdkafka-dev); install it and run make")
        with tempfile.TemporaryDirectory(prefix="sluice-kafka-demo-") as folder:
            say("== a Kafka broker on this machine, which ends with this demo (the first time it is fetched with Maven: 44 MB)")
            with broker.Broker(os.path.join(folder, "broker")) as node:
                say(f"{node.bootstrap} answers after {time.monotonic() - began:.1f} s")
                try:
                    show(sluice, tool, folder, node)
                finally:
                    signals(signal.SIG_IGN)  # the broker's end and the folder's are not to be interrupted
        say(f"\nThat was all: {time.monotonic() - began:.0f} s, the broker has ended and its folder is gone. More: docs/kafka.md")
        return 0
    except broker.Missing as why:
        say(f"the demo needs what is not here: {why}")
    except Stopped:
        say("\nstopped: the broker has ended and its folder is gone")
        return 130
    except (Failed, ToolFailed, broker.BrokerError, subprocess.TimeoutExpired) as problem:
        say(f"\nthe demo failed: {problem}")
    return 1


if __name__ == "__main__":
    sys.exit(main())
