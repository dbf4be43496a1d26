#!/usr/bin/env python3
"""scripts/live_demo.py in its short form: it shows a drift, ends by itself and by Ctrl-C, and leaves nothing.

    live_demo_ends.py --sluice PROGRAM
"""
import argparse
import os
import re
import signal
import socket
import subprocess
import sys

sys.dont_write_bytecode = True
from serve_process import HERE, PATIENCE, run_cases, until  # noqa: E402
from harness import check, equal  # noqa: E402

DEMO = os.path.join(HERE, "..", "..", "scripts", "live_demo.py")
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def start(t, *options):
    os.mkdir(t.path("tmp"))
    return subprocess.Popen([sys.executable, DEMO, t.sluice, *options], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                            text=True, env={**os.environ, "TMPDIR": t.path("tmp")}, start_new_session=True)


def address(said):
    found = re.search(r"open +http://127\.0\.0\.1:(\d+)/ ", said)
    check(found, said)
    return "127.0.0.1", int(found[1])


def is_gone(t, where):
    equal(os.listdir(t.path("tmp")), [], "left behind")
    with socket.socket() as s:
        check(s.connect_ex(where) != 0, "the server still listens")


@case
def a_drift_is_shown(t):
    demo = start(t, "--seconds", "1", "--no-pause", "--port", "0")
    said = demo.communicate(timeout=PATIENCE)[0]
    equal(demo.returncode, 0, said)
    check(re.search(r"drift at example 3,\d\d\d: the error rose from \d+\.\d % to \d+\.\d %", said), said)
    check("6,000 labels learned" in said and "has saved and ended" in said, said)
    is_gone(t, address(said))


@case
def ctrl_c_ends_it(t):
    demo = start(t, "--seconds", "100", "--port", "0")
    said = ""
    while "are predicted; each label" not in said:
        line = demo.stdout.readline()
        check(line, said)
        said += line
    demo.send_signal(signal.SIGINT)
    rest = demo.communicate(timeout=PATIENCE)[0]
    equal(demo.returncode, 130, rest)
    check("stopped" in rest and "has saved and ended" in rest and "Traceback" not in rest, rest)
    is_gone(t, address(said))


@case
def a_port_that_is_taken_is_told(t):
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        s.listen()
        demo = start(t, "--seconds", "1", "--port", str(s.getsockname()[1]))
        said = demo.communicate(timeout=PATIENCE)[0]
    equal(demo.returncode, 1, said)
    check("the demo failed: sluice serve did not start: " in said and "sluice: cannot listen on" in said, said)
    until("the folder is gone", lambda: not os.listdir(t.path("tmp")))


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    sys.exit(run_cases(CASES, given.cases, os.path.abspath(given.sluice)))
