#!/usr/bin/env python3
"""`sluice serve` under load, on this machine, with what sends the load on the same cores:

    bench/serve_load.py                                  # all of it: two minutes
    bench/serve_load.py --rounds 1 --seconds 5 rates     # rates alone

rates     single short examples against a model of a million features, over 64 connections, each sending its next request when
          the last one is answered: requests a second, beside an answer of the same size by a server of libmicrohttpd that does
          nothing (http_floor.c), in turns.
latency   the same requests at a constant rate, half of the best of `rates`, while requests to learn bring 10,000 examples a
          second: latencies from the moment a request was due, so that a stall is charged for all that it kept waiting.

The load is sent by tests/serve/http_load.c: one thread, some 3 us of CPU a request.
"""
import argparse
import json
import os
import signal
import subprocess
import sys
import tempfile
import time

import common

sys.path.insert(0, os.path.join(common.ROOT, "tests", "serve"))
sys.path.insert(0, os.path.join(common.ROOT, "tests", "cli"))
from harness import Context  # noqa: E402
from serve_process import Served  # noqa: E402

SEPARATOR = b"\x1e"  # between the examples of a request, in a line of the load's file
CALM = 2  # seconds of learning before and after latencies are measured


def prepare(given, t):
    """A model of a million features, all of them with a weight, and short examples to ask about and to learn."""
    stream = os.path.join(given.dir, f"serve-{given.features}.svm")
    common.make(stream, [given.sluice, "synth", "sparse", "-q", "-P", f"dim={given.features}", "-P", f"nonzeros={given.nonzeros}", "-P",
                         f"rows={given.features}", "-P", "exponent=0.3", "-o", "{}"])
    model = os.path.join(given.dir, f"serve-{given.features}-{given.learner}.model")
    common.make(model, [given.sluice, "train", "-qq", "-a", given.learner, stream, "-o", "{}"], stdout=subprocess.DEVNULL)
    with open(stream, "rb") as file:
        lines = [next(file) for _ in range(200000)]
    t.write("ask", b"".join(line.split(b" ", 1)[1] for line in lines[:20000]))
    with open(t.path("learn"), "wb") as file:
        for at in range(0, len(lines) - given.learn_rows + 1, given.learn_rows):
            file.write(b"".join(lines[at:at + given.learn_rows]).rstrip(b"\n").replace(b"\n", SEPARATOR) + b"\n")
    facts = json.loads(t.run("inspect", "--json", model).out)
    print(f"model: {facts['features_seen']} features seen, {facts['nonzeros']} nonzeros, {os.path.getsize(model) / 1e6:.0f} MB; "
          f"examples of {given.nonzeros} features")
    return model


def cpu_of(pid):
    """Seconds of CPU that a process has had, of its program and of the system for it."""
    with open(f"/proc/{pid}/stat", encoding="ascii") as file:
        words = file.read().rsplit(")", 1)[1].split()
    return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")


class Floor:
    """A server whose answers are as large as `answer`, and nothing else."""

    def __init__(self, given, answer):
        program = os.path.join(given.dir, "http_floor")
        subprocess.run([os.environ.get("CC", "cc"), "-O2", "-o", program, os.path.join(common.BENCH, "http_floor.c"), "-lmicrohttpd"],
                       check=True)
        headers = [word for name, value in answer.headers.items() if name not in ("Content-Length", "Date", "Connection")
                   for word in (name, value)]
        self.process = subprocess.Popen([program, "0", str(len(answer.body)), str(given.threads), *headers], stdout=subprocess.PIPE, text=True)
        self.host, self.port = self.process.stdout.readline().strip().rsplit("/", 1)[1].split(":")

    def end(self):
        self.process.send_signal(signal.SIGTERM)
        self.process.wait()


def start_load(given, server, path, lines, *words):
    command = [given.load, *map(str, words), server.host, str(server.port), path, lines]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True)


def end_load(load):
    said = load.communicate()[0]
    if load.returncode:
        raise common.Failed(f"http_load: {said}")
    return json.loads(said)


def served(given, t, model, *options):
    with open(model, "rb") as file:
        t.write("served.model", file.read())
    return Served(t, "-m", "served=served.model", "--threads", given.threads, *options)


def rates(given, t, model):
    best = {}
    with served(given, t, model) as s:
        floor = Floor(given, s.post("/predict", t.read("ask").split(b"\n")[0] + b"\n"))
        for _ in range(given.rounds):
            for name, server in ("libmicrohttpd", floor), ("sluice serve", s):
                before = cpu_of(server.process.pid)
                found = end_load(start_load(given, server, "/predict", t.path("ask"), "-c", given.connections, "-s", given.seconds))
                found["server_cpu"] = cpu_of(server.process.pid) - before
                print(f"{name}: {found['per_second']:.0f} requests/s, p99 {found['p99_us'] / 1000:.2f} ms", flush=True)
                if found["per_second"] > best.get(name, {"per_second": 0})["per_second"]:
                    best[name] = found
        floor.end()
    floor = best["libmicrohttpd"]["per_second"]
    return best["sluice serve"]["per_second"], [row("rate", name, found, {"share": f"{found['per_second'] / floor:.3f}"})
                                                for name, found in best.items()]


def latency(given, t, model, rate):
    """Of several runs the one in the middle by its p99: the machine's own stalls are in some, and none is chosen for having none."""
    runs = []
    with served(given, t, model, "--save-every", "10s") as s:
        for _ in range(given.rounds):
            first = s.post("/learn", "1 1:1\n").version
            learning = start_load(given, s, "/learn", t.path("learn"), "-c", 4, "-r", given.examples / given.learn_rows, "-s",
                                  given.seconds + 2 * CALM, "-S", SEPARATOR[0])
            time.sleep(CALM)
            before = cpu_of(s.process.pid)
            found = end_load(start_load(given, s, "/predict", t.path("ask"), "-c", given.connections, "-r", rate, "-s", given.seconds))
            found["server_cpu"] = cpu_of(s.process.pid) - before
            learned = end_load(learning)
            examples = (s.post("/learn", "1 1:1\n").version - first - 1) / learned["seconds"]
            print(f"{found['per_second']:.0f} requests/s: p99 {found['p99_us'] / 1000:.2f} ms, the longest {found['max_us'] / 1000:.1f} ms; "
                  f"{examples:.0f} examples/s learned, {learned['again']} requests sent again; p99 of learning "
                  f"{learned['p99_us'] / 1000:.2f} ms", flush=True)
            runs.append(row("latency", "sluice serve", found, {"examples/s": f"{examples:.0f}"}))
    runs.sort(key=lambda found: float(found["p99 ms"]))
    return [runs[len(runs) // 2]]


def row(what, name, found, more):
    def each(seconds):
        return f"{seconds / found['requests'] * 1e6:.2f}"
    return {"what": what, "server": name, "requests/s": f"{found['per_second']:.0f}", "share": "", "examples/s": "",
            "server CPU us": each(found["server_cpu"]), "load CPU us": each(found["cpu"]),
            **{f"{name} ms": f"{found[name + '_us'] / 1000:.3f}" for name in ("p50", "p90", "p99", "p99.9", "max")}, **more}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--load", default=os.path.join(common.ROOT, "build/release/bin/http_load"))
    parser.add_argument("--seconds", type=int, default=10)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--threads", type=int, default=2, help="of the servers")
    parser.add_argument("--features", type=int, default=1000000)
    parser.add_argument("--nonzeros", type=int, default=10)
    parser.add_argument("--learner", default="arow")
    parser.add_argument("--examples", type=int, default=10000, help="learned a second while latencies are measured")
    parser.add_argument("--learn-rows", type=int, default=10, help="examples in a request to learn")
    parser.add_argument("--rate", type=float, help="requests a second while latencies are measured (default: half of the best rate)")
    parser.add_argument("what", nargs="*", choices=["rates", "latency", []], default=[])
    given = parser.parse_args()
    given.sluice, _ = common.prepare(given)
    rows, best = [], given.rate and 2 * given.rate
    with tempfile.TemporaryDirectory(prefix="sluice-load-") as folder:
        t = Context(os.path.abspath(given.sluice), folder)
        model = prepare(given, t)
        if "rates" in given.what or not (given.what and best):
            found, rows = rates(given, t, model)
            best = best or found
        if "latency" in given.what or not given.what:
            rows += latency(given, t, model, best / 2)
    common.table(rows)
    comments = [f"bench/serve_load.py {' '.join(sys.argv[1:])}: {given.connections} connections, a model of {given.features} features, examples of "
                f"{given.nonzeros}, learner {given.learner}, rates: best of {given.rounds}, latencies: the middle of {given.rounds}",
                *common.machine(given)]
    common.save(os.path.join(given.results, "serve.csv"), comments, rows)


if __name__ == "__main__":
    main()
