#!/usr/bin/env python3
"""`sluice train --kafka` beside a bare consumer of librdkafka that discards what it gets (kafka_tool rate), alternating in
one run: messages a second of the whole process, its CPU time a message, and the rate as a share of the bare consumer's.
Then the time of a run over one message: what starting, connecting and ending take.

    bench/kafka_rate.py                                  # starts a broker of its own (tests/kafka/broker.py), and ends it
    bench/kafka_rate.py --partitions 4 --learners ssol --orders arrival --rounds 9
    bench/kafka_rate.py --others old=/tmp/old/sluice     # another build, in the same rounds

The broker works on the same machine, on as many cores as it likes: on a busy machine the rates scatter, and CPU times repeat
better. The best of the rounds counts.
"""
import argparse
import os
import subprocess
import sys
import tempfile
import time

import common

sys.path.insert(0, os.path.join(common.ROOT, "tests", "kafka"))
import broker  # noqa: E402
from kafka_clients import Tool  # noqa: E402


def timed(command):
    """(seconds, seconds of CPU) of a command."""
    with tempfile.TemporaryFile() as said:
        began = time.monotonic()
        process = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=said)
        _, status, usage = os.wait4(process.pid, 0)
        seconds = time.monotonic() - began
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            said.seek(0)
            raise common.Failed(f"{' '.join(command)}: exit status {process.returncode}: {said.read().decode()[-300:]}")
    return seconds, usage.ru_utime + usage.ru_stime


def best(commands, rounds):
    """The best seconds and the best CPU seconds of each command, in every round every command."""
    found = {}
    for _ in range(rounds):
        for name, command in commands.items():
            now = timed(command)
            found[name] = tuple(map(min, now, found.get(name, now)))
    return found


def commands_of(args, programs, tool, topic, partitions):
    commands = {("bare consumer", "", ""): [tool.program, "-b", tool.brokers, "-T", "300", "rate", topic]}
    for build, program in programs.items():
        for learner in args.learners.split(","):
            for order in args.orders.split(",") if partitions > 1 else ["arrival"]:
                commands[build, learner, order] = [program, "train", "-a", learner, "--kafka", tool.brokers, "--topic", topic,
                                                   "--until-end", "--order", order, "-qq"]
    return commands


def measure_rates(args, programs, tool, stream):
    rows = []
    with open(stream, "rb") as file:
        lines = file.read()
    for partitions in map(int, args.partitions.split(",")):
        topic = f"events{partitions}"
        tool("create", topic, partitions)
        tool("produce", topic, "-r", lines=lines, seconds=600)
        found = best(commands_of(args, programs, tool, topic, partitions), args.rounds)
        bare, bare_cpu = found["bare consumer", "", ""]
        for (what, learner, order), (seconds, cpu) in found.items():
            rows.append({"what": what, "learner": learner, "order": order, "partitions": partitions,
                         "messages/s": f"{args.messages / seconds:.0f}", "of bare": f"{bare / seconds:.2f}",
                         "CPU us": f"{cpu / args.messages * 1e6:.2f}", "bare CPU": f"{bare_cpu / cpu:.2f}"})
    return rows


def measure_starts(args, programs, tool):
    tool("create", "one", 1)
    tool("produce", "one", lines=["1 1:1"])
    file = os.path.join(args.dir, "one.svm")
    with open(file, "w") as one:
        one.write("1 1:1\n")
    commands = {("bare consumer", "Kafka"): [tool.program, "-b", tool.brokers, "rate", "one"]}
    for build, program in programs.items():
        commands[build, "Kafka"] = [program, "train", "--kafka", tool.brokers, "--topic", "one", "--until-end", "-qq"]
        commands[build, "file"] = [program, "train", file, "-qq"]
        commands[build, "--version"] = [program, "--version"]
    return [{"what": what, "one message from": source, "ms": f"{1e3 * seconds:.1f}", "CPU ms": f"{1e3 * cpu:.1f}"}
            for (what, source), (seconds, cpu) in best(commands, 5 * args.rounds).items()]


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--tool", default=os.path.join(common.ROOT, "build/release/bin/kafka_tool"))
    parser.add_argument("--messages", type=int, default=1_000_000, help="LIBSVM lines of 220 bytes")
    parser.add_argument("--partitions", default="1,4")
    parser.add_argument("--learners", default="auto,ssol,pa-1")
    parser.add_argument("--orders", default="arrival,deterministic")
    parser.add_argument("--others", default="", help="NAME=PROGRAM,...: other builds")
    args = parser.parse_args()
    sluice, _ = common.prepare(args)
    programs = {"sluice": sluice, **dict(other.split("=", 1) for other in args.others.split(",") if other)}
    stream = common.synth(sluice, args.dir, ".svm", rows=args.messages, dim=47000, nonzeros=15)
    try:
        with tempfile.TemporaryDirectory(prefix="kafka-", dir=args.dir) as folder, broker.Broker(folder) as node:
            tool = Tool(args.tool, node.bootstrap)
            rates = measure_rates(args, programs, tool, stream)
            starts = measure_starts(args, programs, tool)
    except broker.Missing as why:
        sys.exit(f"bench/kafka_rate.py needs what is not here: {why}")
    common.table(rates)
    print()
    common.table(starts)
    what = f"bench/kafka_rate.py {' '.join(sys.argv[1:])}: {args.messages} messages of {os.path.getsize(stream) // args.messages} bytes"
    comments = [f"{what}, best of {args.rounds} rounds", *common.machine(args)]
    common.save(os.path.join(args.results, "kafka.csv"), comments, rates)
    common.save(os.path.join(args.results, "kafka_start.csv"), comments, starts)


if __name__ == "__main__":
    main()
