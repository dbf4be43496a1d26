"""What the command-line tests share: running sluice, making data, saying what differs."""

import fcntl
import json
import os
import pty
import random
import re
import select
import struct
import subprocess
import termios

HERE = os.path.dirname(os.path.abspath(__file__))


class Failure(AssertionError):
    pass


class Result:
    def __init__(self, command, status, out, err):
        self.command, self.status, self.out_bytes, self.err_bytes = command, status, out, err

    @property
    def out(self):
        return self.out_bytes.decode("utf-8", "replace")

    @property
    def err(self):
        return self.err_bytes.decode("utf-8", "replace")

    def json(self):
        """Exactly one JSON object, one line, nothing around it."""
        check(self.out.endswith("}\n") and self.out.count("\n") == 1, f"not one line of JSON: {self.out!r}")

        def no_constant(word):
            raise Failure(f"{word} in JSON")

        value = json.loads(self.out, parse_constant=no_constant)
        check(isinstance(value, dict), "not an object")
        return value

    def __str__(self):
        return (f"  command: {' '.join(self.command)}\n  status: {self.status}\n"
                f"  stdout: {self.out[:1500]!r}\n  stderr: {self.err[:1500]!r}")


def check(truth, message):
    if not truth:
        raise Failure(message)


def short(value):
    text = repr(value)
    return text if len(text) < 600 else text[:600] + "..."


def equal(got, wanted, what="value"):
    if got != wanted:
        raise Failure(f"{what}: got {short(got)}, wanted {short(wanted)}")


def near(got, wanted, tolerance, what="value"):
    if got is None or not abs(got - wanted) <= tolerance:
        raise Failure(f"{what}: got {got!r}, wanted {wanted!r} within {tolerance}")


class Context:
    """One test's world: the program, an empty folder that is also the working directory."""

    def __init__(self, sluice, folder, update_golden=False):
        self.sluice, self.folder, self.update_golden = sluice, folder, update_golden

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, content):
        mode = "wb" if isinstance(content, bytes) else "w"
        with open(self.path(name), mode) as f:
            f.write(content)
        return name

    def read(self, name):
        with open(self.path(name), "rb") as f:
            return f.read()

    def exists(self, name):
        return os.path.exists(self.path(name))

    def run(self, *command, status=0, stdin=b"", stdout=None, env=None):
        """Runs sluice and checks its exit status (None: any); env: variables to set. There is no time limit: a busy
        machine may take long, and a run that hangs is ctest's to end."""
        if isinstance(stdin, str):
            stdin = stdin.encode()
        whole = [self.sluice] + [str(c) for c in command]
        done = subprocess.run(whole, input=stdin, stdout=stdout or subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=self.folder, env={**os.environ, **env} if env else None)
        result = Result(whole, done.returncode, done.stdout or b"", done.stderr)
        if status is not None and done.returncode != status:
            raise Failure(f"exit status {done.returncode}, wanted {status}\n{result}")
        return result

    def start(self, *command, **more):
        return subprocess.Popen([self.sluice] + [str(c) for c in command], cwd=self.folder, **more)

    def refused(self, *command, status, says, stdin=b"", env=None):
        """It fails with this status, prints no result, and its message has all these parts."""
        r = self.run(*command, status=status, stdin=stdin, env=env)
        for part in [says] if isinstance(says, str) else says:
            if part not in r.err:
                raise Failure(f"message lacks {part!r}\n{r}")
        check(re.search(r"^sluice: ", r.err, re.M), f"no message begins with the program's name\n{r}")
        equal(r.out, "", "stdout")
        return r

    def golden(self, name, got):
        path = os.path.join(HERE, "golden", name)
        if self.update_golden:
            with open(path, "w") as f:
                f.write(got)
            return
        try:
            with open(path) as f:
                wanted = f.read()
        except FileNotFoundError:
            raise Failure(f"no golden file {path}; make it with --update-golden") from None
        if got != wanted:
            import difflib
            diff = "".join(difflib.unified_diff(wanted.splitlines(True), got.splitlines(True), name, "got"))
            raise Failure(f"differs from golden/{name} (--update-golden writes it anew):\n{diff}")

    def learners(self):
        return [l["name"] for l in self.run("learners", "--json").json()["learners"]]

    def named_learners(self):
        """Those that searches take: all but auto, which tunes itself."""
        return [name for name in self.learners() if name != "auto"]

    def in_batches(self):
        """The learners that learn in batches."""
        return [l["name"] for l in self.run("learners", "--json").json()["learners"] if l["batch"]]


def rows(n, seed=1, dim=50, nonzeros=8, noise=0.1):
    """LIBSVM text that can be learned: the sign of a fixed plane, with some labels flipped."""
    r = random.Random(seed)
    plane = [random.Random(7 * i + 3).choice([-1, 0, 0, 1]) for i in range(dim + 1)]
    lines = []
    for _ in range(n):
        ids = sorted(r.sample(range(1, dim + 1), nonzeros))
        values = [round(r.uniform(-1, 1), 4) for _ in ids]
        side = sum(plane[i] * v for i, v in zip(ids, values))
        label = 1 if (side > 0) != (r.random() < noise) else -1
        lines.append(f"{label:+d} " + " ".join(f"{i}:{v:g}" for i, v in zip(ids, values)))
    return "\n".join(lines) + "\n"


def parse(text):
    """LIBSVM text as [(label, {id: value})]."""
    parsed = []
    for line in text.splitlines():
        parts = line.split()
        parsed.append((float(parts[0]), {int(i): float(v) for i, v in (p.split(":") for p in parts[1:])}))
    return parsed


def is_root():
    return os.geteuid() == 0


def on_a_terminal(t, *command, columns=0, typed=None):
    """What stderr shows when it is a terminal; with `typed` standard input is one too."""
    master, slave = pty.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    more = {} if typed is None else {"stdin": slave}
    p = t.start(*command, stdout=open(os.devnull, "wb"), stderr=slave, **more)
    os.close(slave)
    if typed is not None:
        os.write(master, typed.encode() + b"\x04")
    shown, ended = b"", False
    while True:
        ready, _, _ = select.select([master], [], [], 0.2)
        if ready:
            try:
                data = os.read(master, 65536)
            except OSError:
                break
            if not data:
                break
            shown += data
        elif ended:
            break
        else:
            ended = p.poll() is not None  # it may have written since the select: look once more
    os.close(master)
    equal(p.wait(), 0, "exit status")
    return shown.decode()
