#!/usr/bin/env python3
"""Serves two models that learn while they answer, sends them traffic, and prints the address of the page that shows it.

    live_demo.py PROGRAM [--seconds N] [--port P] [--no-pause]

The stream is made here: addresses of the web, good and bad ones, whose labels come seconds after they were predicted, and
short messages of four topics. In the middle the bad addresses change: the error rises, the page marks a drift, and the
model learns them anew. Everything is in a temporary folder; the server ends with the demo, also after Ctrl-C.
"""
import argparse
import collections
import http.client
import json
import os
import random
import re
import shlex
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time

BEFORE = 2000                      # addresses learned from a file, before the server starts
ADDRESSES, MESSAGES = 100, 20      # of a step
STEPS = 4                          # in a second
DELAY = 8                          # steps until the labels come
LEAST_STEPS = 60                   # fewer do not show a drift,
ENOUGH = 60                        # and runs of fewer seconds not always
GOOD = ("docs", "news", "school", "library", "weather", "maps", "museum", "recipes")
BAD = ("prize", "login", "bonus", "verify", "casino", "invoice", "wallet", "refund")
NEW_BAD = ("parcel", "museum", "voucher", "maps", "delivery", "library", "tracking", "school")  # half of them was good
TOPICS = {"sport": ("match", "goal", "team", "coach", "league"), "cooking": ("soup", "oven", "flour", "butter", "salt"),
          "travel": ("train", "hotel", "ticket", "island", "border"), "music": ("song", "choir", "piano", "concert", "opera")}


class Stopped(Exception):
    """By Ctrl-C or a signal."""


class Failed(Exception):
    pass


def say(text=""):
    print(text, flush=True)


# ---- the stream ----------------------------------------------------------------------------------------------------------


def address(rng, drifted):
    """(1 or -1, an address). Most of its words are of one kind; new hosts appear all the time."""
    bad = rng.random() < 0.4
    kinds = ([w for w in GOOD if w not in NEW_BAD], NEW_BAD) if drifted else (GOOD, BAD)

    def word():
        return rng.choice(kinds[(rng.random() < 0.85) == bad])

    return 1 if bad else -1, f"http://{word()}-{word()}{rng.randrange(3000)}.example/{word()}/{rng.randrange(9)}?{word()}={rng.randrange(99)}"


def message(rng):
    """(topic, a few words), one word in five of another topic."""
    topic = rng.choice(list(TOPICS))
    return topic, " ".join(rng.choice(TOPICS[topic if rng.random() < 0.8 else rng.choice(list(TOPICS))]) for _ in range(4))


# ---- the server ----------------------------------------------------------------------------------------------------------


class Server:
    """sluice serve, in a session of its own: Ctrl-C is for the demo, which ends it."""

    def __init__(self, program, folder, words):
        self.url, self.said = None, []
        self.process = subprocess.Popen([program, *words], cwd=folder, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
                                        stderr=subprocess.PIPE, text=True, start_new_session=True)
        for line in self.process.stderr:
            self.said.append(line.rstrip())
            found = re.fullmatch(r"sluice: listening on (\S+)\n", line)
            if found:
                self.url = found[1]
                break
        if not self.url:
            raise Failed("sluice serve did not start: " + " ".join(self.said))
        self.reader = threading.Thread(target=self.read, daemon=True)
        self.reader.start()
        self.http = http.client.HTTPConnection(self.url.split("//")[1], timeout=60)

    def read(self):
        self.said.extend(line.rstrip() for line in self.process.stderr)

    def post(self, path, lines):
        try:
            self.http.request("POST", path, "".join(line + "\n" for line in lines).encode())
            answer = self.http.getresponse()
            body = answer.read().decode()
        except (OSError, http.client.HTTPException) as problem:
            raise Failed(f"{path}: {problem!r}; the server said: {' '.join(self.said)}") from None
        if answer.status != 200:
            raise Failed(f"{path}: {answer.status} {body.strip()}")
        return body.splitlines()

    def figures(self):
        """Of the model of addresses, as the page shows them: figures, and alarms."""
        connection = http.client.HTTPConnection(self.url.split("//")[1], timeout=60)
        connection.request("GET", "/events?model=addresses")
        answer, text = connection.getresponse(), b""
        while not text.endswith(b"\n\n"):
            piece = answer.read1()
            if not piece:
                raise Failed("the page's events ended")
            text += piece
        connection.close()
        event = json.loads(text[5:])
        return event["models"]["addresses"], event["details"]["alarms"]

    def end(self):
        """By SIGTERM: it learns what is queued, and saves. Its exit status."""
        if self.process.poll() is None:
            self.process.terminate()
        try:
            return self.process.wait(60)
        except subprocess.TimeoutExpired:
            return None
        finally:
            if self.process.poll() is None:
                self.process.kill()
                self.process.wait()


# ---- what is shown --------------------------------------------------------------------------------------------------------


def run(program, folder, *words):
    say("$ sluice " + " ".join(shlex.quote(word) for word in words))
    done = subprocess.run([program, *words], cwd=folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=120,
                          start_new_session=True, check=False)
    if done.returncode:
        raise Failed(f"sluice {words[0]} ended with status {done.returncode}: {done.stderr}")
    return done.stdout


def free_port(wanted):
    """8080 where it is free, else any; one that was asked for is taken as it is."""
    if wanted is not None:
        return wanted
    with socket.socket() as s:
        try:
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", 8080))
        except OSError:
            return 0
    return 8080


def start(given, folder, rng):
    program = os.path.abspath(given.program)
    with open(os.path.join(folder, "addresses.tsv"), "w", encoding="ascii") as file:
        file.writelines(f"{label}\t{url}\n" for label, url in (address(rng, False) for _ in range(BEFORE)))
    say(f"== a model learns {BEFORE:,} addresses of the web from a file")
    run(program, folder, "train", "-qq", "-f", "url", "-o", "addresses.model", "addresses.tsv")
    say("\n== it is served, and learns on; so does a model of four topics that begins with nothing")
    words = ["serve", "-m", "addresses=addresses.model", "-m", "topics=topics.model", "--classes", "ovr", "--labels", "labels.db",
             "--listen", f"127.0.0.1:{free_port(given.port)}"]
    say("$ sluice " + " ".join(words))
    return Server(program, folder, words)


def invite(server, seconds):
    say(f"""
   open  {server.url}/   in a browser: it shows all this live

ask it yourself, in another terminal:
  printf 'http://prize-login.example/bonus\\n' | curl --data-binary @- '{server.url}/predict?model=addresses&format=url&proba=1&explain=3&json=1'
  printf 'a song for the choir\\n' | curl --data-binary @- '{server.url}/predict?model=topics&format=text&top-classes=2'
  curl {server.url}/metrics

It ends by itself after {seconds:,} seconds, and at once with Ctrl-C.
""")


class Traffic:
    """Addresses are predicted, and their labels come later; messages are learned at once, and others are predicted."""

    def __init__(self, server, rng):
        self.server, self.rng, self.number = server, rng, 0
        self.waiting = collections.deque()  # (the step they come in, lines ID<TAB>LABEL)

    def labels(self, now):
        while self.waiting and self.waiting[0][0] <= now:
            answers = self.server.post("/label?model=addresses", self.waiting.popleft()[1])
            bad = [answer for answer in answers if not answer.endswith("\tlearned")]
            if bad:
                raise Failed("a label was not learned: " + bad[0])

    def step(self, now, drifted):
        rows = [address(self.rng, drifted) for _ in range(ADDRESSES)]
        name = f"step{self.number}"
        self.number += 1
        self.server.post(f"/predict?model=addresses&format=url&remember={name}", [url for _, url in rows])
        self.waiting.append((now + DELAY, [f"{name}/{i + 1}\t{label}" for i, (label, _) in enumerate(rows)]))
        self.labels(now)
        self.server.post("/learn?model=topics&format=text", ["\t".join(message(self.rng)) for _ in range(MESSAGES)])
        self.server.post("/predict?model=topics&format=text", [message(self.rng)[1] for _ in range(MESSAGES)])


def show(server, given, rng):
    steps = max(LEAST_STEPS, given.seconds * STEPS)
    traffic, began, told = Traffic(server, rng), time.monotonic(), 0
    invite(server, steps // STEPS)
    say(f"== {ADDRESSES * STEPS} addresses a second are predicted; each label comes {DELAY / STEPS:.0f} s later")
    for now in range(steps):
        if now == steps // 2:
            say("== the bad addresses change: other words, half of which were good until now")
        traffic.step(now, now >= steps // 2)
        if (now + 1) % (STEPS * 10) == 0 and now + 1 < steps:
            told = tell(server, told)
        if not given.no_pause:
            time.sleep(max(0, began + (now + 1) / STEPS - time.monotonic()))
    traffic.labels(steps + DELAY)
    end = time.monotonic() + 60
    while server.figures()[0]["examples"] < steps * ADDRESSES:  # they are a second old at most
        if time.monotonic() > end:
            raise Failed("not every label was learned")
        time.sleep(0.1)
    if not tell(server, told):
        if given.seconds >= ENOUGH:
            raise Failed("no drift was noticed")
        print(f"   no drift was noticed: a run of {ENOUGH} s or more shows it")


def tell(server, told):
    """What the page shows; how many alarms it has. `told`: those that were told of."""
    figures, alarms = server.figures()
    for _, example, before, after in alarms[told:]:
        say(f"   drift at example {example:,}: the error rose from {100 * before:.1f} % to {100 * after:.1f} %")
    if figures["window_error"] is not None:
        say(f"   {figures['examples']:,} labels learned, error of the last {min(figures['window'], figures['examples']):,}: "
            f"{100 * figures['window_error']:.1f} %, {figures['nonzeros']:,} of {figures['features']:,} weights are not zero")
    return len(alarms)


def signals(action):
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, action)


def stop(*_):
    signals(signal.SIG_IGN)  # one is enough; what follows is soon done
    raise Stopped


def arguments():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--seconds", type=int, default=120, help="how long it goes on (default 120)")
    parser.add_argument("--port", type=int, help="of the server (default 8080, or any that is free)")
    parser.add_argument("--no-pause", action="store_true", help="sends one request after the other")
    return parser.parse_args()


def main():
    given = arguments()
    signals(stop)
    server, status = None, 0
    with tempfile.TemporaryDirectory(prefix="sluice-live-demo-") as folder:
        try:
            rng = random.Random(1)
            server = start(given, folder, rng)
            show(server, given, rng)
        except Stopped:
            say("\nstopped")
            status = 130
        except (Failed, OSError, subprocess.TimeoutExpired) as problem:
            say(f"\nthe demo failed: {problem}")
            status = 1
        finally:
            signals(signal.SIG_IGN)
            if server:
                ended = server.end()
                if not status and ended != 128 + signal.SIGTERM:
                    say(f"the demo failed: the server ended with status {ended}; it said: {' '.join(server.said)}")
                    status = 1
    if server:
        say("the server has saved and ended, and its folder is gone. More: docs/serve.md")
    return status


if __name__ == "__main__":
    sys.exit(main())
