#!/usr/bin/env python3
"""Every request to learn is learned once, in the order in which it was accepted:

    learn_once.py --sluice PROGRAM --load HTTP_LOAD [--requests 1000000] [--connections 64] [--depth 4]

Sends one example a request over many connections, pipelined, while others ask for predictions. An answer names the version
that the model has with its example, which is the example's place in the order: the versions must be 1, 2, ... each once,
and the file at the end must be, byte for byte, that of `sluice train` over the examples in this order. Memory is that of
the server after half of the requests and at the end, without what the model itself takes (its features are all known by
then).
"""
import argparse
import array
import json
import os
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
sys.dont_write_bytecode = True
from harness import Context, check, equal  # noqa: E402
from serve_process import Served  # noqa: E402


def resident(pid):
    """(now, highest) memory of a process, MB."""
    found = {}
    with open(f"/proc/{pid}/status", encoding="ascii") as file:
        for line in file:
            name, _, value = line.partition(":")
            if name in ("VmRSS", "VmHWM"):
                found[name] = int(value.split()[0]) / 1024
    return found["VmRSS"], found["VmHWM"]


class Watch(threading.Thread):
    """The memory of a process, over time."""

    def __init__(self, pid, every):
        super().__init__(daemon=True)
        self.pid, self.every, self.seen, self.over = pid, every, [], threading.Event()

    def run(self):
        while not self.over.wait(self.every):
            self.seen.append(resident(self.pid)[0])

    def end(self):
        self.over.set()
        self.join()
        return self.seen


def run_load(given, *words, check_status=True):
    done = subprocess.run([given.load, *map(str, words)], capture_output=True, text=True)
    if check_status and done.returncode:
        raise AssertionError(f"http_load {words}: {done.returncode}: {done.stderr} {done.stdout}")
    return json.loads(done.stdout)


def run(given, t):
    t.run("synth", "sparse", "-P", f"rows={given.requests}", "-P", "dim=100000", "-P", "nonzeros=15", "-o", "stream")
    with open(t.path("stream"), "rb") as file:
        lines = file.read().splitlines(True)
    t.write("ask", b"".join(line.split(b" ", 1)[1] for line in lines[:1000]))
    with Served(t, "-m", "m", *given.options) as s:
        watch = Watch(s.process.pid, 0.5)
        watch.start()
        load = subprocess.Popen([given.load, "-c", "4", "-s", "3600", "-r", "200", s.host, str(s.port), "/predict", t.path("ask")],
                                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        found = run_load(given, "-c", given.connections, "-d", given.depth, "-n", given.requests, "-v", t.path("versions"), s.host,
                         s.port, "/learn", t.path("stream"))
        load.terminate()
        load.wait()
        memory = watch.end()
        equal(s.end(), 128 + 15, "exit status")
    versions = array.array("Q")
    with open(t.path("versions"), "rb") as file:
        versions.frombytes(file.read())
    order = [None] * len(lines)
    for number, version in enumerate(versions):
        check(1 <= version <= len(lines) and order[version - 1] is None, f"request {number}: version {version} is wrong, or there twice")
        order[version - 1] = number
    check(None not in order, "a version is missing")
    moved = sum(1 for place, number in enumerate(order) if place != number)
    with open(t.path("in order"), "wb") as file:
        file.writelines(lines[number] for number in order)
    t.run("train", "-qq", *given.options, "-o", "serial", "in order")
    check(t.read("m") == t.read("serial"), "the server's file is not that of a serial run")
    print(f"{given.requests} requests: {found['per_second']:.0f} a second, {found['again']} sent again (429), {moved} not in the order of "
          f"their numbers; every one learned once, and the file is that of the serial run, {len(t.read('m'))} bytes")
    if memory:
        print(f"memory: {memory[len(memory) // 2]:.0f} MB after half of the time, {memory[-1]:.0f} MB at the end")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--load", required=True, help="tests/serve/http_load.c")
    parser.add_argument("--requests", type=int, default=20000)
    parser.add_argument("--connections", type=int, default=64)
    parser.add_argument("--depth", type=int, default=4)
    parser.add_argument("options", nargs="*", default=["-a", "ssol"])
    given = parser.parse_args()
    given.sluice, given.load = os.path.abspath(given.sluice), os.path.abspath(given.load)
    with tempfile.TemporaryDirectory(prefix="sluice-once-") as folder:
        run(given, Context(given.sluice, folder))


if __name__ == "__main__":
    main()
