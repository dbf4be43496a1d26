"""Hostile input: memory and time of predict, convert and train on inputs made to need as much of both as possible.

    hostile_input.py --sluice build/release/bin/sluice              64 MiB of every kind, memory and time
    hostile_input.py --sluice ... --size 4 --no-time --limit 256    the small version of `make test`: memory alone

Time is that of the processor (user and system), as a multiple of that of ordinary input of the same format and size;
memory is the peak of the resident pages. A case fails if it takes more than --limit MiB or --times times, or if the
program ends otherwise than with 0 or 1."""

import argparse
import bz2
import gzip
import itertools
import json
import lzma
import os
import random
import subprocess
import sys
import tempfile

LETTERS = "abcdefghijklmnopqrstuvwxyz"
PAIRS = [a + b for a in LETTERS for b in LETTERS]


def repeat(piece, size, head=""):
    """Pieces, or what a function makes of their number, up to the size."""
    out, n, i = [head], len(head), 0
    while n < size:
        text = piece(i) if callable(piece) else piece
        if not callable(piece) and len(text) < 4096:
            text = text * (65536 // len(text) + 1)
        out.append(text)
        n += len(text)
        i += 1
    return "".join(out)


def one_line(piece, size, head="1 ", tail="\n"):
    return repeat(piece, size - 70000, head) + tail


rng = random.Random(7)
WORDS = ["".join(rng.choices(LETTERS, k=rng.randint(2, 9))) for _ in range(20000)]


def some_words(k):
    return rng.choices(WORDS, k=k)


def tokens(size, tail, between=""):
    """Short tokens that all differ, each with `between` before it and `tail` behind it, up to the size."""
    letters = "abcdefghijklmnopqrstuvwxyz0123456789"
    count = size // (5 + len(tail) + len(between))
    made = itertools.islice(map("".join, itertools.product(letters, repeat=5)), count)
    return between + (tail + between).join(made) + tail


def token_line(size, tail, head, end="\n", between=""):
    return head + tokens(size - 70000, tail, between) + end


# ---- ordinary input: the measure of time --------------------------------------------------------------------------

def ordinary_libsvm(i):
    ids = sorted(rng.sample(range(1, 50000), 40))
    return f"{i % 2} " + " ".join(f"{k}:{rng.random():.3f}" for k in ids) + "\n"


def ordinary_vw(i):
    return f"{i % 2} |f " + " ".join(f"{w}:{rng.random():.2f}" for w in some_words(30)) + "\n"


def ordinary_csv(i):
    return ",".join([str(i % 2)] + [f"{rng.random():.3f}" for _ in range(20)] + some_words(5)) + "\n"


def ordinary_jsonl(i):
    return json.dumps({"label": i % 2, "city": rng.choice(WORDS), "age": i % 90,
                       "v": {f"k{rng.randrange(50)}": round(rng.random(), 3) for _ in range(10)}}) + "\n"


def ordinary_text(i):
    return f"{i % 2}\t" + " ".join(some_words(60)) + "\n"


def ordinary_url(i):
    w = some_words(7)
    return f"{i % 2}\thttp://{w[0]}.{w[1]}.com/{w[2]}/{w[3]}?{w[4]}={w[5]}&id={i}#{w[6]}\n"


def sampled(make, size, head=""):
    """Making all of it at random takes too long: some, repeated."""
    some = repeat(make, min(size, 4 << 20))
    return head + some * max(1, size // len(some))


CSV_HEAD = "label," + ",".join(f"c{i}" for i in range(25)) + "\n"
ORDINARY = {
    "libsvm": lambda n: sampled(ordinary_libsvm, n),
    "vw": lambda n: sampled(ordinary_vw, n),
    "csv": lambda n: sampled(ordinary_csv, n, CSV_HEAD),
    "jsonl": lambda n: sampled(ordinary_jsonl, n),
    "text": lambda n: sampled(ordinary_text, n),
    "url": lambda n: sampled(ordinary_url, n),
}


# ---- hostile input ------------------------------------------------------------------------------------------------

def wide_csv(size, cell, name_bytes, columns):
    head = ",".join(["label"] + [f"{i:07d}".rjust(name_bytes, "n") for i in range(columns)]) + "\n"
    return repeat(",".join(["1"] + [cell] * columns) + "\n", size, head)


def nested_json(size, depth, key_bytes, leaves):
    keys = [chr(97 + d % 26) * key_bytes for d in range(depth)]
    line = '{"label":1,' + "".join(f'"{k}":{{' for k in keys) + leaves + "}" * (depth + 1) + "\n"
    return repeat(line, size)


def members(n):
    return ",".join(f'"{p}":1' for p in PAIRS[:n])


CASES = [  # format, name, text of a size, options of the reader
    ("libsvm", "one line", lambda n: "1 " + ":1 ".join(map(str, range(n * 10 // 106))) + ":1\n"),
    ("libsvm", "one line, descending ids", lambda n: "1 " + ":1 ".join(map(str, range(99999999, 99999999 - n * 10 // 111, -1))) + ":1\n"),
    ("libsvm", "one line, one id", lambda n: one_line("1:1 ", n)),
    ("libsvm", "one line, ids spread", lambda n: "1 " + ":1 ".join(str(i * 0x9E3779B97F4A7C15 % 2**64) for i in range(n // 24)) + ":1\n"),
    ("libsvm", "repeated ids", lambda n: repeat("1 " + "1:1 2:1 " * 400 + "\n", n)),
    ("libsvm", "unsorted ids", lambda n: repeat("1 " + " ".join(f"{i * 7919 % 999}:1" for i in range(900)) + "\n", n)),
    ("libsvm", "ids spread", lambda n: repeat(lambda i: f"1 {i * 0x9E3779B97F4A7C15 % 2**64}:1\n", min(n, 8 << 20)) * max(1, n >> 23)),
    ("libsvm", "shortest rows", lambda n: repeat("1\n", n)),
    ("libsvm", "blank lines", lambda n: repeat("\n", n)),
    ("libsvm", "malformed lines", lambda n: repeat("x\n", n)),
    ("libsvm", "malformed values", lambda n: repeat("1 5:x\n", n)),
    ("libsvm", "comments", lambda n: repeat("#\n", n)),
    ("libsvm", "huge exponents", lambda n: repeat("1 1:1e-99999999 2:1e+00000000000001 3:5E-9\n", n)),
    ("libsvm", "long numbers", lambda n: repeat("1 1:0." + "3" * 500 + " 2:" + "7" * 30 + "." + "1" * 300 + "\n", n)),
    ("libsvm", "one number", lambda n: one_line("3", n, "1 1:0.")),
    ("libsvm", "halfway numbers", lambda n: repeat("1 1:1.00000005960464477539062500000000001 2:0.3e-44\n", n)),
    ("libsvm", "spaces", lambda n: repeat("1 1:1" + " \t" * 300 + "2:1\n", n)),
    ("libsvm", "qid", lambda n: repeat("1" + " qid:1" * 90 + "\n", n)),
    ("vw", "long namespace", lambda n: repeat("1 |" + "n" * 1500 + " " + " ".join(PAIRS) + "\n", n)),
    ("vw", "longest namespace", lambda n: repeat("1 |" + "n" * 60000 + " " + " ".join(PAIRS[:64]) + "\n", n)),
    ("vw", "one line, long namespace", lambda n: token_line(n, " ", "1 |" + "n" * 200 + " ")),
    ("vw", "one line", lambda n: token_line(n, " ", "1 | ")),
    ("vw", "one line with values", lambda n: token_line(n, ":0.25 ", "1 |f ")),
    ("vw", "short tokens", lambda n: repeat("1 | " + " ".join(PAIRS) + "\n", n)),
    ("vw", "names that differ", lambda n: tokens(n, "\n", "1 | ")),
    ("vw", "long names", lambda n: tokens(n, "x" * 60000 + "\n", "1 | ")),
    ("vw", "one name again and again", lambda n: repeat("1 |f " + "a " * 3000 + "\n", n)),
    ("vw", "features without names", lambda n: repeat("1 |f " + ":1 " * 3000 + "\n", n)),
    ("vw", "namespaces", lambda n: repeat("1 " + "|f a " * 1000 + "\n", n)),
    ("vw", "scales", lambda n: repeat("1 |f:1e-3 a:1e-30 b:12345678901234567890\n", n)),
    ("vw", "shortest rows", lambda n: repeat("|\n", n)),
    ("vw", "blank lines", lambda n: repeat("\n", n)),
    ("vw", "malformed lines", lambda n: repeat("x\n", n)),
    ("vw", "control bytes", lambda n: repeat("1 |" + "\x01" * 1500 + " " + " ".join(PAIRS) + "\n", n)),
    ("csv", "long column names, texts", lambda n: wide_csv(n, "x", 512, 2000)),
    ("csv", "long column names, many texts", lambda n: wide_csv(n, "x", 512, min(30000, n // 2000))),
    ("csv", "long column names, numbers", lambda n: wide_csv(n, "1", 512, min(30000, n // 2000))),
    ("csv", "many columns", lambda n: wide_csv(n, "1", 7, min((1 << 22) - 9, n // 24))),
    ("csv", "many columns, texts", lambda n: wide_csv(n, "x", 7, min((1 << 22) - 9, n // 24))),
    ("csv", "columns of one name", lambda n: repeat(",".join(["1"] * 99999) + "\n", n, "label" + ",a" * 99998 + "\n")),
    ("csv", "a header alone", lambda n: token_line(n, "", "label", between=",")),
    ("csv", "a quote never closed", lambda n: one_line("x,", n, 'label,a\n1,"')),
    ("csv", "quotes", lambda n: repeat('1,"a""b"\n', n, "label,a\n")),
    ("csv", "doubled quotes", lambda n: repeat('1,"' + '""' * 20000 + '"\n', n, "label,a\n")),
    ("csv", "texts that differ", lambda n: "label,a\n" + tokens(n, "\n", "1,")),
    ("csv", "shortest cells", lambda n: repeat(",".join(["1"] * 100) + "\n", n, ",".join(["label"] + PAIRS[:99]) + "\n")),
    ("csv", "newlines in quotes", lambda n: repeat('1,"' + "\n" * 3000 + '"\n', n, "label,a\n")),
    ("csv", "blank lines", lambda n: repeat("\n", n, "label,a\n")),
    ("csv", "malformed rows", lambda n: repeat("1\n", n, "label,a\n")),
    ("csv", "long numbers", lambda n: repeat("1," + "7" * 3000 + "e-3000\n", n, "label,a\n")),
    ("jsonl", "nested keys", lambda n: nested_json(n, 60, 1000, members(600))),
    ("jsonl", "nested short keys", lambda n: nested_json(n, 60, 20, members(100))),
    ("jsonl", "a long key", lambda n: nested_json(n, 1, 1500, members(676))),
    ("jsonl", "an array", lambda n: repeat('{"label":1,"' + "k" * 1500 + '":[' + "1," * 2000 + "1]}\n", n)),
    ("jsonl", "one line", lambda n: token_line(n, '":1,', "{", '"label":1}\n', '"')),
    ("jsonl", "one array", lambda n: one_line("1,", n, '{"label":1,"a":[', "1]}\n")),
    ("jsonl", "one string", lambda n: one_line("x", n, '{"label":1,"a":"', '"}\n')),
    ("jsonl", "brackets", lambda n: repeat('{"a":' * 63 + "1" + "}" * 63 + "\n", n)),
    ("jsonl", "only brackets", lambda n: one_line("[", n, '{"a":', "\n")),
    ("jsonl", "escapes", lambda n: repeat('{"label":1,"' + "\\u0001" * 900 + '":"\\ud83d\\ude00"}\n', n)),
    ("jsonl", "one key again and again", lambda n: repeat('{"label":1' + ',"a":1' * 1000 + "}\n", n)),
    ("jsonl", "keys that differ", lambda n: tokens(n, '":1}\n', '{"label":1,"')),
    ("jsonl", "huge exponents", lambda n: repeat('{"label":1,"a":1e-99999999,"b":0.1E+00000001}\n', n)),
    ("jsonl", "shortest rows", lambda n: repeat("{}\n", n)),
    ("jsonl", "malformed lines", lambda n: repeat("x\n", n)),
    ("jsonl", "blank lines", lambda n: repeat("\n", n)),
    ("text", "n-grams", lambda n: repeat("1\t" + " ".join(PAIRS) + "\n", n), "--ngrams", "8"),
    ("text", "n-grams of ordinary text", lambda n: sampled(ordinary_text, n), "--ngrams", "8"),
    ("text", "one line, n-grams", lambda n: token_line(n, " ", "1\t"), "--ngrams", "8"),
    ("text", "one line of 1 MiB, n-grams", lambda n: repeat(one_line("a b ", 1 << 20, "1\t"), n), "--ngrams", "8"),
    ("text", "one line", lambda n: token_line(n, " ", "1\t")),
    ("text", "one word again and again", lambda n: one_line("a ", n, "1\t")),
    ("text", "short words", lambda n: repeat("1\t" + " ".join(LETTERS) + "\n", n)),
    ("text", "one long word", lambda n: one_line("a", n, "1\t")),
    ("text", "no UTF-8", lambda n: repeat("1\t" + "\udce9 \udcff\udcfe " * 300 + "\n", n)),
    ("text", "ideographs", lambda n: repeat("1\t" + "".join(chr(0x4E00 + i) for i in range(3000)) + "\n", n // 3)),
    ("text", "ideographs, n-grams", lambda n: repeat("1\t" + "".join(chr(0x4E00 + i) for i in range(3000)) + "\n", n // 3),
     "--ngrams", "8"),
    ("text", "shortest rows", lambda n: repeat("1\t\n", n)),
    ("text", "blank lines", lambda n: repeat("\n", n)),
    ("text", "malformed lines", lambda n: repeat("x\ty\n", n)),
    ("url", "one URL", lambda n: token_line(n, "/", "1\thttp://a.b/")),
    ("url", "one query", lambda n: token_line(n, "=1&", "1\thttp://a.b/?")),
    ("url", "labels", lambda n: repeat("1\t" + ".".join(PAIRS) + "/\n", n)),
    ("url", "hyphens", lambda n: repeat("1\t" + "-".join(PAIRS) + ".org/\n", n)),
    ("url", "escapes", lambda n: repeat("1\ta.b/" + "%41%2f" * 300 + "\n", n)),
    ("url", "short URLs", lambda n: repeat("1\ta\n", n)),
    ("url", "malformed lines", lambda n: repeat("x\ty\n", n)),
]

# Compressed, they are small: the size is that of what they unpack to.
BOMBS = [
    ("libsvm", "one endless line", lambda n: "1" * n),
    ("libsvm", "longest lines", lambda n: one_line("1:1 ", 60 << 20) * max(1, n // (60 << 20))),
    ("vw", "long namespace", lambda n: repeat("1 |" + "n" * 1500 + " " + " ".join(PAIRS) + "\n", n)),
    ("vw", "longest lines", lambda n: token_line(30 << 20, " ", "1 | ") * max(1, n // (30 << 20))),
]
PACKERS = {"gz": lambda b: gzip.compress(b, 1), "xz": lambda b: lzma.compress(b, preset=0), "bz2": bz2.compress,
           "zst": lambda b: subprocess.run(["zstd", "-q", "-c"], input=b, stdout=subprocess.PIPE, check=True).stdout}

OUTPUTS = ["libsvm", "vw", "jsonl", "bin"]


class Runner:
    def __init__(self, options, folder):
        self.sluice, self.threads = options.sluice, str(options.threads)
        self.folder = folder
        self.options = options
        self.usual = {}
        self.failures = 0
        self.worst = {}

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *command):
        """Status, MiB, seconds of the processor."""
        with open(os.devnull, "wb") as sink, open(self.path("stderr"), "wb") as errors:
            child = subprocess.Popen([self.sluice, *command], stdin=subprocess.DEVNULL, stdout=sink, stderr=errors)
            _, status, used = os.wait4(child.pid, 0)
        child.returncode = os.waitstatus_to_exitcode(status)
        return child.returncode, used.ru_maxrss / 1024, used.ru_utime + used.ru_stime

    def write(self, make):
        """In a process of its own: the peak of a child's memory begins with that of its parent."""
        child = os.fork()
        if child == 0:
            status = 1
            try:
                with open(self.path("input"), "wb") as f:
                    f.write(make())
                status = 0
            finally:
                os._exit(status)
        _, status = os.waitpid(child, 0)
        assert status == 0, "no input"

    def models(self):
        for name, make in ORDINARY.items():
            with open(self.path("train"), "w") as f:
                f.write(make(100000))
            for ngrams in ["1", "8"] if name == "text" else [""]:
                extra = ["--ngrams", ngrams] if ngrams else []
                model = self.path(f"model.{name}{ngrams if ngrams == '8' else ''}")
                status, *_ = self.run("train", "-qq", "-a", "perceptron", "--final", "-f", name, *extra, "-o", model,
                                      self.path("train"))
                assert status == 0, open(self.path("stderr")).read()

    def commands(self, name, extra, path):
        common = ["-qq", "--on-error", "skip", "-f", name, "--threads", self.threads]
        model = self.path(f"model.{name}{'8' if '8' in extra else ''}")
        yield "predict", ["predict", "-m", model, *common, path]
        for to in OUTPUTS if self.options.convert else []:
            if to != "libsvm" or name == "libsvm":
                yield f"convert {to}", ["convert", "--to", to, *common, *extra, path]
        if self.options.train:
            yield "train", ["train", "-a", "perceptron", *common, *extra, "--max-features", "10000", "-o",
                            self.path("trained"), path]

    def measure(self, name, case, extra, path, scale=1):
        for what, command in self.commands(name, extra, path):
            status, mib, seconds = self.run(*command)
            if case == "ordinary":
                self.usual[name, what] = seconds
            times = seconds / max(self.usual.get((name, what), 0) * scale, 0.05)
            bad = []
            if status not in (0, 1):
                bad.append("STATUS")
            if mib > self.options.limit:
                bad.append("MEMORY")
            if self.options.time and times > self.options.times:
                bad.append("TIME")
            self.failures += bool(bad)
            key = (name, what)
            self.worst[key] = tuple(max(a, b) for a, b in zip(self.worst.get(key, (0, 0)), (mib, times)))
            print(f"{name:7} {case:32} {what:14} {status:4} {mib:8.0f} {seconds:8.2f} {times:7.1f}  {' '.join(bad)}",
                  flush=True)
            if status == 1 and self.options.verbose:
                print("        ", open(self.path("stderr"), errors="replace").read()[:200].strip())

    def case(self, name, case, make, extra=()):
        if self.options.filter not in f"{name}: {case}" and case != "ordinary":
            return
        self.write(lambda: make(self.options.size << 20).encode("utf-8", "surrogateescape"))
        self.measure(name, case, extra, self.path("input"))

    def bomb(self, name, case, make):
        if self.options.filter not in f"{name}: bomb: {case}":
            return
        for ending, pack in PACKERS.items():
            if ending in self.options.packers.split(","):
                self.write(lambda: pack(make(self.options.bomb << 20).encode()))
                self.measure(name, f"bomb: {case} ({ending})", (), self.path("input"),
                             self.options.bomb / self.options.size)

    def all(self):
        self.models()
        print(f"{'format':7} {'input':32} {'command':14} {'exit':>4} {'MiB':>8} {'seconds':>8} {'times':>7}")
        formats = sorted({c[0] for c in CASES}, key=list(ORDINARY).index)
        for name in formats:
            if not any(self.options.filter in f"{c[0]}: {c[1]}" for c in CASES + [(b[0], "bomb: " + b[1]) for b in BOMBS]
                       if c[0] == name):
                continue
            self.case(name, "ordinary", ORDINARY[name])
            for case in CASES:
                if case[0] == name:
                    self.case(*case[:3], case[3:])
            for bomb in BOMBS:
                if bomb[0] == name and self.options.bomb:
                    self.bomb(*bomb)
        print("worst:")
        for (name, what), (mib, times) in self.worst.items():
            print(f"{name:7} {what:14} {mib:8.0f} MiB {times:7.1f} times")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--size", type=int, default=64, help="MiB of each input")
    parser.add_argument("--bomb", type=int, default=512, help="MiB that compressed inputs unpack to; 0: none")
    parser.add_argument("--packers", default="gz,zst,xz", help="how those are compressed")
    parser.add_argument("--threads", type=int, default=16)
    parser.add_argument("--limit", type=float, default=512, help="MiB")
    parser.add_argument("--times", type=float, default=20)
    parser.add_argument("--no-time", dest="time", action="store_false", help="check memory alone")
    parser.add_argument("--no-convert", dest="convert", action="store_false")
    parser.add_argument("--no-train", dest="train", action="store_false")
    parser.add_argument("--filter", default="", help="only inputs whose 'format: name' contains this")
    parser.add_argument("--verbose", action="store_true", help="print why the program failed")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-hostile-") as folder:
        runner = Runner(options, folder)
        runner.all()
        print(f"{runner.failures} beyond the limits")
        return runner.failures > 0


if __name__ == "__main__":
    sys.exit(main())
