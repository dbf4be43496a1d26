"""Runs sluice with one failing system call or allocation at a time, over every command and learner, and judges the end.

A run is first made undisturbed, which counts its calls; then each call fails in turn (fault_shim.c). A disturbed run must
end with status 1, a message that says what failed, old files as they were (bytes and permissions) and nothing left
behind; or with status 0 and exactly the bytes, in files and on standard output, of the undisturbed run."""

import collections
import os
import random
import re
import signal
import sys
import time

import torture_cases
import torture_run
from torture_run import OLD_MODE, Runner, say

# class of calls: its effects; "+": that call and all later ones
EFFECTS = {
    "alloc": ["ENOMEM", "+ENOMEM"],
    "loading": ["ENOMEM"],  # for good: see fault_shim.c
    "open": ["EIO", "EACCES", "EMFILE", "+EMFILE", "EINTR"],
    "read": ["EIO", "EINTR", "short", "one", "+one"],
    "write": ["EIO", "ENOSPC", "+ENOSPC", "EINTR", "short", "+short", "+one"],
    "stderr": ["EIO", "+EIO", "EINTR"],
    "sync": ["EIO", "+EIO", "ENOSPC", "EINTR"],
    "close": ["EIO", "ENOSPC", "EINTR"],
    "rename": ["EIO", "ENOSPC", "EACCES"],
    "unlink": ["EIO", "EACCES"],
    "filemap": ["ENOMEM", "ENODEV", "+ENOMEM"],
    "pipe": ["EMFILE", "+EMFILE"],
    "thread": ["EAGAIN", "+EAGAIN"],
    "truncate": ["EIO", "ENOSPC", "EINTR"],
    "lock": ["EIO", "ENOLCK", "EINTR", "+ENOLCK"],
    "stat": ["EIO", "EACCES", "ENOMEM", "+EIO"],
    "dup": ["EMFILE"],
    "mode": ["EPERM", "EIO"],
    "seek": ["EIO"],
    "poll": ["EINTR", "ENOMEM"],
    "random": ["ENOSYS", "EAGAIN", "+ENOSYS"],
}
REPORT_OF_SANITIZER = re.compile(rb"AddressSanitizer|ThreadSanitizer|LeakSanitizer|runtime error:")


class Judge:
    """What a case may leave behind, known from an undisturbed run."""

    def __init__(self, runner, case, inputs):
        self.runner, self.case = runner, case
        self.old = {}
        for name, source in case.old.items():
            with open(os.path.join(inputs, source), "rb") as f:
                self.old[name] = f.read()
        self.checkpoints = []
        for part in case.parts:
            runner.lay_out({})
            self.checkpoints.append(runner.run([*part, "-o", "m", "-q"]).files["m"][0])
        self.reference = self.run(None)
        again = self.run(None)
        if self.reference.status != 0 or again.status != 0:
            raise torture_run.CannotRun(f"{case.name}: the undisturbed run fails: {self.reference.err.decode('utf-8', 'replace')}")
        self.same_each_time = self.reference.out == again.out and self.reference.files == again.files
        self.calls = {c: max(self.reference.calls[c], again.calls[c]) for c in self.reference.calls}

    def run(self, fault):
        self.runner.lay_out(self.old)
        return self.runner.run(self.case.arguments, fault=fault, stdin=self.case.stdin)

    def faults(self):
        for kind, effects in EFFECTS.items():
            for effect in effects:
                later = "+" if effect[0] == "+" else ""
                for k in range(1, self.calls[kind] + 1):
                    yield f"{kind}:{k}{later}:{effect.lstrip('+')}"

    def violations(self, fault, end):
        """What is wrong with the end of a run; empty: nothing."""
        kind, _, effect = fault.split(":")
        wrong = []
        if end.hung:
            return ["hangs"]
        if end.status < 0:
            return [f"ended by {signal.Signals(-end.status).name}"]
        if REPORT_OF_SANITIZER.search(end.err):
            wrong.append("a sanitizer's report")
        if end.status == 0:
            if end.out != self.reference.out:
                wrong.append("status 0 with other output")
            if self._changed(kind, end):
                wrong.append(f"status 0 with other files: {self._changed(kind, end)}")
        elif end.status == 1:
            wrong += self._message(kind, effect, end)
            wrong += self._files_after_failure(kind, end)
        else:
            wrong.append(f"status {end.status}")
        return wrong

    def _changed(self, kind, end):
        wanted = self.reference.files
        return ", ".join(n for n in sorted({*end.files, *wanted})
                         if not self._same(kind, end.files.get(n), wanted.get(n)) and not self._may_stay(kind, n))

    @staticmethod
    def _may_stay(kind, name):
        """Files that are in nobody's way and could not be removed: by the fault; a lock file, because it is not known who
        has the lock, or because the library that was loaded ended the process."""
        return re.match(r"\.sluice-.*\.tmp$|\..*\.sluice-new$", name) and kind == "unlink" or \
            re.match(r"\..*\.sluice-lock$", name) and kind in ("unlink", "lock", "stat", "loading")

    @staticmethod
    def _same(kind, found, wanted):
        """Bytes and mode. Where the old file's mode could not be read or given to the new one, less is allowed; never more."""
        if kind in ("stat", "mode") and found and wanted:
            return found[0] == wanted[0] and not found[1] & ~wanted[1]
        return found == wanted

    def _message(self, kind, effect, end):
        if kind == "stderr":  # the message itself could not be written
            return []
        lines = [l for l in end.err.decode("utf-8", "replace").splitlines() if l.startswith("sluice: ")]
        lines = [l for l in lines if not l.startswith("sluice: warning: ")]
        if not lines:
            return ["status 1 without a message"]
        text = "\n".join(lines)
        if kind in ("alloc", "loading"):
            named = re.search("memory|OpenBLAS.*cannot be loaded", text, re.I)
        else:
            named = effect.startswith("E") and torture_run.error_text(effect) in text
            named = named or re.search("cannot|no memory", text)
        return [] if named else ["a message that does not name what failed"]

    def _files_after_failure(self, kind, end):
        wrong = []
        for name in sorted({*end.files, *self.old}):
            found = end.files.get(name)
            old = (self.old[name], OLD_MODE) if name in self.old else None
            if found == old or self._same(kind, found, self.reference.files.get(name)):
                continue
            if name in self.case.streamed or found and name == "m" and found[0] in self.checkpoints:
                continue
            if name not in self.old and name not in self.reference.files:
                if not self._may_stay(kind, name):
                    wrong.append("a file is left behind: " + re.sub(r"[0-9a-f]{3,}", "N", name))
            elif found is None:
                wrong.append(f"{name} is gone")
            elif old and found[0] == old[0]:
                wrong.append(f"{name} has mode {found[1]:o}")
            else:
                wrong.append(f"{name} is neither old nor new")
        return wrong


judges = {}  # the last one used


def judge_of(case):
    if case.name not in judges:
        judges.clear()
        judges[case.name] = Judge(torture_run.runner, case, torture_run.inputs)
    return judges[case.name]


def plan_case(case):
    judge = judge_of(case)
    return case.name, list(judge.faults()), judge.same_each_time


def run_faults(job):
    case, faults = job
    judge = judge_of(case)
    found, fired = [], 0
    for fault in faults:
        end = judge.run(fault)
        fired += end.fired > 0
        for wrong in judge.violations(fault, end):
            found.append((case.name, fault, wrong, end.where, end.err[-300:]))
    return len(faults), fired, found


def parse_options():
    parser = torture_run.new_parser(__doc__)
    parser.add_argument("--sample", type=int, help="this many runs, drawn from all")
    parser.add_argument("--fault", help="this fault alone (CLASS:K:EFFECT), with all that is printed")
    parser.add_argument("--classes", help="calls of these classes alone, separated by commas")
    parser.add_argument("--list", action="store_true", help="the cases and how many faults each has")
    parser.add_argument("--repeat", type=int, default=1, help="with --fault: as many runs (threads: the order differs)")
    return torture_run.parse(parser)


def run_one(options, cases, base):
    """--fault: what happens, in full."""
    runner = Runner(options.sluice, options.shim, os.path.join(base, "run0"))
    bad = 0
    for case in cases:
        judge = Judge(runner, case, os.path.join(base, "in"))
        for _ in range(options.repeat):
            end = judge.run(options.fault)
            wrong = judge.violations(options.fault, end)
            bad += bool(wrong)
            say(f"{case.name}: sluice {' '.join(case.arguments)}\n  fault {options.fault}: "
                f"{f'happened in {end.where}' if end.fired else 'did not happen'}; status {end.status}\n"
                f"  files: {', '.join(f'{n} ({len(b)} bytes, {m:o})' for n, (b, m) in end.files.items())}\n"
                f"  stderr: {end.err.decode('utf-8', 'replace')}"
                f"  {'VIOLATION: ' + '; '.join(wrong) if wrong else 'as it should be'}")
    return bad


def chunks(jobs, size):
    for case, faults in jobs:
        for i in range(0, len(faults), size):
            yield case, faults[i:i + size]


def report(options, found):
    """Violations, those alike together, with a command that repeats the first of each."""
    kinds = collections.defaultdict(list)
    for case, fault, wrong, where, err in found:
        kinds[wrong, fault.split(":")[0], fault.split(":")[2], case.split(".")[0]].append((case, fault, where, err))
    for (wrong, kind, effect, command), runs in sorted(kinds.items(), key=lambda item: -len(item[1])):
        case, fault, where, err = runs[0]
        say(f"\n{len(runs)} x {command}, {kind} {effect}: {wrong} (the call was made by {where})")
        for line in err.decode("utf-8", "replace").splitlines()[-2:]:
            say(f"    stderr: {line}")
        for case, fault, where, _ in runs[:3]:
            say(f"    {options.command} --case '^{re.escape(case)}$' --fault {fault}")


def main():
    options = parse_options()
    begun = time.monotonic()

    def run(base):
        torture_run.make_inputs(os.path.join(base, "in"))
        torture_cases.make_models(options.sluice, os.path.join(base, "in"))
        cases = [c for c in torture_cases.make_cases(options.sluice) if re.search(options.case, c.name)]
        if options.fault:
            return 1 if run_one(options, cases, base) else 0
        with torture_run.workers(options, base) as pool:
            return run_all(options, pool, cases, begun)

    return torture_run.in_folder_for_runs(run)


def run_all(options, pool, cases, begun):
    by_name = {c.name: c for c in cases}
    wanted = set(options.classes.split(",")) if options.classes else set(EFFECTS)
    plan, unsteady = [], []
    for name, faults, same in pool.imap(plan_case, cases):
        plan.append((by_name[name], [f for f in faults if f.split(":")[0] in wanted]))
        if not same:
            unsteady.append(name)
    if options.list:
        for case, faults in plan:
            say(f"{len(faults):6} {case.name}: sluice {' '.join(case.arguments)}")
    total = sum(len(f) for _, f in plan)
    say(f"{len(plan)} cases, {total} faults" + (f", of which {min(options.sample, total)} are drawn (seed {options.seed})"
                                              if options.sample else ""))
    if options.list:
        return 0
    if options.sample:
        every = [(case, f) for case, faults in plan for f in faults]
        drawn = random.Random(options.seed).sample(every, min(options.sample, len(every)))
        kept = collections.defaultdict(list)
        for case, fault in drawn:
            kept[case.name].append(fault)
        plan = [(case, kept[case.name]) for case, _ in plan]
    runs, fired, found = 0, 0, [(n, "none:0:none", "two undisturbed runs differ", "", b"") for n in unsteady]
    last = time.monotonic()
    for n, f, wrong in pool.imap_unordered(run_faults, chunks(plan, 200)):
        runs, fired = runs + n, fired + f
        found += wrong
        if time.monotonic() - last > 30:
            last = time.monotonic()
            say(f"  {runs} runs, {len(found)} violations, {last - begun:.0f} s")
    report(options, found)
    say(f"fault injection: {runs} runs ({fired} in which the fault happened), {len(found)} violations, "
        f"{time.monotonic() - begun:.0f} s")
    return 1 if found or not runs else 0


if __name__ == "__main__":
    sys.exit(main())
