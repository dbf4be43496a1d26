#!/usr/bin/env python3
"""Changes the source in small ways and reports the changes that no test notices.

    scripts/mutants.py [--count N] [--seed S] [--tests REGEX] PATH...

PATH is a file or a folder of src/ or cli/. A mutant is one of its lines with one change: a comparison negated or moved by
one, + and - exchanged, && and || exchanged, a `!` dropped, a whole number changed by one, true and false exchanged, or a
statement left out. The same seed draws the same mutants from the same source.

Everything happens in a copy of the tree (build/mutants/tree): the working tree is not touched. For each mutant the library
and the tests are built and ctest runs those that REGEX names (default: unit and conformance), the one named like the changed
file first. A mutant that does not compile is replaced by another one. One that makes a test fail, crash or run ten times as
long as the longest test did before is killed; the others are printed as they survive, with the changed line. A survivor wants a test
that fails with it, or a reason why it is the same program: time saved (a shortcut, a prefetch), a bound that is never met.
Exits 0 whether or not there are survivors: they are for a person to read.
"""

import argparse
import os
import random
import re
import resource
import shutil
import subprocess
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
TREE = os.path.join(ROOT, "build", "mutants", "tree")
BUILD = os.path.join(ROOT, "build", "mutants", "build")
MEMORY = 16 << 30  # bytes that a mutant's tests may map

OPERATORS = [
    (r" < ", [" >= ", " <= "]), (r" > ", [" <= ", " >= "]), (r" <= ", [" > ", " < "]), (r" >= ", [" < ", " > "]),
    (r" == ", [" != "]), (r" != ", [" == "]), (r" && ", [" || "]), (r" \|\| ", [" && "]),
    (r" \+ ", [" - "]), (r" - ", [" + "]), (r" \+= ", [" -= "]), (r" -= ", [" += "]), (r" \* (?=[a-z(0-9])", [" / "]),
    (r"(?<=[(\s])!(?=[a-z(*])", [""]), (r"\btrue\b", ["false"]), (r"\bfalse\b", ["true"]),
]
NUMBER = re.compile(r"(?<![\w.%])(\d+)(?![\w.])")
STATEMENT = re.compile(r"^\s+(?!return\b|break\b|continue\b|goto\b|else\b|case\b|default\b|free\b|if\b|for\b|while\b)"
                       r"[a-z_*(][\w\->.\[\]*&() ,+]*( [-+*/|&]?= .*|\(.*\)|\+\+|--);$")
DECLARATION = re.compile(r"^\s+(const |static |struct |unsigned |sl_\w+ |sluice_\w+ |u?int\w*_t |size_t |double |float |bool |char |int |void )")
SKIPPED = re.compile(r"^\s*(#|/\*|\*|//|\}|$)|__builtin_prefetch|_Static_assert|sl_fail\(|\benum\b")


def blank_out(line):
    """The line with comments, strings and characters replaced by as many blanks."""
    blanks = lambda m: " " * len(m.group())  # noqa: E731
    line = re.sub(r'"(\\.|[^"\\])*"|\'(\\.|[^\'\\])+\'', blanks, line)
    return re.sub(r"/\*.*?(\*/|$)|//.*$", blanks, line)


def mutants_of_line(line):
    """Every (what, new line)."""
    code = blank_out(line)
    if SKIPPED.search(code) or line.lstrip().startswith("*"):
        return
    for pattern, others in OPERATORS:
        for m in re.finditer(pattern, code):
            for other in others:
                yield f"{m.group().strip() or m.group()!r} -> {other.strip() or 'nothing'}", line[:m.start()] + other + line[m.end():]
    for m in NUMBER.finditer(code):
        yield f"{m.group()} -> {int(m.group()) + 1}", line[:m.start()] + str(int(m.group()) + 1) + line[m.end():]
    if STATEMENT.match(code) and not DECLARATION.match(code):
        yield "statement left out", line[:len(line) - len(line.lstrip())] + ";"


def lines_of(path):
    with open(os.path.join(TREE, path)) as f:
        return f.read().split("\n")


def mutants_of_file(path):
    lines = lines_of(path)
    inside = False  # a comment of several lines
    found = []
    for i, line in enumerate(lines):
        if inside or line.lstrip().startswith("/*"):
            inside = "*/" not in line
            continue
        found += [(path, i, what, new) for what, new in mutants_of_line(line) if new != line]
    return found


def sources(paths):
    for path in paths:
        path = os.path.relpath(os.path.abspath(path), ROOT)
        if os.path.isfile(os.path.join(ROOT, path)):
            yield path
        for folder, _, names in os.walk(os.path.join(ROOT, path)):
            for name in sorted(names):
                if name.endswith((".c", ".h")):
                    yield os.path.relpath(os.path.join(folder, name), ROOT)


def copy_tree():
    """The files of the working tree; only those that changed, so that little is built again."""
    listed = subprocess.run(["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"], cwd=ROOT, check=True,
                            capture_output=True, text=True).stdout
    wanted = {name for name in listed.split("\0") if name and os.path.isfile(os.path.join(ROOT, name))}
    for folder, _, names in os.walk(TREE):
        for name in names:
            path = os.path.join(folder, name)
            if os.path.relpath(path, TREE) not in wanted:
                os.remove(path)
    for name in wanted:
        old, new = os.path.join(TREE, name), os.path.join(ROOT, name)
        if not os.path.exists(old) or open(old, "rb").read() != open(new, "rb").read():
            os.makedirs(os.path.dirname(old), exist_ok=True)
            shutil.copy(new, old)


def configure():
    launcher = ["-DCMAKE_C_COMPILER_LAUNCHER=ccache"] if shutil.which("ccache") else []
    generator = ["-G", "Ninja"] if shutil.which("ninja") else []
    subprocess.run(["cmake", "-S", TREE, "-B", BUILD, *generator, *launcher, "-DCMAKE_BUILD_TYPE=Release",
                    "-DCMAKE_C_FLAGS_RELEASE=-O1", "-DSLUICE_WERROR=OFF"], check=True, stdout=subprocess.DEVNULL)


def build(targets, jobs):
    done = subprocess.run(["cmake", "--build", BUILD, "-j", str(jobs), "--target", *targets], capture_output=True, text=True)
    return done.returncode == 0, done.stdout + done.stderr


def targets(tests):
    """The programs that the tests need: those of the names that ctest lists."""
    listed = subprocess.run(["ctest", "--test-dir", BUILD, "-N", "-R", tests], capture_output=True, text=True).stdout
    names = re.findall(r"Test +#\d+: (\S+)", listed)
    if not names:
        sys.exit(f"mutants.py: no test matches {tests}")
    wanted = set()
    for name in names:
        kind, _, rest = name.partition(".")
        wanted.add({"unit": f"unit_{rest}", "conformance": "conformance"}.get(kind, "all"))
    return ["all"] if "all" in wanted else sorted(wanted)


def run_tests(tests, jobs, limit=0):
    """None where they pass, or the reason why they do not; and the seconds that each took. limit: of each, 0 for none."""
    limited = ["--timeout", str(int(limit))] if limit else []
    done = subprocess.run(["ctest", "--test-dir", BUILD, "-R", tests, "-j", str(jobs), "--stop-on-failure", *limited],
                          capture_output=True, text=True,
                          preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY)))
    seconds = {name: float(s) for name, s in re.findall(r"Test +#\d+: (\S+) \.+ +Passed +([\d.]+) sec", done.stdout)}
    failed = re.findall(r"^\s*\d+ - (\S+) \((\w+)", done.stdout, re.M)
    problem = ", ".join(name + (" is too slow" if how == "Timeout" else "") for name, how in failed[:3])
    return None if done.returncode == 0 else problem or "ctest failed", seconds


def write(path, lines):
    with open(os.path.join(TREE, path), "w") as f:
        f.write("\n".join(lines))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("paths", nargs="+", metavar="PATH")
    parser.add_argument("--count", type=int, default=20, help="how many mutants (20)")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--tests", default=r"^(unit|conformance)\.", help="a regular expression over the names of tests")
    parser.add_argument("--jobs", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--list", action="store_true", help="list the mutants that would be tried, and end")
    options = parser.parse_args()

    copy_tree()
    found = [m for path in sources(options.paths) for m in mutants_of_file(path)]
    random.Random(options.seed).shuffle(found)
    if options.list:
        for path, line, what, new in found[:options.count]:
            print(f"{path}:{line + 1}: {what}: {new.strip()}")
        return
    configure()
    programs = targets(options.tests)
    fine, said = build(programs, options.jobs)
    if not fine:
        sys.exit("mutants.py: the source does not build\n" + said[-3000:])
    problem, seconds = run_tests(options.tests, options.jobs)
    if problem:
        sys.exit(f"mutants.py: {problem} fails without any change")
    limit = 10 + 10 * max(seconds.values())

    tried = killed = 0
    for path, line, what, new in found:
        if tried == options.count:
            break
        lines = lines_of(path)
        write(path, lines[:line] + [new] + lines[line + 1:])
        fine, _ = build(programs, options.jobs)
        if fine:
            tried += 1
            name = os.path.splitext(os.path.basename(path))[0]
            own, problem = f"unit.{name}", None
            if own in seconds:
                problem, _ = run_tests(f"^{re.escape(own)}$", options.jobs, 10 + 10 * seconds[own])
            if not problem:
                problem, _ = run_tests(options.tests, options.jobs, limit)
            killed += problem is not None
            if problem is None:
                print(f"SURVIVED {path}:{line + 1}: {what}\n    {lines[line].strip()}\n    {new.strip()}", flush=True)
            else:
                print(f"killed   {path}:{line + 1}: {what} ({problem})", flush=True)
        write(path, lines)
    build(programs, options.jobs)
    print(f"{tried} mutants, {killed} killed, {tried - killed} survived (seed {options.seed})")


if __name__ == "__main__":
    main()
