#!/usr/bin/env python3
"""Types the examples of a page, and compares what comes with what the page says.

    doc_examples.py --sluice PROGRAM PAGE... [--update]        --update: writes what comes into the page

In blocks that begin with "$ " each command has its output behind it: what it prints on both streams, to the byte. "..."
stands for anything within a line, the blanks in front of it too; as a line, for any lines. --update leaves output that
agrees as it is, and puts "..." where seconds and rates are. A page is one session in an empty folder, where `sluice` is
the program and `examples` the folder of that name. `sluice serve` runs until the next one, on a free port: 8080 stands
for it. A command begins when all that was learned before is in the model that answers. An example of nginx has to be in
packaging/nginx.conf."""
import argparse
import os
import re
import signal
import ssl
import subprocess
import sys
import tempfile
import threading
import urllib.request

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(ROOT, "tests", "serve"))
from serve_process import PATIENCE, until  # noqa: E402

TIMED = "seconds", "examples/s", "examples per second"  # columns and lines whose numbers depend on the machine


class Example:
    """A command and its output on the page; `first` and `last`: where the output stands among the page's lines."""

    def __init__(self, command, first):
        self.command, self.first, self.output = command, first, []

    @property
    def last(self):
        return self.first + len(self.output)


def examples(text):
    """All examples of a page; a command goes on as long as a quote is open or it ends in a backslash."""
    found, language = [], None
    for number, line in enumerate(text.splitlines()):
        if line.startswith("```"):
            language = None if language is not None else line[3:].strip()
            begun = False
        elif language in ("", "console") and line.startswith("$ "):
            found.append(Example(line[2:], number + 1))
            begun = True
        elif language in ("", "console") and begun:
            last = found[-1]
            if not last.output and (last.command.count("'") % 2 or last.command.endswith("\\")):
                last.command += "\n" + line
                last.first += 1
            else:
                last.output.append(line)
    return found


def agree(want, got):
    """Whether the lines that came are those of the page."""
    pattern = "".join("(.*\n)*" if line == "..." else ".*".join(map(re.escape, re.split(r" *\.\.\.", line))) + "\n" for line in want)
    return re.fullmatch(pattern, "".join(line + "\n" for line in got)) is not None


def without_times(lines):
    """The lines with "..." for what depends on the machine: lines of such a name, columns under such a head."""
    ends, result = [], []
    for line in lines:
        heads = [found.end() for name in TIMED for found in re.finditer(rf"(?<= ){name}(?= |$)", line) if not re.search(r"\d", line)]
        ends = heads or (ends if line.startswith(" ") or line[:1].isdigit() else [])
        if not heads:
            line = re.sub(rf"^( *(?:{'|'.join(TIMED)}) +)\d.*", r"\1...", line)
            for end in ends:
                number = re.search(r"[\d.,]+$", line[:end])
                if number:
                    line = line[:number.start()] + "...".rjust(end - number.start()) + line[end:]
        result.append(line)
    return result


class Session:
    def __init__(self, sluice, folder):
        self.folder, self.server, self.port, self.url = folder, None, None, None
        programs = os.path.join(folder, ".programs")
        os.mkdir(programs)
        os.symlink(os.path.abspath(sluice), os.path.join(programs, "sluice"))
        os.symlink(os.path.join(ROOT, "examples"), os.path.join(folder, "examples"))
        self.environment = {**os.environ, "PATH": programs + os.pathsep + os.environ["PATH"], "COLUMNS": "100", "LC_ALL": "C"}

    def end(self):
        if not self.server:
            return
        self.server.send_signal(signal.SIGINT)
        self.server.wait(PATIENCE)
        self.reader.join(PATIENCE)
        self.server = None

    def start(self, command):
        """What the server says until it listens."""
        self.end()
        said, ready = [], threading.Event()
        self.server = subprocess.Popen(["bash", "-c", "exec " + command + " --listen 127.0.0.1:0"], cwd=self.folder, env=self.environment,
                                       stdin=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)

        def read():
            for line in self.server.stderr:
                if not ready.is_set():
                    said.append(line.rstrip("\n"))
                if "listening on" in line:
                    ready.set()
            ready.set()

        self.reader = threading.Thread(target=read, daemon=True)
        self.reader.start()
        ready.wait(PATIENCE)
        found = re.search(r"listening on (\w+://.*:(\d+))$", said[-1] if said else "")
        if found:
            self.url, self.port = found[1], found[2]
        return said

    def has_caught_up(self):
        context = ssl._create_unverified_context()  # the certificate is the session's own
        with urllib.request.urlopen(self.url + "/metrics", timeout=PATIENCE, context=context) as answer:
            text = answer.read().decode()
        version, learned = (re.search(rf"^sluice_model_{what}version\{{.*\}} (\d+)$", text, re.M)[1] for what in ("", "learned_"))
        return version == learned

    def type(self, command):
        """The lines that come."""
        if command.startswith("sluice serve"):
            return [re.sub(rf":{self.port}\b", ":8080", line) for line in self.start(command)]
        if self.server:
            until("the model that answers has caught up", self.has_caught_up)
            command = re.sub(r":8080\b", f":{self.port}", command)
        done = subprocess.run(["bash", "-c", re.sub(r"\bcurl\b", "curl -sS", command)], cwd=self.folder, env=self.environment,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=PATIENCE)
        return done.stdout.splitlines()


def type_page(sluice, page):
    """Pairs of an example and the lines that came."""
    with tempfile.TemporaryDirectory(prefix="sluice-doc-") as folder:
        session = Session(sluice, folder)
        try:
            return [(example, session.type(example.command)) for example in examples(page)]
        finally:
            session.end()


def updated(page, typed):
    lines = page.splitlines()
    for example, got in reversed(typed):
        if not agree(example.output, got):
            lines[example.first:example.last] = without_times(got)
    return "\n".join(lines) + "\n"


def problems(page, typed):
    for example, got in typed:
        if not agree(example.output, got):
            yield f"$ {example.command}\nthe page says\n" + "\n".join(example.output) + "\nbut it is\n" + "\n".join(got)[:3000]
    if not typed:
        yield "the page has no examples"
    with open(os.path.join(ROOT, "packaging", "nginx.conf"), encoding="utf-8") as f:
        real = [line.strip() for line in f]
    for block in re.findall(r"^```nginx\n(.*?)^```$", page, flags=re.S | re.M):
        yield from (f"packaging/nginx.conf has no line {line.strip()}" for line in block.splitlines() if line.strip() not in real)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--update", action="store_true")
    parser.add_argument("pages", nargs="+", metavar="PAGE")
    a = parser.parse_args()
    failed = False
    for path in a.pages:
        with open(path, encoding="utf-8") as f:
            page = f.read()
        typed = type_page(a.sluice, page)
        if a.update:
            with open(path, "w", encoding="utf-8") as f:
                f.write(updated(page, typed))
            continue
        found = list(problems(page, typed))
        failed |= bool(found)
        print("\n\n".join(found) or f"{len(typed)} commands of {os.path.basename(path)}: as it says")
    return failed


if __name__ == "__main__":
    sys.exit(main())
