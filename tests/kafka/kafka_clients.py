"""kafka_tool (kafka_tool.c) from Python: its commands, and its mock cluster as a context manager."""
import os
import subprocess

import broker


class ToolFailed(Exception):
    """A command of kafka_tool ended with a status other than 0; `status` 3: it had no end within its time."""

    def __init__(self, command, status, message):
        super().__init__(f"{' '.join(command)}: status {status}: {message}")
        self.status = status


class Tool:
    """tool("count", "events") runs kafka_tool on the brokers and returns what it printed. `lines` are the messages to send:
    bytes, or a list of lines."""

    def __init__(self, program, brokers):
        self.program, self.brokers = program, brokers

    def __call__(self, *arguments, lines=b"", seconds=60):
        if not isinstance(lines, bytes):
            lines = b"".join((line if isinstance(line, bytes) else line.encode()) + b"\n" for line in lines)
        command = [self.program, "-b", self.brokers, "-T", str(seconds), *map(str, arguments)]
        done = subprocess.run(command, input=lines, capture_output=True, timeout=seconds + 30)
        if done.returncode:
            raise ToolFailed(command, done.returncode, done.stderr.decode("utf-8", "replace").strip())
        return done.stdout.decode()

    def count(self, topic, *options):
        return int(self("count", topic, *options))

    def read(self, topic, *options):
        """[partition, offset, key, headers, payload] of every message, escaped as kafka_tool does."""
        return [line.split("\t") for line in self("read", topic, *options).splitlines()]

    def pairs(self, *arguments):
        """The lines of `ends` and so on as lists of numbers, None for `-`."""
        return [[None if word == "-" else int(word) for word in line.split()] for line in self(*arguments).splitlines()]


class Mock:
    """librdkafka's mock cluster with `brokers` brokers and `topics` (name: partitions), in a process of its own.

        with Mock(kafka_tool, folder, topics={"events": 2}) as mock:
            mock.tool("produce", "events", lines=["1 1:1"])
            mock.do("down 1")                            # the commands are in README.md

    It keeps the newest 5 MB of a partition, and hands out messages of aborted transactions."""

    def __init__(self, program, folder, brokers=3, topics=None):
        self.address_file = os.path.join(folder, "mock.address")
        words = [f"{name}:{partitions}" for name, partitions in (topics or {}).items()]
        self.process = subprocess.Popen([program, "mock", str(brokers), self.address_file, *words],
                                        stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.bootstrap = self.process.stdout.readline().strip()
        if not self.bootstrap:
            self.close()
            raise broker.BrokerError("the mock cluster did not start")
        self.tool = Tool(program, self.bootstrap)

    def do(self, command):
        self.process.stdin.write(command + "\n")
        self.process.stdin.flush()
        answer = self.process.stdout.readline().strip()
        if answer != "ok":
            raise broker.BrokerError(f"mock: {command}: {answer or 'it has ended'}")

    def close(self):
        self.process.stdin.close()  # which ends it
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
        self.process.stdout.close()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.close()
