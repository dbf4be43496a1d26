#!/usr/bin/env python3
"""What docs/kafka.md promises, a case for each promise.

    cases.py --sluice PROGRAM --tool KAFKA_TOOL --broker FOLDER [CASE...]     on the broker of `broker.py start FOLDER`
    cases.py --sluice PROGRAM --tool KAFKA_TOOL --outages [CASE...]           on brokers of its own that stop and freeze

Without names all cases of the kind run. Every one has topics of its own.
"""
import argparse
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import traceback

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import broker  # noqa: E402
from kafka_clients import Mock, Tool  # noqa: E402

TURN = 1000  # messages of a turn in the deterministic order
CASES, OUTAGES = {}, {}


def case(function):
    CASES[function.__name__] = function
    return function


def outage(function):
    OUTAGES[function.__name__] = function
    return function


def equal(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r:.2000}, wanted {wanted!r:.2000}")


def has(text, *wanted):
    for part in wanted:
        if part not in text:
            raise AssertionError(f"{part!r} is not in: {text}")


def lacks(text, unwanted):
    if unwanted in text:
        raise AssertionError(f"{unwanted!r} is in: {text}")


def wait_until(what, question, seconds=60):
    end = time.monotonic() + seconds
    while not (found := question()):
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.05)
    return found


class Running:
    """A run of sluice in the background."""

    def __init__(self, kit, words):
        self.output = kit.path("out")
        self.messages = kit.path("err")
        with open(self.output, "wb") as out, open(self.messages, "wb") as err:
            self.process = subprocess.Popen([kit.given.sluice, *map(str, words)], stdout=out, stderr=err, stdin=subprocess.DEVNULL)
        kit.started.append(self.process)

    def said(self):
        with open(self.messages, encoding="utf-8", errors="replace") as file:
            return file.read()

    def printed(self):
        with open(self.output, encoding="utf-8") as file:
            return file.read()

    def until_said(self, text, seconds=60):
        def look():
            if text not in self.said() and self.process.poll() is not None:
                raise AssertionError(f"it has ended ({self.process.returncode}) without {text!r}: {self.said()}")
            return text in self.said()
        wait_until(f"{text!r} in {self.messages}", look, seconds)

    def send(self, number):
        self.process.send_signal(number)

    def end(self, status, number=None, seconds=60):
        """Its messages, when it has ended with this status; `number`: the signal that is to end it."""
        if number:
            self.send(number)
        try:
            self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"it does not end: {self.said()}") from None
        equal(self.process.returncode, status, f"exit status, with the messages {self.said()}")
        return self.said()


class Kit:
    """What a case works with: a folder, the tool and sluice."""

    def __init__(self, given, folder, tool, name):
        self.given, self.folder, self.tool, self.name = given, folder, tool, name
        self.numbers = 0
        self.started = []

    def path(self, ending):
        self.numbers += 1
        return os.path.join(self.folder, f"{self.name}-{self.numbers}.{ending}")

    def topic(self, lines=(), partitions=1, *options, tool=None):
        self.numbers += 1
        name = f"{self.name}-{os.getpid()}-{self.numbers}"
        (tool or self.tool)("create", name, partitions)
        if lines:
            self.send(name, lines, *options, tool=tool)
        return name

    def send(self, topic, lines, *options, tool=None):
        options = options or ("-p", 0)
        (tool or self.tool)("produce", topic, *options, lines=lines)

    def file(self, lines):
        path = self.path("txt")
        with open(path, "wb") as file:
            for line in lines:
                file.write((line if isinstance(line, bytes) else line.encode()) + b"\n")
        return path

    def run(self, *words, status=0):
        done = subprocess.run([self.given.sluice, *map(str, words)], capture_output=True, text=True, errors="surrogateescape",
                              timeout=300, stdin=subprocess.DEVNULL)
        equal(done.returncode, status, f"exit status of {words}, with the messages {done.stderr}")
        return done

    def kafka(self, topic, tool=None):
        return ["--kafka", (tool or self.tool).brokers, "--topic", topic]

    def train(self, topic, *words, model=None, status=0, end=True, tool=None):
        """Learns the topic; the model's path and what was said and printed."""
        model = model or self.path("model")
        going_on = ["-i", model] if os.path.exists(model) else ["-a", "arow"]
        ending = ["--until-end"] if end else []
        done = self.run("train", *going_on, *self.kafka(topic, tool), *ending, "-o", model, "-q", *words, status=status)
        return model, done

    def start(self, *words):
        return Running(self, words)

    def start_training(self, topic, model, *words, tool=None):
        going_on = ["-i", model] if os.path.exists(model) else ["-a", "arow"]
        return self.start("train", *going_on, *self.kafka(topic, tool), "-o", model, "-q", "--json", *words)

    def inspect(self, model):
        return json.loads(self.run("inspect", "--json", "--top", 0, model).stdout)

    def positions(self, model):
        return {(p["topic"], p["partition"]): p["next"] for p in self.inspect(model)["positions"]}

    def next(self, model, topic, partition=0):
        return self.positions(model)[topic, partition]

    def count(self, model):
        """Examples learned, 0 without a model."""
        return self.inspect(model)["examples"] if os.path.exists(model) else 0

    def weights(self, model):
        return self.run("inspect", "--weights", model).stdout

    def of_file(self, lines, *words):
        model = self.path("model")
        self.run("train", "-a", "arow", self.file(lines), "-o", model, "-qq", *words)
        return model

    def same(self, model, lines, *words):
        """The model has learned exactly these lines in this order."""
        other = self.of_file(lines, *words)
        for count in ("examples", "mistakes", "updates", "features_seen", "nonzeros"):
            equal(self.inspect(model)[count], self.inspect(other)[count], count)
        equal(self.weights(model), self.weights(other), "weights")

    def close(self):
        for process in self.started:
            if process.poll() is None:
                process.kill()
            process.wait()


def rows(n, seed=1, ids=60):
    rng = random.Random(seed)
    lines = []
    for _ in range(n):
        chosen = sorted(rng.sample(range(1, ids), 6))
        label = 1 if sum(1 if k % 3 else -1 for k in chosen) + rng.uniform(-2, 2) > 2 else -1
        lines.append(f"{label} " + " ".join(f"{k}:{rng.randint(1, 9)}" for k in chosen))
    return lines


# ---- formats -----------------------------------------------------------------------------------------------------------

WORDS = ["red", "green", "blue", "round", "flat", "heavy"]


def format_cases():
    rng = random.Random(5)
    many = [(rng.choice(["spam", "ham", "eggs"]), sorted(rng.sample(WORDS, 3))) for _ in range(300)]
    two = [(1 if "red" in words else -1, words) for _, words in many]
    yield "libsvm", [], None, rows(300)
    yield "libsvm", ["--classes", "ovr"], None, [f"{y} " + " ".join(f"{WORDS.index(w) + 1}:1" for w in sorted(x, key=WORDS.index)) for y, x in many]
    yield "vw", [], None, [f"{y} | " + " ".join(x) for y, x in two]
    yield "csv", ["--classes", "ovr"], "label,a,b,c", [f'{y},"{x[0]}",{x[1]},{i}' for i, (y, x) in enumerate(many)]
    yield "csv", [], "label\ta\tb\tc", [f'{y}\t"{x[0]}, ""so"""\t{x[1]}\t{i % 7}' for i, (y, x) in enumerate(two)]
    yield "csv", ["--no-header"], None, [f"{y},{len(x[0])},{len(x[1])}" for y, x in two]
    yield "jsonl", ["--classes", "matrix"], None, [json.dumps({"label": y, "shape": x[0], "n": i % 5}) for i, (y, x) in enumerate(many)]
    yield "text", [], None, [f"{'yes' if y > 0 else 'no'}\tsome {' '.join(x)}" for y, x in two]
    yield "url", [], None, [f"{y}\thttp://{x[0]}.example/{x[1]}?q={x[2]}" for y, x in two]


@case
def formats(kit):
    """train, test and predict of a topic are those of a file with the same lines, in every format."""
    for name, options, header, lines in format_cases():
        topic = kit.topic(lines)
        source = kit.file(([header] if header else []) + lines)
        form = ["-f", name] + (["--csv-header", header] if header else []) + [o for o in options if o == "--no-header"]
        plain = ["-f", name] + [o for o in options if o == "--no-header"]
        learning = [o for o in options if o != "--no-header"]
        final, wanted = kit.path("model"), kit.path("model")
        kit.run("train", "-a", "arow", *form, *learning, *kit.kafka(topic), "--until-end", "--final", "-o", final, "-qq")
        kit.run("train", "-a", "arow", *plain, *learning, source, "--final", "-o", wanted, "-qq")
        with open(final, "rb") as a, open(wanted, "rb") as b:
            equal(a.read() == b.read(), True, f"{name} {options}: the models are the same")
        more = ["--json", "--id", "line"]
        got = kit.run("predict", "-m", final, *form, *kit.kafka(topic), "--until-end", *more, "-qq").stdout
        of_file = kit.run("predict", "-m", wanted, *plain, source, *more, "-qq").stdout
        if header:  # the lines of a file count its header
            got = re.sub(r'"id": ?"?(\d+)"?', "", got)
            of_file = re.sub(r'"id": ?"?(\d+)"?', "", of_file)
        equal(got, of_file, f"{name} {options}: predict")
        equal(got.count("\n"), len(lines), "answers")
        tested = []
        for words in (["-m", final, *form, *kit.kafka(topic), "--until-end"], ["-m", wanted, *plain, source]):
            tested.append({k: v for k, v in json.loads(kit.run("test", *words, "--json", "-qq").stdout).items() if "second" not in k})
        equal(*tested, f"{name} {options}: test")


@case
def any_value(kit):
    """Tombstones, empty values, line ends, NUL, quotes and what looks compressed."""
    good = ["1 1:1 2:2", "-1 3:1", "1 1:3", "-1 2:1 3:2"]
    topic = kit.topic([r"\x1f\x8b\x08 looks like gzip", good[0], "GONE", "", good[1] + r"\n", good[2] + r"\r\n",
                       r"1 1:1\n1 1:1", r"\n\n", r"1 1:1\01", r"\n", "# comment", good[3]], 1, "-p", 0, "-e", "-n", "GONE")
    model, done = kit.train(topic, "--on-error", "skip", "--json")
    printed = json.loads(done.stdout)
    equal(printed["kafka"], {"messages": 12, "tombstones": 1, "dead_letters": 0, "lag": 0}, "counts")
    equal(printed["examples"], 4, "examples")
    equal(sum(printed["skipped"].values()) if isinstance(printed["skipped"], dict) else printed["skipped"], 4, "skipped")
    kit.same(model, good)
    # a quote that stays open would take the next messages with it; a field may begin with a quote behind one in a field
    for bad in ('1,"a', '1,"a""', '1,a"b,"c', '1,"a\t'):
        lines = ["1,a,x", "-1,b,y", bad, "1,c,x", "-1,d,y", "1,e,x"]
        topic = kit.topic(lines)
        model, done = kit.train(topic, "-f", "csv", "--no-header", "--on-error", "skip", "--json")
        equal(json.loads(done.stdout)["examples"], 5, f"examples around {bad!r}")
        place = kit.train(topic, "-f", "csv", "--no-header", status=1)[1].stderr
        has(place, f"{topic}[0]@2")
    model, done = kit.train(kit.topic(["1,2", r"1,\x22\n", "-1,3", "GONE", "", "1,4"], 1, "-p", 0, "-e", "-n", "GONE"),
                            "-f", "csv", "--no-header", "--on-error", "skip", "--json")
    equal(json.loads(done.stdout)["examples"], 3, "examples of csv")


@case
def places(kit):
    """The place of an error is topic[partition]@offset:column; a message that is no line has no column."""
    topic = kit.topic(rows(3), 3)
    kit.send(topic, rows(1500) + ["1 2:1 3:x"], "-p", 2)
    said = kit.train(topic, "--partitions", 2, status=1)[1].stderr
    has(said, f"sluice: {topic}[2]@1500:9: ", "; --on-error skip leaves such messages out")
    said = kit.train(kit.topic([r"1 1:1\n2"], 1, "-p", 0, "-e"), status=1)[1].stderr
    has(said, "[0]@0: the message has several lines; --on-error skip")
    topic = kit.topic(["a 1:1", "b 2:1", "c 3:1"])
    said = kit.train(topic, status=1)[1].stderr
    has(said, f"{topic}[0]@2", "--classes")


@case
def label_headers(kit):
    lines = [f"{y}\tw{i % 7} w{i % 3}" for i, y in enumerate(["yes", "no"] * 100)]
    topic = kit.topic(lines, 1, "-p", 0, "-F", "truth")
    model, _ = kit.train(topic, "-f", "text", "--label-header", "truth")
    kit.same(model, lines, "-f", "text")
    topic = kit.topic([f"{line.split(' ', 1)[0]}\t{line.split(' ', 1)[1]}" for line in rows(200)], 1, "-p", 0, "-F", "truth")
    model, _ = kit.train(topic, "--label-header", "truth")
    kit.same(model, rows(200))
    has(kit.train(topic, "--label-header", "other", status=1)[1].stderr, f"{topic}[0]@0: ", "no header")
    for label in ("a b", "", "#1", "1|"):
        topic = kit.topic([f"{label}\t1:1"], 1, "-p", 0, "-F", "truth")
        has(kit.train(topic, "--label-header", "truth", status=1)[1].stderr, f"{topic}[0]@0: the label in the header")


# ---- malformed messages ------------------------------------------------------------------------------------------------


@case
def dead_letters(kit):
    good = rows(50)
    topic, letters = kit.topic(good[:20], 2), kit.topic()
    kit.tool("produce", topic, "-p", 1, "-e", "-K", "-H", "source=web", lines=["k\t1 2:x", "k2\t" + good[20], "k3\t1 1:1\\n1 2:2"])
    kit.tool("produce", topic, "-p", 1, lines=["1 2:nan", "1 2:nan"])
    model, done = kit.train(topic, "--on-error", "skip", "--dead-letters", letters, "--json")
    printed = json.loads(done.stdout)
    equal(printed["examples"], 21, "examples")
    equal(printed["kafka"]["dead_letters"], 4, "dead letters")
    found = {}
    for _, _, key, headers, payload in kit.tool.read(letters):
        named = [h.split("=", 1) for h in headers.split(",")]
        found[dict(named)["sluice.offset"]] = (key, [n for n, _ in named], dict(named), payload)
    equal(sorted(found), ["0", "2", "3", "4"], "their offsets")
    key, names, named, payload = found["0"]
    equal(names, ["source", "sluice.reason", "sluice.error", "sluice.topic", "sluice.partition", "sluice.offset"], "headers")
    equal((named["source"], named["sluice.topic"], named["sluice.partition"]), ("web", topic, "1"), "header values")
    equal(named["sluice.reason"], "value", "reason")
    has(named["sluice.error"], "x")
    equal((key, payload), ("k", "1 2:x"), "key and payload")
    equal(found["2"][2]["sluice.reason"], "message", "reason of several lines")
    equal(found["2"][3], r"1 1:1\n1 2:2", "payload of several lines")
    equal(found["3"][1][0], "sluice.reason", "no header of its own")
    # counted, and not sent
    model, done = kit.train(topic, "--on-error", "skip", "--json")
    equal(json.loads(done.stdout)["kafka"]["dead_letters"], 0, "dead letters")
    # sent also where no model is saved
    before = kit.tool.count(letters)
    kit.run("train", *kit.kafka(topic), "--until-end", "--on-error", "skip", "--dead-letters", letters, "-qq")
    equal(kit.tool.count(letters), before + 4, "dead letters of a run that saves nothing")


@case
def dead_letters_before_the_model(kit):
    """At every moment: what a saved model has passed is in the topic of dead letters. Also of runs that are killed."""
    rng = random.Random(3)
    lines = [("1 1:x" if rng.random() < 0.2 else row) for row in rows(30000)]
    bad = [i for i, line in enumerate(lines) if line.endswith("x")]
    topic, letters, model = kit.topic(lines), kit.topic(), kit.path("model")
    options = ["--until-end", "--on-error", "skip", "--dead-letters", letters, "--save-every", 500]
    for i in range(6):
        run = kit.start_training(topic, model, *options)
        try:
            run.process.wait(rng.uniform(0.3, 0.8))
        except subprocess.TimeoutExpired:
            run.send(signal.SIGKILL)
            run.process.wait()
        passed = kit.next(model, topic) if os.path.exists(model) else 0
        sent = {int(dict(h.split("=", 1) for h in m[3].split(","))["sluice.offset"]) for m in kit.tool.read(letters)}
        missing = [o for o in bad if o < passed and o not in sent]
        equal(missing, [], f"dead letters before {passed}")
    kit.train(topic, *options, model=model)
    kit.same(model, lines, "--on-error", "skip")


@case
def topics_without_examples(kit):
    """Messages without rows do not gather, and their positions are saved when that is asked for."""
    topic, letters, model = kit.topic(rows(10)), kit.topic(), kit.path("model")
    run = kit.start_training(topic, model, "--on-error", "skip", "--dead-letters", letters, "--save-every", "1s")
    wait_until("the first save", lambda: kit.count(model) == 10)
    kit.send(topic, ["GONE"] * 30000 + ["1 x"] * 30000, "-p", 0, "-n", "GONE")
    wait_until("positions behind messages without rows", lambda: kit.next(model, topic) == 60010)
    run.end(128 + signal.SIGTERM, signal.SIGTERM)
    equal(kit.inspect(model)["examples"], 10, "examples")
    equal(kit.tool.count(letters), 30000, "dead letters")


@case
def positions_without_examples(kit):
    """A run that goes on saves positions behind messages that are no examples; one that begins saves no empty model."""
    topic = kit.topic(rows(10))
    model, _ = kit.train(topic)
    run = kit.start_training(topic, model, "--save-every", "1s")
    kit.send(topic, ["GONE"] * 5, "-p", 0, "-n", "GONE")
    wait_until("positions behind tombstones", lambda: kit.next(model, topic) == 15)
    run.end(128 + signal.SIGTERM, signal.SIGTERM)
    equal(kit.count(model), 10, "examples")
    topic, new = kit.topic(["GONE"] * 5, 1, "-p", 0, "-n", "GONE"), kit.path("model")
    run = kit.start_training(topic, new, "--save-every", "1s")
    kit.send(topic, rows(1))
    wait_until("the first example", lambda: kit.count(new) == 1)
    equal(kit.next(new, topic), 6, "position")
    run.end(128 + signal.SIGTERM, signal.SIGTERM)


@case
def large_messages(kit):
    """Messages longer than a block of the reader, and large keys."""
    long = "1 " + " ".join(f"{i}:1" for i in range(1, 90000))
    lines = [long, "-1 1:1", long, "-1 2:1"]
    topic = kit.topic([f"{'k' * 100000}\t{line}" for line in lines], 1, "-p", 0, "-K", "-X", "message.max.bytes=4000000")
    kit.same(kit.train(topic)[0], lines)
    # what a fetch may bring is not less than what may be sent
    kit.same(kit.train(topic, "-X", "message.max.bytes=9000000")[0], lines)
    # dead letters as large as what was read; a topic that does not take them
    topic, letters, small = (f"{kit.topic()}-{limit}" for limit in (4000000, 3000000, 1000))
    for name in (topic, letters, small):
        kit.tool("create", name, 1, "max.message.bytes=" + name.split("-")[-1])
    kit.send(topic, [long + " x" * 300000, "1 1:1"], "-p", 0, "-X", "message.max.bytes=4000000")
    kit.train(topic, "--on-error", "skip", "--dead-letters", letters)
    equal(kit.tool.count(letters), 1, "dead letters")
    model = kit.path("model")
    said = kit.train(topic, "--on-error", "skip", "--dead-letters", small, model=model, status=1)[1].stderr
    has(said, "Message size too large", "max.message.bytes of the topic", "not saved")
    equal(os.path.exists(model), False, "a model past the message")


# ---- positions ---------------------------------------------------------------------------------------------------------


@case
def positions(kit):
    """They are shown; partitions can be divided; where to begin can be chosen; files leave them alone."""
    lines = rows(120)
    topic = kit.topic(lines[:50], 3)
    kit.send(topic, lines[50:90], "-p", 1)
    model, _ = kit.train(topic, "--partitions", "0,1")
    equal(kit.positions(model), {(topic, 0): 50, (topic, 1): 40}, "positions")
    cluster = kit.tool("cluster").strip()
    shown = kit.run("inspect", model).stdout
    has(shown, f"{cluster}  {topic}[0]", f"{topic}[1]")
    equal({p["cluster"] for p in kit.inspect(model)["positions"]}, {cluster}, "cluster")
    kit.train(topic, model=model)  # nothing new, and one partition more
    equal(kit.positions(model), {(topic, 0): 50, (topic, 1): 40, (topic, 2): 0}, "positions")
    equal(kit.count(model), 90, "examples")
    kit.send(topic, lines[90:], "-p", 2)
    kit.run("train", "-i", model, "-o", model, kit.file(lines[:7]), "-qq")
    equal(kit.positions(model)[topic, 1], 40, "position after a run from a file")
    kit.train(topic, model=model)
    equal(kit.count(model), 127, "examples")
    equal(kit.positions(model)[topic, 2], 30, "position")
    kit.train(topic, "--from", "end", model=model)
    equal(kit.count(model), 127, "examples from the end")
    kit.train(topic, "--from", "beginning", "--partitions", 1, model=model)
    equal(kit.count(model), 167, "examples from the beginning")
    final = kit.path("model")
    kit.run("train", "-i", model, *kit.kafka(topic), "--until-end", "--final", "-o", final, "-qq")
    equal(kit.inspect(final)["positions"], [], "positions of --final")
    fresh, done = kit.train(topic, "--from", "end", "--allow-empty")
    equal(kit.positions(fresh), {(topic, 0): 50, (topic, 1): 40, (topic, 2): 30}, "positions at the end")
    has(kit.run("train", "-i", model, *kit.kafka(topic), "--until-end", "--from", "beginning").stderr, "to come")
    two = kit.topic(lines[:5])
    kit.run("train", "-i", model, *kit.kafka(f"{topic},{two}"), "--until-end", "-o", model, "-qq")
    equal(kit.next(model, two), 5, "position in a second topic")


@case
def new_partition(kit):
    topic, model = kit.topic(rows(10)), kit.path("model")
    run = kit.start_training(topic, model, "--save-every", "1s", "-X", "topic.metadata.refresh.interval.ms=300")
    wait_until("the first partition", lambda: kit.count(model) == 10)
    kit.tool("partitions", topic, 2)
    kit.send(topic, rows(15), "-p", 1)
    wait_until("the second partition", lambda: kit.count(model) == 25)
    has(run.end(128 + signal.SIGTERM, signal.SIGTERM), f"{topic} has a new partition, 1; it is read from its beginning")
    equal(kit.positions(model), {(topic, 0): 10, (topic, 1): 15}, "positions")


@case
def recreated_topics(kit):
    """The same length, a smaller one and a larger one: never what is not known."""
    for length, complaint in ((20, "is not the one that the model has learned"), (5, "was made anew or cut off"),
                              (40, "is not the one that the model has learned")):
        topic = kit.topic(rows(20))
        model, _ = kit.train(topic)
        with open(model, "rb") as file:
            before = file.read()
        kit.tool("delete", topic)
        wait_until("the topic", lambda: created(kit, topic))
        kit.send(topic, rows(length, seed=2))
        has(kit.train(topic, model=model, status=1)[1].stderr, topic, complaint, "--from beginning")
        with open(model, "rb") as file:
            equal(file.read() == before, True, "the model is as it was")
        kit.train(topic, "--from", "beginning", model=model)
        equal(kit.count(model), 20 + length, "examples")


def created(kit, topic):
    try:
        kit.tool("create", topic, 1)
        return True
    except Exception:
        return False


@case
def retention(kit):
    lines = rows(100)
    topic = kit.topic(lines[:30])
    model, _ = kit.train(topic)
    kit.send(topic, lines[30:])
    kit.tool("delete-records", topic, 0, 60)
    has(kit.train(topic, model=model, status=1)[1].stderr, f"{topic}[0]", "offset 30", "begins at 60", "-X auto.offset.reset=earliest")
    has(kit.train(topic, "-X", "auto.offset.reset=error", model=model, status=1)[1].stderr, "begins at 60")
    has(kit.train(topic, "-X", "auto.offset.reset=latest", model=model, status=2)[1].stderr, "--from end")
    done = kit.train(topic, "-X", "auto.offset.reset=earliest", model=model)[1]
    has(done.stderr, "warning: ", "offsets 30 to 59 were deleted")
    equal((kit.count(model), kit.next(model, topic)), (70, 100), "examples and position")
    # while the run goes on: the process stands still while its messages are deleted
    for reset in ("error", "earliest"):
        topic, model = kit.topic(lines[:10]), kit.path("model")
        run = kit.start_training(topic, model, "--save-every", "1s", "-X", f"auto.offset.reset={reset}")
        wait_until("the first messages", lambda: kit.count(model) == 10)
        run.send(signal.SIGSTOP)
        kit.send(topic, lines[10:])
        kit.tool("delete-records", topic, 0, 100)
        kit.send(topic, lines[:5])
        kit.tool("delete-records", topic, 0, 101)
        run.send(signal.SIGCONT)
        if reset == "error":
            wait_until("its end or its messages", lambda: run.process.poll() is not None or kit.count(model) > 10)
            if run.process.poll() is not None:
                has(run.end(1), "offset 10", "begins at 101")
            else:  # what was deleted had been fetched before
                run.end(128 + signal.SIGTERM, signal.SIGTERM)
        else:
            wait_until("the last messages", lambda: kit.next(model, topic) == 105)
            said = run.end(128 + signal.SIGTERM, signal.SIGTERM)
            lost = re.search(r"offsets (\d+) to (\d+) were deleted", said)
            equal(kit.count(model) + (int(lost[2]) - int(lost[1]) + 1 if lost else 0), 105, f"learned and named: {said}")
    # in two partitions at once, with messages that are kept
    topic, letters, model = kit.topic(lines[:10], 2, "-p", 0), kit.topic(), kit.path("model")
    kit.send(topic, lines[:10], "-p", 1)
    run = kit.start_training(topic, model, "--save-every", "1s", "-X", "auto.offset.reset=earliest", "--on-error", "skip",
                             "--dead-letters", letters)
    wait_until("the first messages", lambda: kit.count(model) == 20)
    run.send(signal.SIGSTOP)
    for p in (0, 1):
        kit.send(topic, lines[10:], "-p", p)
        kit.tool("delete-records", topic, p, 100)
        kit.send(topic, lines[:5], "-p", p)
        kit.tool("delete-records", topic, p, 101)
    run.send(signal.SIGCONT)
    wait_until("the last messages", lambda: kit.next(model, topic, 0) == kit.next(model, topic, 1) == 105)
    run.end(128 + signal.SIGTERM, signal.SIGTERM)


@case
def what_is_not_there(kit):
    topic = kit.topic(rows(5), 2)
    waiting = [kit.start("train", *kit.kafka("none-such")),
               kit.start("predict", "-m", kit.train(topic)[0], *kit.kafka(topic), "--to", "none-such", "-X", "group.id=g"),
               kit.start("train", *kit.kafka(topic), "--on-error", "skip", "--dead-letters", "none-such")]
    has(kit.train(topic, "--partitions", "0,7", status=1)[1].stderr, "partitions 0 to 1", "asks for 7")
    for run, said in zip(waiting, ("there is no topic none-such", "--to none-such: there is no such topic",
                                   "--dead-letters none-such: there is no such topic")):
        has(run.end(1), said)
    # other brokers
    with Mock(kit.given.tool, kit.folder, brokers=1, topics={topic: 2}) as mock:
        model, _ = kit.train(topic)
        said = kit.train(topic, model=model, tool=mock.tool, status=1)[1].stderr
        has(said, "cluster", topic, "--from beginning")


@case
def transactions(kit):
    """Aborted messages are not learned; an open transaction is waited for and then learned."""
    lines = rows(60)
    topic = kit.topic(partitions=1)
    kit.tool("transactions", topic, "commit=20", "abort=20", "commit=20", "-p", 0, lines=lines)
    model, _ = kit.train(topic)
    kit.same(model, lines[:20] + lines[40:])
    equal(kit.next(model, topic) <= 63, True, "position")
    kit.send(topic, rows(3))
    kit.tool("transactions", topic, "open=10", "-p", 0, "-i", f"late-{topic}", lines=lines[:10])
    kit.send(topic, rows(4))
    run = kit.start_training(topic, model, "--save-every", "1s")
    wait_until("what is before the open transaction", lambda: kit.count(model) == 43)
    time.sleep(0.5)
    equal(kit.count(model), 43, "nothing behind an open transaction")
    kit.tool("transactions", topic, "commit=2", "-p", 0, "-i", f"late-{topic}", lines=lines[:2])  # its id fences the old one off
    wait_until("what is behind it", lambda: kit.count(model) == 49)
    run.end(128 + signal.SIGTERM, signal.SIGTERM)
    # the ends of a run that ends do not wait for ever: they are those of what can be read
    topic = kit.topic(rows(3))
    kit.tool("transactions", topic, "open=10", "-p", 0, lines=lines[:10])
    equal(kit.count(kit.train(topic)[0]), 3, "examples before an open transaction")


@case
def monitoring(kit):
    """Brokers know the positions where a group is named, and only there."""
    topic = kit.topic(rows(30), 2)
    group = f"watch-{topic}"
    model, _ = kit.train(topic)
    equal(kit.tool.pairs("offsets", "sluice", topic), [[0, None], [1, None]], "without a group")
    kit.train(topic, "-X", f"group.id={group}", model=model)
    equal(kit.tool.pairs("offsets", group, topic), [[0, 30], [1, 0]], "with one")
    run = kit.start_training(topic, model, "-X", f"group.id={group}", "--save-every", 7)
    kit.send(topic, rows(10))
    wait_until("a commit on the way", lambda: kit.tool.pairs("offsets", group, topic)[0][1] in range(31, 41))
    time.sleep(0.3)  # for those behind the save
    run.end(128 + signal.SIGINT, signal.SIGINT)
    equal(kit.count(model), 40, "examples")
    equal(kit.tool.pairs("offsets", group, topic), [[0, 40], [1, 0]], "after a signal")


@case
def signals(kit):
    """An endless run that a signal ends, or saves on the way, goes on exactly."""
    lines = rows(6000)
    topic, model = kit.topic(lines[:1000]), kit.path("model")
    sent = 1000
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        before = kit.count(model)
        run = kit.start_training(topic, model, "--save-every", 250)
        kit.send(topic, lines[sent:sent + 1000])
        sent += 1000
        wait_until("a save by number", lambda: kit.count(model) > before)
        said = run.end(128 + number, number)
        equal(kit.count(model), kit.next(model, topic), "examples and position")
        equal(json.loads(run.printed())["interrupted"]["signal"], signal.Signals(number).name, "result")
        has(said, f"-i {model} and the same topics")
    run = kit.start_training(topic, model, "--save-every", 999)
    kit.send(topic, lines[sent:])
    wait_until("a save by number", lambda: kit.count(model) >= sent + 999)
    wait_until("a save by SIGUSR1", lambda: run.send(signal.SIGUSR1) or kit.count(model) == 6000)
    run.send(signal.SIGKILL)
    run.process.wait()
    run = kit.start_training(topic, model, "--until-end")
    run.end(0)
    kit.same(model, lines)


@case
def no_broker(kit):
    """Nobody answers: it is said, a signal ends the run at once."""
    port = broker.free_ports(1)[0]
    model = kit.of_file(rows(9))
    runs = [(kit.start(*command, "--kafka", f"127.0.0.1:{port}", "--topic", "events"), number)
            for command in (["train", "-a", "arow"], ["predict", "-m", model]) for number in (signal.SIGINT, signal.SIGTERM)]
    for run, number in runs:
        run.until_said("no broker answers")
        began = time.monotonic()
        run.end(128 + number, number)
        equal(time.monotonic() - began < 1, True, f"it ends at once: {time.monotonic() - began:.1f} s")


# ---- order -------------------------------------------------------------------------------------------------------------


def in_turns(parts):
    ordered, at = [], [0] * len(parts)
    while any(a < len(p) for a, p in zip(at, parts)):
        for i, part in enumerate(parts):
            ordered += part[at[i]:at[i] + TURN]
            at[i] += TURN
    return ordered


@case
def deterministic(kit):
    parts = [rows(2500, 1), [], rows(700, 2), rows(1800, 3)]
    topic = kit.topic(partitions=4)
    for p, lines in enumerate(parts):
        if lines:
            kit.send(topic, lines, "-p", p)
    model, _ = kit.train(topic, "--order", "deterministic")
    kit.same(model, in_turns(parts))
    # a run that is stopped ends where it would have ended, whatever has come since
    model = kit.path("model")
    for _ in range(20):
        run = kit.start_training(topic, model, "--order", "deterministic", "--until-end", "--save-every", 20)
        wait_until("a save", lambda: os.path.exists(model) or run.process.poll() is not None)
        run.send(signal.SIGKILL)
        run.process.wait()
        if 0 < kit.count(model) < 5000:
            break
        os.remove(model)
    equal(0 < kit.count(model) < 5000, True, "a run was killed half-way")
    kit.send(topic, rows(50, 4), "-p", 1)
    other = kit.topic(rows(5))
    said = kit.train(f"{topic},{other}", "--order", "deterministic", model=model, status=1)[1].stderr
    has(said, "over 4 of these 5 partitions", "--from beginning")
    kit.train(topic, "--order", "deterministic", model=model)
    kit.same(model, in_turns(parts))
    kit.train(topic, "--order", "deterministic", model=model)
    equal(kit.count(model), 5050, "what has come since, in the next run")


@case
def usage(kit):
    model = kit.of_file(rows(9))
    here = ["--kafka", "127.0.0.1:1", "--topic", "t"]
    for words, complaint in (
            (["train", "--topic", "t"], "--topic is for Kafka"),
            (["train", "--until-end", "x.svm"], "--until-end is for Kafka"),
            (["train", "--kafka", "127.0.0.1:1"], "which topic"),
            (["train", *here, "x.svm"], "from Kafka or from files"),
            (["train", *here, "--topic", "t"], "named twice"),
            (["train", "--kafka", "127.0.0.1:1", "--topic", "a,,b"], "without a name"),
            (["train", *here, "--partitions", "1,x"], "'x' is no number"),
            (["train", *here, "--partitions", "1,1"], "named twice"),
            (["train", *here, "--partitions", ","], "give numbers"),
            (["train", *here, "--from", "middle"], "middle"),
            (["train", *here, "--order", "deterministic"], "needs --until-end"),
            (["train", *here, "--order", "random"], "random"),
            (["train", *here, "--dead-letters", "d"], "needs --on-error skip"),
            (["train", *here, "--dead-letters", "t", "--on-error", "skip"], "one of the topics that are read"),
            (["train", *here, "--passes", "2"], "only once"),
            (["train", *here, "--skip", "2"], "--skip is for files"),
            (["train", *here, "-f", "bin"], "bin has none"),
            (["train", *here, "-f", "csv"], "--csv-header"),
            (["train", *here, "-f", "csv", "--csv-header", "a", "--no-header"], "--csv-header"),
            (["train", *here, "-f", "csv", "--csv-header", 'label,"a'], "--csv-header: one line"),
            (["train", *here, "--csv-header", "label,a"], "--csv-header"),
            (["train", *here, "-f", "jsonl", "--label-header", "h"], "--label-header is for"),
            (["train", *here, "-X", "group.id"], "NAME=VALUE"),
            (["train", *here, "-X", "no.such=1"], "try: sluice train --help"),
            (["train", *here, "-X", "socket.timeout.ms=1"], "range 10..300000\n"),
            (["train", *here, "-X", "fetch.wait.max.ms=x"], "fetch.wait.max.ms"),
            (["train", *here, "-X", "enable.auto.commit=true"], "the model keeps the positions"),
            (["train", *here, "-X", "enable.partition.eof=false"], "sluice needs it"),
            (["train", *here, "-X", "bootstrap.servers=x"], "--kafka"),
            (["predict", "-m", model, *here, "--to", "x"], "needs -X group.id"),
            (["predict", "-m", model, *here, "--to", "x", "-X", "group.id="], "give the group a name"),
            (["predict", "-m", model, *here, "--to", "t", "-X", "group.id=g"], "one of the topics that are read"),
            (["predict", "-m", model, "--to", "x"], "--to is for Kafka"),
            (["test", "-m", model, *here], "needs --until-end")):
        has(kit.run(*words, status=2).stderr, complaint)


# ---- answers -----------------------------------------------------------------------------------------------------------


@case
def answers(kit):
    """The lines that would be printed, with key and origin; tombstones, empty and malformed messages have one, too."""
    model = kit.of_file(rows(300))
    lines = [f"k{i}\t{line}" for i, line in enumerate(rows(40, 7) + ["GONE", "", "1 2:x", "# x"])]
    topic, to = kit.topic(lines, 1, "-p", 0, "-K", "-n", "GONE"), kit.topic()
    options = ["--json", "--explain", "3", "--on-error", "skip"]
    printed = kit.run("predict", "-m", model, *kit.kafka(topic), "--until-end", *options, "-qq").stdout
    equal(printed.count("\n"), 44, "answers")
    kit.run("predict", "-m", model, *kit.kafka(topic), "--until-end", *options, "-qq", "--to", to, "-X", f"group.id=g-{topic}")
    sent = kit.tool.read(to)
    equal([m[4].replace("\\\\", "\\") for m in sent], printed.splitlines(), "answers")
    equal([m[2] for m in sent], [f"k{i}" for i in range(44)], "keys")
    equal([m[3] for m in sent], [f"sluice.topic={topic},sluice.partition=0,sluice.offset={i}" for i in range(44)], "headers")
    # the group's offsets say what was answered; --from begins anew
    kit.run("predict", "-m", model, *kit.kafka(topic), "--until-end", *options, "-qq", "--to", to, "-X", f"group.id=g-{topic}")
    equal(kit.tool.count(to), 44, "answers after a second run")
    equal(kit.tool.pairs("offsets", f"g-{topic}", topic), [[0, 44]], "offsets")
    for name, header, values in (("csv", "label,a", ["1,2", "GONE", "", '1,"', "-1,3"]), ("jsonl", None, ['{"a": 1}', "GONE", "", "{"])):
        model = kit.path("model")
        source = ["label,a", "1,2", "-1,3"] if name == "csv" else ['{"label": 1, "a": 2}', '{"label": -1, "a": 3}']
        kit.run("train", "-a", "arow", "-f", name, kit.file(source), "-o", model, "-qq")
        topic, to = kit.topic(values, 1, "-p", 0, "-e", "-n", "GONE"), kit.topic()
        kit.run("predict", "-m", model, *kit.kafka(topic), "--until-end", "-f", name, "--on-error", "skip", "-qq", "--to", to,
                "-X", f"group.id=g-{topic}", *(["--csv-header", header] if header else []))
        equal([m[3].split("=")[-1] for m in kit.tool.read(to)], [str(i) for i in range(len(values))], f"answers of {name}")


@case
def answers_once(kit):
    """Killed at random, every message is answered exactly once."""
    rng = random.Random(11)
    n = 200000
    model = kit.of_file(rows(300))
    topic, to = kit.topic(rows(n // 2, 8), 2), kit.topic()
    kit.send(topic, rows(n // 2, 9), "-p", 1)
    words = ["predict", "-m", model, *kit.kafka(topic), "--until-end", "-qq", "--to", to, "-X", f"group.id=once-{topic}"]
    kills = 0
    for i in range(40):
        run = kit.start(*words)
        try:
            run.process.wait(rng.uniform(0.1, 1) if kills else 0.1)  # too short for the whole topic
            equal(run.process.returncode, 0, run.said())
            break
        except subprocess.TimeoutExpired:
            run.send(signal.SIGKILL)
            run.process.wait()
            kills += 1
    else:
        kit.start(*words).end(0)
    equal(kills > 0, True, "there was a kill")
    wait_until("transactions of those killed are ended", lambda: kit.tool.count(to) >= n)
    origins = [m[3] for m in kit.tool.read(to)]
    equal((len(origins), len(set(origins))), (n, n), "answers, and different ones")


@case
def zombies(kit):
    """A second run of the same topics and group takes over: the first one ends with a message. Another group does not."""
    model = kit.of_file(rows(300))
    topic, to = kit.topic(rows(10)), kit.topic()
    words = ["predict", "-m", model, *kit.kafka(topic), "--to", to, "-X"]
    first = kit.start(*words, f"group.id=z-{topic}")
    wait_until("the first answers", lambda: kit.tool.count(to) == 10)
    other = kit.start(*words, f"group.id=z-{topic}-1")
    wait_until("answers of another group", lambda: kit.tool.count(to) == 20)
    second = kit.start(*words, f"group.id=z-{topic}")
    kit.send(topic, rows(1))  # which of the two takes it is not said
    time.sleep(1)
    kit.send(topic, rows(4))
    wait_until("answers of two groups", lambda: kit.tool.count(to) == 30)
    has(first.end(1), "another run")
    for run in (second, other):
        run.end(128 + signal.SIGTERM, signal.SIGTERM)
    origins = [m[3] for m in kit.tool.read(to)]
    equal(sorted(origins.count(o) for o in set(origins)), [2] * 15, "each once for each group")


# ---- outages -----------------------------------------------------------------------------------------------------------


class OwnBroker:
    """A broker, a kit for it and a run that learns from it."""

    def __init__(self, kit):
        self.broker = broker.Broker(os.path.join(kit.folder, f"broker-{kit.name}")).start()
        kit.tool = Tool(kit.given.tool, self.broker.bootstrap)

    def __enter__(self):
        return self.broker

    def __exit__(self, *_):
        self.broker.stop()


@outage
def broker_stops_and_freezes(kit):
    """Learning and answering go on by themselves, with nothing lost and nothing twice; the log says both."""
    with OwnBroker(kit) as own:
        lines = rows(3000)
        topic, to, model, plain = kit.topic(lines[:1000]), kit.topic(), kit.path("model"), kit.of_file(rows(300))
        run = kit.start_training(topic, model, "--save-every", "1s")
        answering = kit.start("predict", "-m", plain, *kit.kafka(topic), "--to", to, "-X", "group.id=g",
                              "-X", "transaction.timeout.ms=3000")
        wait_until("the first messages", lambda: kit.count(model) == 1000)
        wait_until("the first answers", lambda: kit.tool.count(to) == 1000)
        own.stop()
        run.until_said("no broker answers")
        time.sleep(2)
        own.start()
        run.until_said("a broker answers again")  # without any message
        kit.tool("produce", topic, "-p", 0, lines=lines[1000:2000], seconds=120)
        wait_until("messages after the stop", lambda: kit.count(model) == 2000)
        own.freeze()
        time.sleep(3)
        own.thaw()
        kit.tool("produce", topic, "-p", 0, lines=lines[2000:], seconds=120)
        wait_until("messages after the frost", lambda: kit.count(model) == 3000)
        wait_until("answers", lambda: kit.tool.count(to) >= 3000)
        said = run.end(128 + signal.SIGTERM, signal.SIGTERM)
        has(said, "no broker answers", "a broker answers again")
        equal(said.count("no broker answers"), 1, "how often it is said")
        answering.end(128 + signal.SIGTERM, signal.SIGTERM)
        kit.same(model, lines)
        origins = [m[3] for m in kit.tool.read(to)]
        equal((len(origins), len(set(origins))), (3000, 3000), "answers, and different ones")
        # a signal while the broker is away: the model is saved
        kit.tool("produce", topic, "-p", 0, lines=lines[:10])
        run = kit.start_training(topic, model, "--save-every", 3)
        wait_until("saves", lambda: kit.count(model) >= 3009)
        answering = kit.start("predict", "-m", plain, *kit.kafka(topic), "--to", to, "-X", "group.id=g")
        wait_until("the last answers", lambda: kit.tool.count(to) == 3010)
        own.kill()
        run.until_said("no broker answers")
        for running in (run, answering):
            began = time.monotonic()
            running.end(128 + signal.SIGTERM, signal.SIGTERM)
            equal(time.monotonic() - began < 8, True, f"it ends soon: {time.monotonic() - began:.1f} s")
        equal(kit.count(model), 3010, "examples")


@outage
def signals_while_brokers_hang(kit):
    """A run that waits for answers that do not come ends at a signal; what was learned is saved, and nothing is answered
    twice."""
    with OwnBroker(kit) as own:
        plain, model, lines = kit.of_file(rows(300)), kit.path("model"), rows(100) * 1000
        topic, to, bad, letters = kit.topic(rows(1000)), kit.topic(), kit.topic(rows(5) + ["1 x"] * 50), kit.topic()
        answering = ["predict", "-m", plain, *kit.kafka(topic), "--to", to, "-X", "group.id=g"]
        kit.run(*answering, "--until-end", "-qq")  # the first transaction of a broker takes longer than one call may
        runs = [kit.start_training(topic, model, "-X", "group.id=w", "--save-every", "1s"), kit.start(*answering)]
        wait_until("the first messages", lambda: kit.count(model) == 1000)
        kit.send(topic, lines)
        wait_until("some of the others", lambda: kit.count(model) > 1000)
        own.freeze()
        for run in runs:
            run.end(128 + signal.SIGTERM, signal.SIGTERM, seconds=30)
        equal(kit.count(model), kit.next(model, topic), "examples and position")
        own.thaw()
        kit.train(topic, model=model)
        kit.same(model, rows(1000) + lines)
        kit.run(*answering, "--until-end", "-qq")
        origins = [m[3] for m in kit.tool.read(to)]
        equal((len(origins), len(set(origins))), (101000, 101000), "answers, and different ones")
        # dead letters that are not delivered: the model stays in front of their messages, whatever ended the run
        model = kit.path("model")
        run = kit.start_training(bad, model, "--on-error", "skip", "--dead-letters", letters, "-X", "linger.ms=20000")
        time.sleep(1)  # the letters linger
        own.freeze()
        has(run.end(1, signal.SIGTERM, seconds=30), "not saved past messages")
        equal(os.path.exists(model), False, "a model past the messages")
        own.thaw()


@outage
def mock_cluster(kit):
    """A slow network, a leader that moves, brokers that fail, errors of the protocol."""
    lines = rows(4000)
    with Mock(kit.given.tool, kit.folder, brokers=3, topics={"events": 2}) as mock:
        def learn(model, *words):
            return kit.start_training("events", model, "--save-every", "1s", "-X", "reconnect.backoff.max.ms=500", *words, tool=mock.tool)

        def send(first, last):
            for p in range(2):
                mock.tool("produce", "events", "-p", p, lines=lines[first:last])

        model = kit.path("model")
        send(0, 500)
        mock.do("rtt 200")
        run = learn(model)
        wait_until("messages of a slow network", lambda: kit.count(model) == 1000)
        mock.do("rtt 0")
        mock.do("leader events 0 2")
        mock.do("leader events 1 3")
        send(500, 1000)
        wait_until("messages of other leaders", lambda: kit.count(model) == 2000)
        mock.do("error Fetch NOT_LEADER_FOR_PARTITION _TRANSPORT UNKNOWN_TOPIC_OR_PART _TRANSPORT")
        mock.do("error ListOffsets NOT_LEADER_FOR_PARTITION")
        send(1000, 1500)
        wait_until("messages after errors", lambda: kit.count(model) == 3000 or run.process.poll() is not None)
        mock.do("down 1")
        mock.do("leader events 0 3")
        send(1500, 2000)
        wait_until("messages without a broker", lambda: kit.count(model) == 4000 or run.process.poll() is not None)
        run.end(128 + signal.SIGTERM, signal.SIGTERM)
        equal(kit.positions(model), {("events", 0): 2000, ("events", 1): 2000}, "positions")
        equal(kit.count(model), 4000, "examples")
        # what librdkafka tries again all the time is not said all the time
        mock.do("error Fetch " + "UNKNOWN " * 6)
        said = kit.train("events", "--from", "beginning", tool=mock.tool)[1].stderr
        equal(said.count("Unknown broker error"), 1, f"how often it is said in {said}")
        # brokers that do not take the positions: it is said, and the run is a good one
        mock.do("up 1")
        mock.do("error OffsetCommit GROUP_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED GROUP_AUTHORIZATION_FAILED")
        said = kit.train("events", "-X", "group.id=g", model=model, tool=mock.tool)[1].stderr
        has(said, "-X group.id=g", "do not take the positions", "Group authorization failed")


# ------------------------------------------------------------------------------------------------------------------------


def run_all(given, cases, tool):
    failed = []
    for name in given.cases or list(cases):
        folder = tempfile.mkdtemp(prefix=f"sluice-{name}-")
        kit = Kit(given, folder, tool, name.replace("_", "-"))
        began = time.monotonic()
        try:
            cases[name](kit)
            print(f"{name}: {time.monotonic() - began:.1f} s", flush=True)
        except Exception:
            failed.append(name)
            print(f"{name}: FAILED\n{traceback.format_exc()}", flush=True)
        finally:
            kit.close()
            shutil.rmtree(folder, ignore_errors=True)
    if failed:
        print("failed:", *failed)
    return 1 if failed else 0


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--tool", required=True)
    parser.add_argument("--broker", metavar="FOLDER")
    parser.add_argument("--outages", action="store_true")
    parser.add_argument("cases", nargs="*", metavar="CASE")
    given = parser.parse_args()
    cases = OUTAGES if given.outages else CASES
    for name in given.cases:
        if name not in cases:
            parser.error(f"{name}: the cases are {', '.join(cases)}")
    try:
        broker.prepare() if given.outages else None
        return run_all(given, cases, None if given.outages else Tool(given.tool, broker.started_in_background(given.broker)))
    except broker.Missing as missing:
        print(f"skipped: {missing}")
        return broker.SKIP


if __name__ == "__main__":
    sys.exit(main())
