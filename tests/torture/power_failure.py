"""Simulates power failures: what a file system may keep of a run that was cut off, and whether the file is whole.

fault_shim.c writes down every change to files: opening, writing, truncating, syncing, renaming, removing. The log is cut
off at every place. What had been synced is there; of the rest any part may be: writes are kept, lost, torn, or leave zeros;
names that were made, renamed or removed since the folder was last synced are the old or the new ones, each by itself. In
every such state the file that the run writes must be an old or a new one, whole; the new one if the run had ended. Then the
same command is run in what is left, and must give what an undisturbed run gives."""

import collections
import hashlib
import os
import random
import re
import struct
import sys
import time

import crash_test
import torture_run
from torture_run import say

RECORD = struct.Struct("Iiqqq")  # struct record of fault_shim.c: I and i, then three of 64 bits


class Inode:
    """The content of a file: what is on the disk at the beginning, and changes ("write", at, bytes), ("cut", size), ("sync",),
    each with its place in the log."""

    def __init__(self, content=b""):
        self.content, self.changes = content, []

    @staticmethod
    def apply(content, change):
        if change[0] == "cut":
            return content[:change[1]].ljust(change[1], b"\0")
        at, new = change[1], change[2]
        return content[:at].ljust(at, b"\0") + new + content[at + len(new):]

    def at(self, place, draw):
        """What may be on the disk when the log is cut off before `place`; draw None: all of it."""
        changes = [c for p, c in self.changes if p < place]
        synced = max((i for i, c in enumerate(changes) if c[0] == "sync"), default=-1)
        content = self.content
        for i, change in enumerate(changes):
            if change[0] == "sync":
                continue
            if i > synced and draw:
                change = damaged(change, draw)
            if change:
                content = self.apply(content, change)
        return content


def damaged(change, draw):
    """What is left of a change that was not synced; None: nothing."""
    fate = draw.choose(["kept", "lost", "torn", "zeros"])
    if fate == "kept":
        return change
    if fate == "lost":
        return None
    if change[0] == "cut":
        return change
    at, new = change[1], change[2]
    if fate == "zeros":
        return "write", at, bytes(len(new))
    n = draw.random.randrange(len(new) + 1)
    if draw.random.random() < 0.5:
        n -= n % 512
    rest = draw.random.choice([b"", bytes(len(new) - n)])
    return ("write", at, new[:n] + rest) if n or rest else None


class Draw:
    """How the file system decides: always the same, or at random."""

    def __init__(self, seed, always=None):
        self.random, self.always = random.Random(seed), always

    def choose(self, fates):
        return self.always if self.always in fates else self.random.choice(fates)


class Log:
    """A run: inodes, and changes of names: (place, "bind", name, inode), (place, "drop", name), (place, "sync")."""

    def __init__(self, path, folder, before):
        self.folder = os.path.realpath(folder)
        self.inodes = [Inode(content) for content in before.values()]
        self.first_names = {name: i for i, name in enumerate(before)}
        self.names, self.name_changes, self.length = dict(self.first_names), [], 0
        open_files = {}
        for place, (kind, fd, a, b, data) in enumerate(self.records(path)):
            self.length = place + 1
            if kind == "o":
                open_files[fd] = self.opened(place, self.name_of(data[:-1].decode()), a, b)
            elif kind == "c":
                open_files.pop(fd, None)
            elif kind == "r":
                old, new = self.name_of(data[:a - 1].decode()), self.name_of(data[a:-1].decode())
                inode = self.names.pop(old)
                self.names[new] = inode
                self.name_changes.append((place, "bind", new, inode))
                if old != new:
                    self.name_changes.append((place, "drop", old))
            elif kind == "u":
                name = self.name_of(data[:-1].decode())
                self.names.pop(name, None)
                self.name_changes.append((place, "drop", name))
            elif open_files.get(fd) == "folder":
                if kind == "s":
                    self.name_changes.append((place, "sync"))
            elif open_files.get(fd) is not None:
                inode = self.inodes[open_files[fd]]
                inode.changes.append((place, {"w": ("write", a, data), "t": ("cut", a), "s": ("sync",)}[kind]))

    @staticmethod
    def records(path):
        with open(path, "rb") as f:
            log = f.read()
        at = 0
        while at < len(log):
            kind, fd, a, b, n = RECORD.unpack_from(log, at)
            at += RECORD.size
            yield chr(kind), fd, a, b, log[at:at + n]
            at += n

    def name_of(self, path):
        """The name of a file in the folder of the run; "" for the folder; None: elsewhere."""
        path = os.path.normpath(os.path.join(self.folder, path))
        if path == self.folder:
            return ""
        return os.path.basename(path) if os.path.dirname(path) == self.folder else None

    def opened(self, place, name, created, flags):
        if name is None:
            return None
        if name == "":
            return "folder"
        if created:
            self.inodes.append(Inode())
            self.names[name] = len(self.inodes) - 1
            self.name_changes.append((place, "bind", name, self.names[name]))
        elif flags & os.O_TRUNC:
            self.inodes[self.names[name]].changes.append((place, ("cut", 0)))
        return self.names[name]

    def state(self, place, draw=None):
        """The folder (name: content) when the log is cut off before `place`."""
        changes = [c for c in self.name_changes if c[0] < place]
        synced = max((i for i, c in enumerate(changes) if c[1] == "sync"), default=-1)
        names = dict(self.first_names)
        for i, (_, what, *names_of) in enumerate(changes):
            if what == "sync" or i > synced and draw and draw.choose(["kept", "lost"]) == "lost":
                continue
            if what == "bind":
                names[names_of[0]] = names_of[1]
            else:
                names.pop(names_of[0], None)
        contents = {}
        for name, inode in names.items():
            contents[name] = self.inodes[inode].at(place, draw)
        return contents

    def versions(self, output):
        """What the file was, one after the other, as the running program saw it."""
        seen = []
        for place in range(self.length + 1):
            content = self.state(place).get(output)
            if not seen or seen[-1] != content:
                seen.append(content)
        return seen


class Case:
    """One scenario's run and its states."""

    def __init__(self, runner, scenario, inputs):
        self.runner, self.scenario = runner, scenario
        self.old = {}
        for name, source in scenario.old.items():
            with open(os.path.join(inputs, source), "rb") as f:
                self.old[name] = f.read()
        log = runner.folder + ".log"
        if os.path.exists(log):
            os.unlink(log)
        runner.lay_out(self.old)
        end = runner.run(scenario.arguments, log=log)
        if end.status != 0:
            raise torture_run.CannotRun(f"{scenario.name}: {end.err.decode('utf-8', 'replace')}")
        self.log = Log(log, runner.folder, self.old)
        self.after = end.files[scenario.output][0]
        replayed = self.log.state(self.log.length)
        if replayed != {name: content for name, (content, _) in end.files.items()}:
            raise torture_run.CannotRun(f"{scenario.name}: the log does not give the files of the run: "
                                        f"{sorted(replayed)} {sorted(end.files)}")
        self.whole = set(self.log.versions(scenario.output))
        self.seen, self.loaded = set(), set()

    def draw_states(self, seed, rounds):
        """Every place, with everything kept, everything lost, and so many times at random."""
        for place in range(self.log.length + 1):
            for always in ("kept", "lost", "torn", "zeros"):
                yield place, f"{place}:{always}", self.log.state(place, Draw(seed, always))
            for i in range(rounds):
                yield place, f"{place}:{i}", self.log.state(place, Draw(seed * 1000003 + place * 1009 + i))

    def violations(self, place, state):
        found = state.get(self.scenario.output)
        if place == self.log.length and found != self.after:
            return ["the run had ended, and the file is not the new one"]
        if found not in self.whole:
            return ["the file is neither an old nor a new one"]
        key = hashlib.sha256(repr(sorted(state.items())).encode()).digest()
        if key in self.seen:
            return []
        self.seen.add(key)
        self.runner.lay_out(state)
        wrong = self.load(found)
        if found == self.after or self.scenario.old.get(self.scenario.output) and found != self.old[self.scenario.output]:
            return wrong  # there is nothing to do again, or it would learn twice
        end = self.runner.run(self.scenario.arguments)
        if end.status != 0:
            wrong.append(f"the same command fails afterwards: {end.err.decode('utf-8', 'replace')[-200:]}")
        elif end.files[self.scenario.output][0] != self.after:
            wrong.append("the same command gives another file afterwards")
        return wrong

    def load(self, found):
        if found is None or self.scenario.output != "m" or found in self.loaded:
            return []
        self.loaded.add(found)
        end = self.runner.run(["inspect", "m"])
        return [] if end.status == 0 else [f"the model cannot be loaded: {end.err.decode('utf-8', 'replace')}"]


def run_scenario(job):
    scenario, options = job
    case = Case(torture_run.runner, scenario, torture_run.inputs)
    found, states = [], 0
    drawn = list(case.draw_states(options.seed, options.rounds))
    if options.sample and options.sample < len(drawn):
        drawn = random.Random(options.seed).sample(drawn, options.sample)
    for place, name, state in drawn:
        if options.state and options.state != name:
            continue
        states += 1
        found += [(scenario.name, name, w, sorted((n, len(c)) for n, c in state.items())) for w in case.violations(place, state)]
    return states, len(case.seen), found


def main():
    parser = torture_run.new_parser(__doc__)
    parser.add_argument("--rounds", type=int, default=40, help="random states for every place in the log")
    parser.add_argument("--sample", type=int, help="so many states of every scenario, drawn from all")
    parser.add_argument("--state", help="this state alone")
    options = torture_run.parse(parser)
    begun = time.monotonic()

    def run(base):
        crash_test.make_inputs(options.sluice, os.path.join(base, "in"), 600)
        return run_all(options, base, begun)

    return torture_run.in_folder_for_runs(run)


def run_all(options, base, begun):
    every = [s for s in crash_test.scenarios() if re.search(options.case, s.name)]
    states, distinct, found = 0, 0, []
    with torture_run.workers(options, base) as pool:
        for n, m, wrong in pool.imap_unordered(run_scenario, [(s, options) for s in every]):
            states, distinct = states + n, distinct + m
            found += wrong
    kinds = collections.defaultdict(list)
    for name, state, wrong, files in found:
        kinds[name, wrong].append((state, files))
    for (name, wrong), those in sorted(kinds.items(), key=lambda item: -len(item[1])):
        say(f"\n{len(those)} x {name}: {wrong}\n    {those[0][1]}\n    {options.command} "
            f"--seed {options.seed} --rounds {options.rounds} --case '^{re.escape(name)}$' --state {those[0][0]}")
    say(f"power failure: {states} states ({distinct} different ones), {len(found)} violations, {time.monotonic() - begun:.0f} s")
    return 1 if found or not states else 0


if __name__ == "__main__":
    sys.exit(main())
