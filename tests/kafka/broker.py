#!/usr/bin/env python3
"""A Kafka broker for the tests: one KRaft node on free ports of 127.0.0.1.

    with Broker(folder) as broker:                   # the folder gets broker.properties, broker.log and data/
        run("--kafka", broker.bootstrap)
        broker.stop()                                # goes away, also broker.kill(), broker.freeze() ... broker.thaw()
        broker.start()                               # comes back: same port, same data

On the command line (exit status 77, and a line `skipped: REASON`, where the broker cannot be had):

    broker.py fetch                                  jars into build/kafka, once; prints where they are
    broker.py run FOLDER [NAME=VALUE...]             in the foreground, until Ctrl-C, SIGTERM or, if standard input is a pipe,
                                                     its end
    broker.py start FOLDER [--watch PID] [NAME=VALUE...]  in the background, until `stop` or the process PID (default: the
                                                     ctest that called) ends; FOLDER/bootstrap has the address
    broker.py stop FOLDER
"""
import argparse
import base64
import ctypes
import fcntl
import glob
import hashlib
import os
import random
import re
import select
import shutil
import signal
import socket
import stat
import struct
import subprocess
import sys
import tempfile
import time
import uuid

HERE = os.path.dirname(os.path.abspath(__file__))
CACHE = os.environ.get("SLUICE_KAFKA_CACHE") or os.path.join(os.path.dirname(os.path.dirname(HERE)), "build", "kafka")
SKIP = 77  # SKIP_RETURN_CODE of the tests
FETCH_SECONDS = 600
START_SECONDS = 120  # it takes 2 to 12
STOP_SECONDS = 40

PROPERTIES = {
    "process.roles": "broker,controller",
    "node.id": "1",
    "controller.listener.names": "CONTROLLER",
    "listener.security.protocol.map": "PLAINTEXT:PLAINTEXT,CONTROLLER:PLAINTEXT",
    "inter.broker.listener.name": "PLAINTEXT",
    "auto.create.topics.enable": "false",
    # internal topics: one replica, one partition, so that a broker alone has them, and soon
    "offsets.topic.replication.factor": "1",
    "offsets.topic.num.partitions": "1",
    "transaction.state.log.replication.factor": "1",
    "transaction.state.log.min.isr": "1",
    "transaction.state.log.num.partitions": "1",
    "share.coordinator.state.topic.replication.factor": "1",
    "share.coordinator.state.topic.min.isr": "1",
    "share.coordinator.state.topic.num.partitions": "1",
    "group.initial.rebalance.delay.ms": "0",
    # after kill -9 the controller, which comes back with the broker, waits this long before it lets it register again
    "broker.session.timeout.ms": "4000",
    "broker.heartbeat.interval.ms": "1000",
    "num.network.threads": "2",
    "num.io.threads": "2",
    "log.cleaner.dedupe.buffer.size": "2097152",
}
# the first compiler alone: up in two thirds of the time and half of the CPU; -UsePerfData: no files in /tmp
JVM = ["-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Xms64m", "-Xmx256m", "-XX:-UsePerfData", "-XX:+ExitOnOutOfMemoryError"]
LOGGER = "-Dorg.slf4j.simpleLogger."
LOG = [LOGGER + "showDateTime=true", LOGGER + "dateTimeFormat=yyyy-MM-dd HH:mm:ss.SSS", LOGGER + "showShortLogName=true",
       LOGGER + "log.org.apache.kafka.common.config.AbstractConfig=warn",  # 300 lines of settings at every start
       LOGGER + "log.org.apache.kafka.common.config.ConfigDef=warn"]


class Missing(Exception):
    """What the broker needs is not on this machine; the text says what."""


class BrokerError(Exception):
    pass


# ---- the jars ----------------------------------------------------------------------------------------------------------


def find_java():
    home = os.environ.get("JAVA_HOME")
    java = shutil.which(os.path.join(home, "bin", "java") if home else "java") or shutil.which("java")
    if not java:
        raise Missing("no Java (Debian: default-jre-headless)")
    return java


def java_version(java):
    shown = subprocess.run([java, "-version"], capture_output=True, text=True, timeout=60)
    found = re.search(r'version "(\d+)', shown.stderr + shown.stdout)
    return int(found.group(1)) if found else 0


def run_quietly(command, log, seconds):
    """Runs it in a group of its own, which is killed if time runs out. Its status, or None."""
    with open(log, "wb") as out:
        child = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=out, stderr=out, start_new_session=True)
        try:
            return child.wait(seconds)
        except BaseException as problem:
            os.killpg(child.pid, signal.SIGKILL)
            child.wait()
            if isinstance(problem, subprocess.TimeoutExpired):
                return None
            raise


def last_line(log):
    with open(log, encoding="utf-8", errors="replace") as text:
        lines = [line.strip() for line in text if line.strip()]
    errors = [line for line in lines if line.startswith(("[ERROR]", "Exception", "Error"))]
    return (errors or lines or ["it said nothing"])[0][:300]


def prepare(cache=CACHE):
    """The folder with jars/ and a formatted data folder."""
    return fetched("broker", os.path.join(HERE, "pom.xml"), cache,
                   lambda made: format_data(find_java(), made, os.path.join(cache, "format.log")))


def fetched(what, pom, cache=CACHE, finish=lambda made: None):
    """A folder with the jars of a pom in jars/ and what `finish` adds, made once. It gets its name when it is complete."""
    java = find_java()
    with open(pom, "rb") as f:
        ready = os.path.join(cache, what + "-" + hashlib.sha256(f.read()).hexdigest()[:12])
    if os.path.isdir(ready):
        return ready
    if java_version(java) < 17:
        raise Missing(f"{java} is older than Java 17, which the {what} needs")
    maven = shutil.which("mvn")
    if not maven:
        raise Missing(f"no Maven to fetch the {what} with (Debian: maven)")
    os.makedirs(cache, exist_ok=True)
    with open(os.path.join(cache, "lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # whoever comes second finds it made
        if os.path.isdir(ready):
            return ready
        for left in glob.glob(os.path.join(cache, "unfinished-*")):  # of a fetch that was interrupted
            shutil.rmtree(left)
        made = tempfile.mkdtemp(prefix="unfinished-", dir=cache)
        try:
            fetch_jars(maven, pom, os.path.join(made, "jars"), os.path.join(cache, "maven.log"), what)
            finish(made)
            os.rename(made, ready)
        finally:
            shutil.rmtree(made, ignore_errors=True)
    return ready


def fetch_jars(maven, pom, jars, log, what):
    status = run_quietly([maven, "-q", "-B", "-C", "-Dstyle.color=never", "-f", pom, "dependency:copy-dependencies",
                          "-DincludeScope=runtime", "-DoutputDirectory=" + jars], log, FETCH_SECONDS)
    if status != 0:
        why = f"no end within {FETCH_SECONDS} s" if status is None else last_line(log)
        raise Missing(f"Maven could not fetch the {what} ({why}); all of it: {log}")


def format_data(java, made, log):
    """Once for all brokers: a folder is then formatted by copying this one and giving it a cluster id of its own."""
    settings = os.path.join(made, "format.properties")
    write_properties(settings, {**PROPERTIES, **addresses(9092, 9093), "log.dirs": os.path.join(made, "formatted")})
    status = run_quietly([java, *JVM, *LOG, "-cp", os.path.join(made, "jars", "*"), "kafka.tools.StorageTool", "format",
                          "--cluster-id", new_id(), "--config", settings], log, START_SECONDS)
    if status != 0:
        raise BrokerError(f"the data folder was not formatted: {last_line(log)}; all of it: {log}")


# ---- one broker --------------------------------------------------------------------------------------------------------


def new_id():
    """As Kafka writes a random id; a first `-` would look like an option to its tools."""
    while True:
        text = base64.urlsafe_b64encode(uuid.uuid4().bytes).decode().rstrip("=")
        if not text.startswith("-"):
            return text


def addresses(port, controller):
    return {"listeners": f"PLAINTEXT://127.0.0.1:{port},CONTROLLER://127.0.0.1:{controller}",
            "advertised.listeners": f"PLAINTEXT://127.0.0.1:{port}",
            "controller.quorum.voters": f"1@127.0.0.1:{controller}"}


def write_properties(path, properties):
    with open(path, "w", encoding="utf-8") as f:
        for name, value in properties.items():
            f.write(f"{name}={value}\n".replace("\\", "\\\\"))


def free_ports(count):
    """Ports below those that the kernel gives to connections: nobody gets a stopped broker's port by chance, and a client that
    keeps connecting to it cannot be connected to itself."""
    with open("/proc/sys/net/ipv4/ip_local_port_range", encoding="ascii") as f:
        end = int(f.read().split()[0])
    taken = []
    try:
        while len(taken) < count:
            port = random.SystemRandom().randrange(end // 2, end) if end >= 4096 else 0
            listener = socket.socket()
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            try:
                listener.bind(("127.0.0.1", port))
                taken.append(listener)
            except OSError:
                listener.close()
        return [listener.getsockname()[1] for listener in taken]
    finally:
        for listener in taken:
            listener.close()


def answers(port):
    """Whether a broker at the port has itself in its metadata: it is registered and takes requests."""
    body = struct.pack(">hhih", 3, 4, 1, -1) + struct.pack(">ib", 0, 0)  # Metadata 4, no client id; no topics, creates none
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=2) as connection:
            connection.sendall(struct.pack(">i", len(body)) + body)
            got = b""
            while len(got) < 16:
                more = connection.recv(4096)
                if not more:
                    return False
                got += more
    except OSError:
        return False
    _, _, _, brokers = struct.unpack(">iiii", got[:16])  # length, correlation id, throttle time, number of brokers
    return brokers > 0


class Broker:
    """A broker in `folder`, which may not exist. `properties` go over PROPERTIES, `jvm` over JVM. Without `watch` the broker
    ends when this object's process does; with it, when the process `watch` does, or with stop_in_background()."""

    def __init__(self, folder, properties=None, jvm=(), cache=CACHE, watch=None):
        self.folder = os.path.abspath(folder)
        self.given = {name: str(value) for name, value in (properties or {}).items()}
        self.jvm, self.watch = list(jvm), watch
        self.ready = prepare(cache)
        self.log = os.path.join(self.folder, "broker.log")
        self.cluster_id = new_id()
        self.guard = None
        os.makedirs(os.path.join(self.folder, "tmp"), exist_ok=True)
        data = os.path.join(self.folder, "data")
        shutil.copytree(os.path.join(self.ready, "formatted"), data)
        meta = os.path.join(data, "meta.properties")
        with open(meta, encoding="utf-8") as f:
            text = f.read()
        for name, value in (("cluster.id", self.cluster_id), ("directory.id", new_id())):
            text, count = re.subn(rf"(?m)^{name}=.*$", f"{name}={value}", text)
            if count != 1:
                raise BrokerError(f"{meta} has no {name}")
        with open(meta, "w", encoding="utf-8") as f:
            f.write(text)
        self.choose_ports()

    def choose_ports(self):
        self.port, self.controller_port = free_ports(2)
        self.bootstrap = f"127.0.0.1:{self.port}"

    def start(self, timeout=START_SECONDS, properties=None):
        """Starts it, for the first time or again, and returns when it answers. `properties`: changes, kept from now on."""
        if self.guard:
            raise BrokerError("the broker has been started already")
        self.given.update({name: str(value) for name, value in (properties or {}).items()})
        again = os.path.exists(self.log)
        for last in (False, False, True):
            try:
                self.try_to_start(timeout)
                return self
            except BrokerError as problem:  # somebody else took a port between its choice and now
                if last or again or "BindException" not in str(problem):
                    raise
                self.choose_ports()

    def try_to_start(self, timeout):
        settings = os.path.join(self.folder, "broker.properties")
        write_properties(settings, {**PROPERTIES, **addresses(self.port, self.controller_port),
                                    "log.dirs": os.path.join(self.folder, "data"), **self.given})
        command = [find_java(), *JVM, *self.jvm, *LOG, "-Djava.io.tmpdir=" + os.path.join(self.folder, "tmp"),
                   "-cp", os.path.join(self.ready, "jars", "*"), "kafka.Kafka", settings]
        said = os.path.getsize(self.log) if os.path.exists(self.log) else 0
        with open(self.log, "ab") as log:  # the guard is in a session of its own: Ctrl-C is for the tests
            self.guard = subprocess.Popen([sys.executable, os.path.abspath(__file__), "guard", str(self.watch or 0), *command],
                                          stdin=subprocess.DEVNULL if self.watch else subprocess.PIPE, stdout=log, stderr=log,
                                          cwd=self.folder, start_new_session=True, bufsize=0)
        end = time.monotonic() + timeout
        try:
            while not answers(self.port):
                ended = self.guard.poll() is not None
                if ended or time.monotonic() > end:
                    with open(self.log, encoding="utf-8", errors="replace") as f:
                        f.seek(said)
                        text = f.read()
                    why = "ended" if ended else f"did not answer within {timeout} s"
                    raise BrokerError(f"the broker {why}; the end of {self.log}:\n{text[-4000:]}")
                time.sleep(0.05)
        except BaseException:
            self.kill()
            raise

    def tell(self, word):
        try:
            self.guard.stdin.write(word.encode() + b"\n")
        except BrokenPipeError:  # it has ended
            pass

    def finish(self, timeout):
        guard, self.guard = self.guard, None
        if guard.stdin:
            guard.stdin.close()
        try:
            guard.wait(timeout)
        except BaseException:
            guard.kill()  # the broker with it: it dies with its parent
            guard.wait()
            raise

    def stop(self):
        """Cleanly: segments are flushed and closed. What does not stop is killed."""
        if self.guard:
            if self.watch:
                self.guard.terminate()
            self.finish(STOP_SECONDS + 10)

    def kill(self):
        """kill -9. What it had answered is in the page cache, so that nothing is lost."""
        if self.guard:
            self.guard.terminate() if self.watch else self.tell("KILL")
            self.finish(STOP_SECONDS + 10)

    def freeze(self):
        """It keeps its connections and says nothing, as behind a network that has failed, until thaw()."""
        self.tell("STOP")

    def thaw(self):
        self.tell("CONT")

    def restart(self, properties=None):
        self.stop()
        return self.start(properties=properties)

    def __enter__(self):
        return self.start()

    def __exit__(self, *_):
        self.stop()


def guard(watch, command):
    """The broker's parent: signals on command from standard input, a clean stop at its end, or when `watch` or SIGTERM says so.
    If the guard is killed, the kernel kills the broker."""
    libc = ctypes.CDLL(None, use_errno=True)
    me = os.getpid()

    def die_with_parent():
        libc.prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
        if os.getppid() != me:
            os._exit(1)

    asked, ask = os.pipe()
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
        signal.signal(number, lambda *_: os.write(ask, b"x"))
    signal.signal(signal.SIGCHLD, lambda *_: os.write(ask, b"c"))
    child = subprocess.Popen(command, stdin=subprocess.DEVNULL, preexec_fn=die_with_parent)
    try:
        source = os.pidfd_open(watch) if watch else 0
    except ProcessLookupError:
        source = asked
        os.write(ask, b"x")
    words = b""
    going = True
    while going and child.poll() is None:
        for fd in select.select([asked, source], [], [])[0]:
            if fd == asked:
                going = going and b"x" not in os.read(asked, 100)
            elif watch:
                going = False
            else:
                got = os.read(0, 100)
                going = going and bool(got)
                *lines, words = (words + got).split(b"\n")
                for line in lines:
                    child.send_signal(getattr(signal, "SIG" + line.decode()))
    if child.poll() is None:
        child.send_signal(signal.SIGCONT)
        child.terminate()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            child.kill()
            child.wait()


# ---- in the background, for ctest --------------------------------------------------------------------------------------


def calling_ctest():
    pid = os.getppid()
    while pid > 1:
        with open(f"/proc/{pid}/status", encoding="utf-8", errors="replace") as f:
            status = dict(line.split(":\t", 1) for line in f.read().splitlines() if ":\t" in line)
        if status["Name"].startswith("ctest"):
            return pid
        pid = int(status["PPid"])
    raise BrokerError("not called by ctest: use --watch PID")


def start_in_background(folder, watch, properties):
    stop_in_background(folder)  # of a ctest that did not come to its end
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    try:
        broker = Broker(folder, properties, watch=watch or calling_ctest()).start()
    except Missing as why:
        put(folder, "missing", why)
        raise
    put(folder, "guard.pid", broker.guard.pid)
    put(folder, "bootstrap", broker.bootstrap)
    print(broker.bootstrap)


def put(folder, name, value):
    with open(os.path.join(folder, name), "w", encoding="utf-8") as f:
        f.write(f"{value}\n")


def started_in_background(folder):
    """The address of the broker that `start FOLDER` has started; Missing with the reason if it could not be had."""
    for name in ("bootstrap", "missing"):
        try:
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                text = f.read().strip()
        except FileNotFoundError:
            continue
        if name == "missing":
            raise Missing(text)
        return text
    raise BrokerError(f"no broker was started in {folder}")


def stop_in_background(folder):
    """Afterwards there are no process and no data; the log stays."""
    try:
        with open(os.path.join(folder, "guard.pid"), encoding="ascii") as f:
            pid = int(f.read())
        process = os.pidfd_open(pid)
        with open(f"/proc/{pid}/cmdline", "rb") as f:
            if os.path.abspath(__file__).encode() not in f.read().split(b"\0"):
                raise ProcessLookupError("another process has its number now")
        signal.pidfd_send_signal(process, signal.SIGTERM)
        if not select.select([process], [], [], STOP_SECONDS + 10)[0]:
            signal.pidfd_send_signal(process, signal.SIGKILL)
    except (FileNotFoundError, ProcessLookupError):
        pass
    for name in ("guard.pid", "bootstrap", "missing"):
        if os.path.exists(os.path.join(folder, name)):
            os.unlink(os.path.join(folder, name))
    shutil.rmtree(os.path.join(folder, "data"), ignore_errors=True)


def run_in_foreground(folder, properties):
    def stop(*_):
        raise KeyboardInterrupt

    signal.signal(signal.SIGTERM, stop)
    try:
        with Broker(folder, properties) as broker:
            print(broker.bootstrap, flush=True)
            if stat.S_ISFIFO(os.fstat(0).st_mode):
                while os.read(0, 4096):
                    pass
            else:  # a terminal, which may be another job's, or /dev/null
                while True:
                    signal.pause()
    except KeyboardInterrupt:
        pass


def main():
    if sys.argv[1:2] == ["guard"]:
        return guard(int(sys.argv[2]), sys.argv[3:])
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("what", choices=["fetch", "run", "start", "stop"])
    parser.add_argument("--watch", type=int, metavar="PID")
    parser.add_argument("arguments", nargs="*")
    options = parser.parse_intermixed_args()
    if options.what != "fetch" and not options.arguments:
        parser.error("which folder?")
    folder = options.arguments[0] if options.arguments else None
    properties = dict(argument.split("=", 1) for argument in options.arguments[1:])
    try:
        if options.what == "fetch":
            print(prepare())
        elif options.what == "run":
            run_in_foreground(folder, properties)
        elif options.what == "start":
            start_in_background(folder, options.watch, properties)
        else:
            stop_in_background(folder)
    except Missing as why:
        print(f"skipped: {why}")
        return SKIP
    except BrokerError as problem:
        print(f"broker.py: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
