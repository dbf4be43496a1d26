#!/usr/bin/env python3
"""Tests of the tests' own Kafka: kafka_checks.py fetch|mock|tool|broker [--tool PROGRAM] [--broker FOLDER]

fetch   jars that cannot be had, half-finished ones, finished ones; with a Maven and a Java that are shell scripts
mock    kafka_tool with its mock cluster
tool    kafka_tool on the broker that `broker.py start FOLDER` has started
broker  a broker that stops, dies, freezes and comes back; that ends when its parent does
"""
import argparse
import os
import signal
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.dont_write_bytecode = True
import broker  # noqa: E402
from kafka_clients import Mock, Tool, ToolFailed  # noqa: E402


def equal(got, wanted, what):
    if got != wanted:
        raise AssertionError(f"{what}: got {got!r}, wanted {wanted!r}")


def fails(status, text, call, *arguments, **more):
    try:
        call(*arguments, **more)
    except ToolFailed as failure:
        equal(failure.status, status, str(failure))
        if text not in str(failure):
            raise AssertionError(f"{text!r} is not in: {failure}")
    else:
        raise AssertionError(f"{arguments} did not fail")


def wait_until(what, question, seconds=60):
    end = time.monotonic() + seconds
    while not question():
        if time.monotonic() > end:
            raise AssertionError(f"not within {seconds} s: {what}")
        time.sleep(0.1)


# ---- fetch -------------------------------------------------------------------------------------------------------------

JAVA = """#!/bin/sh
for last; do :; done
case "$*" in
*-version*) echo 'openjdk version "VERSION"' >&2 ;;
*StorageTool*) mkdir "$(sed -n 's/^log.dirs=//p' "$last")" ;;
esac
"""
# the last argument names the folder; ACTION is what the test wants to happen between the first jar and the second
MAVEN = """#!/bin/sh
for last; do :; done
jars=${last#*=}
mkdir "$jars" && touch "$jars/one.jar" && echo called >>"$CALLS"
ACTION
touch "$jars/two.jar"
"""


def check_fetch(folder, _):
    programs, cache = os.path.join(folder, "programs"), os.path.join(folder, "cache")
    calls = os.path.join(folder, "calls")
    os.mkdir(programs)
    for name in ("sed", "mkdir", "touch", "sleep"):
        os.symlink(broker.shutil.which(name), os.path.join(programs, name))

    def program(name, text):
        with open(os.path.join(programs, name), "w", encoding="ascii") as f:
            f.write(text)
        os.chmod(f.name, 0o755)

    def start_fetch():
        environment = {"PATH": programs, "SLUICE_KAFKA_CACHE": cache, "CALLS": calls, "PYTHONDONTWRITEBYTECODE": "1"}
        return subprocess.Popen([sys.executable, os.path.join(HERE, "broker.py"), "fetch"], env=environment, text=True,
                                stdout=subprocess.PIPE, stderr=subprocess.PIPE, start_new_session=True)

    def fetch(status, text):
        process = start_fetch()
        out, err = process.communicate(timeout=60)
        equal((process.returncode, text in out), (status, True), f"broker.py fetch: {out}{err}")
        return out.strip()

    def folders(prefix):
        return [name for name in os.listdir(cache) if name.startswith(prefix)]

    fetch(broker.SKIP, "skipped: no Java")
    program("java", JAVA.replace("VERSION", "11.0.2"))
    fetch(broker.SKIP, "is older than Java 17")
    program("java", JAVA.replace("VERSION", "17.0.1"))
    fetch(broker.SKIP, "skipped: no Maven")
    program("mvn", MAVEN.replace("ACTION", "echo '[ERROR] no such host'; exit 1"))
    fetch(broker.SKIP, "skipped: Maven could not fetch the broker ([ERROR] no such host)")
    equal((folders("broker-"), folders("unfinished-")), ([], []), "after a Maven that failed")

    program("mvn", MAVEN.replace("ACTION", "sleep 1000"))
    killed = start_fetch()
    wait_until("the first jar is there", lambda: any(os.path.exists(os.path.join(cache, name, "jars", "one.jar"))
                                                     for name in folders("unfinished-")))
    with open(f"/proc/{killed.pid}/task/{killed.pid}/children", encoding="ascii") as f:
        mavens = [int(pid) for pid in f.read().split()]
    killed.kill()
    killed.communicate()
    for pid in mavens:  # the group of what it had started
        os.killpg(pid, signal.SIGKILL)
    equal((len(folders("broker-")), len(folders("unfinished-"))), (0, 1), "after a kill in the middle")

    program("mvn", MAVEN.replace("ACTION", ":"))
    two = [start_fetch(), start_fetch()]
    made = {process.communicate(timeout=60)[0].strip() for process in two}
    equal((len(made), [process.returncode for process in two]), (1, [0, 0]), "two at once")
    ready = made.pop()
    equal((sorted(os.listdir(os.path.join(ready, "jars"))), folders("unfinished-")), (["one.jar", "two.jar"], []), "complete")
    os.unlink(os.path.join(programs, "mvn"))
    equal(fetch(0, ""), ready, "fetched already")
    with open(calls, encoding="ascii") as f:
        equal(len(f.readlines()), 3, "calls of Maven: one that failed, one that was killed, one for all others")


# ---- kafka_tool --------------------------------------------------------------------------------------------------------


def check_mock(folder, options):
    with Mock(options.tool, folder, brokers=3, topics={"events": 2}) as mock:
        tool = mock.tool
        with open(mock.address_file, encoding="ascii") as f:
            equal(f.read().strip(), mock.bootstrap, "the file of the address")
        equal(len(mock.bootstrap.split(",")), 3, "brokers")
        tool("produce", "events", "--round-robin", lines=[str(i) for i in range(1000)])
        equal(tool.pairs("count", "events", "--by-partition"), [[0, 500, 0], [1, 500, 0]], "counts")
        mock.do("leader events 0 1")
        mock.do("leader events 1 2")
        mock.do("leader events 0 3")
        equal(tool.count("events"), 1000, "after the leader has moved")
        mock.do("down 2")
        fails(3, "no end within", tool, "count", "events", seconds=2)  # partition 1 has no leader
        mock.do("up 2")
        equal(tool.count("events"), 1000, "after a broker has come back")
        mock.do("error Fetch _TRANSPORT NOT_LEADER_FOR_PARTITION")
        equal(tool.count("events"), 1000, "after errors")
        began = time.monotonic()
        mock.do("rtt 300")
        equal(tool.count("events"), 1000, "behind a slow network")
        equal(time.monotonic() - began > 0.9, True, "it is slow: connect, metadata, fetch")
        mock.do("rtt 0")
        mock.do("create more 3")
        equal(tool.count("more"), 0, "a topic made later")
        for wrong in ("down 9", "leader events 7 1", "error Nothing _TRANSPORT", "error Fetch NOTHING", "fly"):
            try:
                mock.do(wrong)
            except broker.BrokerError:
                continue
            raise AssertionError(f"mock took: {wrong}")
        fails(2, "count takes no --key", tool, "count", "events", "--key", "a")
        fails(1, "is not a number", tool, "count", "events", "--partition", "x")
        fails(1, "events has 2 partitions", tool, "count", "events", "--partition", "2")


def check_tool(_, options):
    tool = Tool(options.tool, broker.started_in_background(options.broker))
    topic = f"tool-{os.getpid()}"

    def ends(*more):
        return tool.pairs("ends", topic, *more)

    tool("create", topic, 3, "retention.ms=86400000", seconds=120)
    fails(1, "already exists", tool, "create", topic, 3)
    fails(1, "Unknown topic", tool, "count", "no-" + topic)

    tool("produce", topic, "--escaped", "--null", "NULL", "--partition", 0, "--key", "k", "--header", "a=1", "--header", "b==,",
         lines=[b"plain", b"", b"NULL", rb"\t\n\r\0\\\xff"])
    headers = r"a=1,b=\x3d\x2c"
    equal(tool.read(topic), [["0", "0", "k", headers, "plain"], ["0", "1", "k", headers, ""], ["0", "2", "k", headers, r"\N"],
                             ["0", "3", "k", headers, r"\t\n\r\0\\\xff"]], "bytes come back as they were sent")
    equal(tool.pairs("count", topic, "--by-partition"), [[0, 4, 1], [1, 0, 0], [2, 0, 0]], "messages and tombstones")
    for codec in ("gzip", "snappy", "lz4", "zstd"):
        tool("produce", topic, "--partition", 2, "--key-field", "--header-field", "label", "--codec", codec,
             lines=[f"{codec}\t-1\t1:0.5\t2:1"])
    equal(tool.read(topic, "--partition", 2, "--from", 2),
          [["2", "2", "lz4", "label=-1", r"1:0.5\t2:1"], ["2", "3", "zstd", "label=-1", r"1:0.5\t2:1"]], "fields, codecs, offsets")

    lines = [str(i) for i in range(350)]
    tool("transactions", topic, "commit=100", "abort=50", "commit=200", "--partition", 1, lines=lines, seconds=120)
    equal([m[4] for m in tool.read(topic, "--partition", 1)], lines[:100] + lines[150:], "committed")
    equal(tool.count(topic, "--partition", 1, "--isolation", "read_uncommitted"), 350, "with aborted messages")
    equal(ends()[1], [1, 0, 353], "markers take offsets")
    tool("transactions", topic, "open=5", "--partition", 1, lines=lines[:5])
    equal(tool.count(topic, "--partition", 1), 300, "messages of an open transaction are not there yet")
    equal((ends()[1], ends("--isolation", "read_uncommitted")[1]), ([1, 0, 353], [1, 0, 358]), "ends with an open transaction")
    tool("transactions", topic, "commit=1", "--partition", 1, lines=["x"])
    equal((tool.count(topic, "--partition", 1), ends()[1]), (301, [1, 0, 361]), "whoever has its id next aborts it")

    tool("delete-records", topic, 1, 120)
    equal((ends()[1], tool.count(topic, "--partition", 1)), ([1, 120, 361], 201), "without the first 120 offsets")
    equal(tool.pairs("offsets", "nobody", topic), [[0, None], [1, None], [2, None]], "a group that has committed nothing")

    tool("produce", topic, "--round-robin", lines=[str(i) for i in range(30000)])
    rate = dict(line.split() for line in tool("rate", topic).splitlines())
    equal(int(rate["messages"]), tool.count(topic), "the rate is that of all messages")
    equal(float(rate["seconds"]) > 0 and float(rate["cpu"]) > 0, True, "the rate takes time")
    fails(3, "no end within", tool, "count", topic, "--at-least", 1000000, seconds=1)
    fails(1, "too few", tool, "transactions", topic, "commit=3", lines=["1"])  # may leave an open transaction: comes last
    tool("delete", topic)
    fails(1, "Unknown topic", tool, "count", topic)


# ---- broker ------------------------------------------------------------------------------------------------------------


def processes(folder):
    """Those whose command line has the folder in it: a broker and its guard."""
    found = []
    for pid in filter(str.isdigit, os.listdir("/proc")):
        try:
            with open(f"/proc/{pid}/cmdline", "rb") as f:
                if folder.encode() in f.read() and int(pid) != os.getpid():
                    found.append(int(pid))
        except OSError:
            pass
    return found


PARENT = """
import os, signal, sys
sys.path.insert(0, sys.argv[1])
import broker
b = broker.Broker(sys.argv[2])
print(b.start().bootstrap, flush=True)
signal.pause()
"""


def check_broker(folder, options):
    # retention as it comes in a week, within a second: its first look is otherwise after 30 s, the next after 5 minutes
    quick = {"log.initial.task.delay.ms": 100, "log.retention.check.interval.ms": 200}
    place = os.path.join(folder, "first")
    with broker.Broker(place, quick) as b:
        tool = Tool(options.tool, b.bootstrap)
        equal(tool("cluster").strip(), b.cluster_id, "cluster id")
        tool("create", "events", 1)
        tool("produce", "events", lines=["1", "2"])
        tool("create", "old", 1, "retention.ms=1000000")
        tool("produce", "old", "--timestamp", 1000000000000, lines=["1", "2"])
        wait_until("retention has deleted what is old", lambda: tool.pairs("ends", "old") == [[0, 2, 2]])
        tool("produce", "old", lines=["3"])
        equal([m[1] for m in tool.read("old")], ["2"], "what is new stays")
        b.stop()
        equal(processes(place), [], "processes of a broker that was stopped")
        b.start()
        equal((tool.count("events"), tool("cluster").strip()), (2, b.cluster_id), "the same data at the same address")
        tool("produce", "events", lines=["3"])
        b.kill()
        equal(processes(place), [], "processes of a broker that was killed")
        b.start()
        equal(tool.count("events"), 3, "nothing is lost by kill -9")
        b.freeze()
        try:
            fails(3, "no end within", tool, "count", "events", seconds=2)
        finally:
            b.thaw()
        equal(tool.count("events"), 3, "thawed")
    equal(processes(place), [], "processes afterwards")

    # a parent that is killed, and a guard that is killed
    for who in ("parent", "guard"):
        place = os.path.join(folder, who)
        parent = subprocess.Popen([sys.executable, "-c", PARENT, HERE, place], stdout=subprocess.PIPE, text=True)
        equal(parent.stdout.readline().startswith("127.0.0.1:"), True, "the parent has a broker")
        victim = parent.pid
        if who == "guard":
            with open(f"/proc/{victim}/task/{victim}/children", encoding="ascii") as f:
                victim = int(f.read())
        os.kill(victim, signal.SIGKILL)
        wait_until(f"no broker without its {who}", lambda: processes(place) in ([], [parent.pid]))
        parent.kill()
        parent.communicate()

    try:  # a broker that cannot start says why
        broker.Broker(os.path.join(folder, "wrong"), {"log.segment.bytes": "much"}).start()
    except broker.BrokerError as problem:
        equal("log.segment.bytes" in str(problem), True, str(problem))
    else:
        raise AssertionError("a broker with wrong properties started")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "mock", "tool", "broker"])
    parser.add_argument("--tool", help="kafka_tool")
    parser.add_argument("--broker", metavar="FOLDER", help="of broker.py start")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="sluice-kafka-") as folder:
        try:
            globals()["check_" + options.what](folder, options)
        except broker.Missing as why:
            print(f"skipped: {why}")
            return broker.SKIP
    print("passed")
    return 0


if __name__ == "__main__":
    sys.exit(main())
