"""Kills sluice at random moments and system calls, and looks at what is left.

SIGKILL, SIGTERM, SIGINT and SIGHUP after random delays, and at random calls of open, write, fsync, rename and so on
(fault_shim.c), also in the middle of a write. Afterwards the file that was to be written is the old one, the new one, or a
model of the first examples of the stream, to the byte; the same command, or going on behind the checkpoint, then gives what
an undisturbed run gives, whatever was left lying about. Only SIGKILL may leave files behind."""

import collections
import gzip
import json
import os
import random
import re
import signal
import subprocess
import sys
import time

import torture_run
from torture_run import OLD_MODE, say

SHORT_ROWS = 40
ROWS = 5000  # signals are looked at every 1,024 rows
LEFT_BEHIND = re.compile(r"\.sluice-\d+-[0-9a-f]+\.tmp|\..*\.sluice-(lock|new)")
SIGNALS = {"kill": signal.SIGKILL, "term": signal.SIGTERM, "int": signal.SIGINT, "hup": signal.SIGHUP}
CALLS = ("open", "write", "sync", "close", "rename", "unlink", "lock", "truncate", "mode", "stat")


class Scenario:
    """A command that writes `output`. `old`: what is there before (name: file of the inputs). `learns`: how many examples
    its model has at the beginning, where a part of the stream can be the result."""

    def __init__(self, name, command, output, old=None, learns=None, data="../in/long.svm"):
        self.name, self.arguments, self.output = name, command.split(), output
        self.old, self.learns, self.data = old or {}, learns, data


def scenarios():
    old = {"m": "short.model"}
    return [
        Scenario("train.new", "train ../in/long.svm -o m -q --threads 1", "m", learns=0),
        Scenario("train.replace", "train ../in/long.svm -o m -q --threads 2", "m", old, learns=0),
        Scenario("train.names", "train ../in/long.vw -o m -q --threads 2", "m", old, learns=0, data="../in/long.vw"),
        Scenario("train.packed", "train ../in/long.svm.gz -a arow -o m -q --threads 2", "m", old, learns=0,
                 data="../in/long.svm.gz"),
        Scenario("train.resume", "train -i m -o m ../in/long.svm -q --threads 1", "m", old, learns=SHORT_ROWS),
        Scenario("train.batches", "train ../in/long.svm -a sbcw -P features=20 -P batch=700 -P iterations=2 -P refit=2 -o m -q "
                 "--threads 2", "m", old, learns=0),
        Scenario("convert.replace", "convert ../in/long.svm -o o.vw -q --threads 2", "o.vw", {"o.vw": "short.svm"}),
        Scenario("convert.in_place", "convert o.svm -o o.svm --shuffle 3 -q --threads 2", "o.svm", {"o.svm": "long.svm"}),
        Scenario("convert.new", "convert ../in/long.svm -o o.bin -q --threads 1", "o.bin"),
        Scenario("train.save_every", "train ../in/long.svm -o m --save-every 300 -q --threads 1", "m", learns=0),
        Scenario("train.save_every.replace", "train ../in/long.vw -o m --save-every 500 -q --threads 2", "m", old, learns=0,
                 data="../in/long.vw"),
        Scenario("train.save_every.resume", "train -i m -o m ../in/long.svm --save-every 250 -q --threads 2", "m", old,
                 learns=SHORT_ROWS),
    ]


def make_inputs(sluice, folder, rows_of_long):
    os.makedirs(folder)
    draw = random.Random(7)

    def rows(n):
        for _ in range(n):
            yield draw.choice((-1, 1)), sorted({int(20000 * draw.random()**3) for _ in range(8)})

    def put(name, content):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content)

    for name, n in (("short", SHORT_ROWS), ("long", rows_of_long)):
        drawn = list(rows(n))
        put(f"{name}.svm", "".join(f"{y} " + " ".join(f"{i}:1" for i in ids) + "\n" for y, ids in drawn).encode())
        put(f"{name}.vw", "".join(f"{y} | " + " ".join(f"w{i}" for i in ids) + "\n" for y, ids in drawn).encode())
    with open(os.path.join(folder, "long.svm"), "rb") as f:
        put("long.svm.gz", gzip.compress(f.read(), mtime=0))
    subprocess.run([sluice, "train", "short.svm", "-o", "short.model", "-q"], cwd=folder, stdout=subprocess.DEVNULL, check=True)


class Judge:
    """What a scenario may leave, known from an undisturbed run."""

    def __init__(self, runner, scenario, inputs):
        self.runner, self.scenario, self.inputs = runner, scenario, inputs
        self.old = {}
        for name, source in scenario.old.items():
            with open(os.path.join(inputs, source), "rb") as f:
                self.old[name] = f.read()
        self.before = (self.old[scenario.output], OLD_MODE) if scenario.output in self.old else None
        times = []
        for _ in range(3):
            runner.lay_out(self.old)
            begun = time.monotonic()
            self.reference = runner.run(scenario.arguments)
            times.append(time.monotonic() - begun)
        if self.reference.status != 0:
            raise torture_run.CannotRun(f"{scenario.name}: {self.reference.err.decode('utf-8', 'replace')}")
        self.seconds = sorted(times)[1]
        self.after = self.reference.files[scenario.output]
        self.calls = [(c, k) for c in CALLS for k in range(1, self.reference.calls[c] + 1)]
        self.parts = {}  # examples: the model of so many

    def disturb(self, way):
        """One run. `way`: ("delay", signal, share of the run), ("save", share, share): SIGUSR1, then SIGKILL; or ("call",
        share, effect)."""
        self.runner.lay_out(self.old)
        if way[0] == "call":
            kind, k = self.calls[int(way[1] * len(self.calls))]
            return self.runner.run(self.scenario.arguments, fault=f"{kind}:{k}:{way[2]}")
        pid = self.runner.start(self.scenario.arguments)
        steps = [(way[2], SIGNALS[way[1]])] if way[0] == "delay" else [(way[1], signal.SIGUSR1), (way[2], signal.SIGKILL)]
        for share, number in steps:
            time.sleep(share * self.seconds)
            os.kill(pid, number)  # not waited for yet: the number is still its own
        return self.runner.wait()

    def part(self, examples):
        """The model of the old one, if the run begins with it, and the first so many rows."""
        if examples not in self.parts:
            learned = examples - self.scenario.learns
            words = self.scenario.arguments
            rows = self.first_rows(learned)
            with open(self.runner.folder + ".rows", "wb") as f:
                f.write(rows)
            self.runner.lay_out({})
            into = os.path.join(self.inputs, self.scenario.old["m"]) if "-i" in words else None
            kept = [w for w in words[1:] if w not in ("-q", self.scenario.data)]
            for option in ("--save-every", "-o", "-i"):
                if option in kept:
                    i = kept.index(option)
                    del kept[i:i + 2]
            form = "vw" if self.scenario.data.endswith(".vw") else "libsvm"
            end = self.runner.run(["train", *kept, *(["-i", into] if into else []), "-o", "p", "-qq", "-f", form,
                                   self.runner.folder + ".rows"])
            self.parts[examples] = end.files["p"][0] if end.status == 0 else None
        return self.parts[examples]

    def first_rows(self, n):
        data = os.path.join(self.runner.folder, self.scenario.data)
        with (gzip.open if data.endswith(".gz") else open)(data, "rb") as f:
            return b"".join(line for _, line in zip(range(n), f))

    def violations(self, way, end):
        hard = way[0] == "save" or way[1] == "kill" or way[2] in ("kill", "after", "half")
        if end.hung:
            return ["hangs"], "hangs"
        wrong = []
        number = signal.SIGKILL if hard else SIGNALS[way[1] if way[0] == "delay" else way[2]]
        if end.status not in (0, -number, 128 + number) and not (way[0] == "save" and end.status == -signal.SIGUSR1):
            wrong.append(f"status {end.status}: {end.err.decode('utf-8', 'replace')[-200:]}")
        left = [n for n in end.files if n != self.scenario.output]
        if not hard and left or end.status == 0 and left:
            wrong.append("a file is left behind: " + re.sub(r"[0-9a-f]{3,}", "N", " ".join(left)))
        for name in left:
            if not LEFT_BEHIND.fullmatch(name):
                wrong.append(f"an unknown file is left behind: {name}")
        found = end.files.get(self.scenario.output)
        if found == self.after:
            return wrong + self.hidden_remains(end), "new"
        if end.status == 0:
            return wrong + ["status 0, but the file is not the new one"], "damaged"
        if found == self.before:
            again = self.runner.run(self.scenario.arguments)
            return wrong + self.completed(again, "the same command"), "old"
        if self.scenario.learns is None or found is None:
            return wrong + [f"{self.scenario.output} is {'gone' if found is None else 'neither old nor new'}"], "damaged"
        return wrong + self.checkpoint(found, end.files), "checkpoint"

    def checkpoint(self, found, files):
        wrong = []
        wanted_mode = OLD_MODE if self.before else 0o644
        if found[1] != wanted_mode:
            wrong.append(f"the model has mode {found[1]:o}")
        seen = self.runner.run(["inspect", "--json", "m"])
        if seen.status != 0:
            return wrong + [f"the model cannot be loaded: {seen.err.decode('utf-8', 'replace')}"]
        learned = json.loads(seen.out)["examples"] - self.scenario.learns
        words = list(self.scenario.arguments)
        if "-i" not in words:
            for option in ("-a", "-P"):
                while option in words:
                    i = words.index(option)
                    del words[i:i + 2]
            words += ["-i", "m"]
        again = self.runner.run([*words, "--skip", str(learned)])
        wrong += self.completed(again, f"going on behind {learned} examples")
        if self.part(learned + self.scenario.learns) != found[0]:
            wrong.append(f"it is not the model of the first {learned} examples")
        return wrong

    def completed(self, end, what):
        if end.status != 0:
            return [f"{what} fails afterwards: {end.err.decode('utf-8', 'replace')[-200:]}"]
        if end.files.get(self.scenario.output, (None,))[0] != self.after[0]:
            return [f"{what} gives another file afterwards"]
        return self.hidden_remains(end)

    @staticmethod
    def hidden_remains(end):
        if end.status == 0 and any(n.endswith((".sluice-lock", ".sluice-new")) for n in end.files):
            return ["a hidden file of the model remains after a run that ended well"]
        return []


judges = {}


def judge_of(scenario):
    if scenario.name not in judges:
        judges[scenario.name] = Judge(torture_run.runner, scenario, torture_run.inputs)
    return judges[scenario.name]


def run_ways(job):
    scenario, ways = job
    judge = judge_of(scenario)
    results = []
    for number, way in ways:
        end = judge.disturb(way)
        wrong, state = judge.violations(way, end)
        results.append((number, state, wrong))
    return scenario.name, results


def draw_way(draw, can_save):
    soft = ["term", "int", "hup"]
    if can_save and draw.random() < 0.1:
        return "save", draw.random(), draw.random()
    if draw.random() < 0.5:
        return "delay", draw.choice(["kill", "kill", *soft]), 1.1 * draw.random()
    return "call", draw.random(), draw.choice(["kill", "after", "half", *(s for s in soft if s != "hup")])


def main():
    parser = torture_run.new_parser(__doc__)
    parser.add_argument("--kills", type=int, default=10000, help="how many runs are killed")
    parser.add_argument("--number", type=int, help="the kill with this number alone")
    options = torture_run.parse(parser)
    begun = time.monotonic()

    def run(base):
        make_inputs(options.sluice, os.path.join(base, "in"), ROWS)
        return run_all(options, base, begun)

    return torture_run.in_folder_for_runs(run)


def run_all(options, base, begun):
    every = [s for s in scenarios() if re.search(options.case, s.name)]
    draw = random.Random(options.seed)
    plan = []
    for number in range(options.kills):
        scenario = draw.choice(every)
        plan.append((scenario, number, draw_way(draw, "train" in scenario.name)))
    if options.number is not None:
        plan = [p for p in plan if p[1] == options.number]
    ways = {number: way for _, number, way in plan}
    # workers stay with a scenario for a while: its undisturbed run and checkpoints are kept
    jobs, by_name = [], collections.defaultdict(list)
    for scenario, number, way in plan:
        by_name[scenario.name].append((number, way))
    for scenario in every:
        drawn = by_name[scenario.name]
        jobs += [(scenario, drawn[i:i + 50]) for i in range(0, len(drawn), 50)]
    states, found, runs = collections.Counter(), [], 0
    with torture_run.workers(options, base) as pool:
        last = time.monotonic()
        for name, results in pool.imap_unordered(run_ways, jobs):
            for number, state, wrong in results:
                runs += 1
                states[state] += 1
                found += [(name, number, w) for w in wrong]
            if time.monotonic() - last > 30:
                last = time.monotonic()
                say(f"  {runs} kills, {len(found)} violations, {last - begun:.0f} s")
    kinds = collections.defaultdict(list)
    for name, number, wrong in found:
        kinds[name, wrong].append(number)
    for (name, wrong), those in sorted(kinds.items(), key=lambda item: -len(item[1])):
        say(f"\n{len(those)} x {name}: {wrong}\n    {ways[those[0]]}\n    "
            f"{options.command} --seed {options.seed} --kills {options.kills} "
            f"{f'--case {options.case!r} ' if options.case else ''}--number {those[0]}")
    say(f"crash test: {runs} kills ({', '.join(f'{n} {s}' for s, n in sorted(states.items()))}), {len(found)} violations, "
        f"{time.monotonic() - begun:.0f} s")
    return 1 if found or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
