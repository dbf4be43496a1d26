"""What the torture tests share: tiny inputs, one run of the program under fault_shim.c, workers."""

import argparse
import bz2
import ctypes
import errno
import gzip
import lzma
import mmap
import multiprocessing
import os
import random
import resource
import shutil
import signal
import stat
import struct
import subprocess
import sys
import tempfile

CLASSES = ("alloc", "loading", "open", "read", "write", "stderr", "sync", "close", "rename", "unlink", "filemap", "pipe", "thread",
           "truncate", "lock", "stat", "dup", "mode", "seek", "poll", "random")  # as in fault_shim.c
COUNTS = struct.Struct(f"{len(CLASSES)}QQ64s")
OLD_MODE = 0o640  # of a file that a run replaces: not what a new file would get
TIME_LIMIT = 60  # seconds; there to end what hangs


class Outcome:
    """What one run left: status (negative: the signal), stdout, stderr, counts, files (name: (bytes, mode))."""

    def __init__(self, status, hung, out, err, calls, fired, where, files):
        self.status, self.hung, self.out, self.err = status, hung, out, err
        self.calls, self.fired, self.where, self.files = calls, fired, where, files


class Runner:
    """Runs the program in a folder of its own, which is the working directory of this process from now on."""

    def __init__(self, sluice, shim, folder):
        self.sluice, self.shim, self.folder = os.path.abspath(sluice), os.path.abspath(shim), folder
        os.makedirs(folder, exist_ok=True)
        os.chdir(folder)
        os.umask(0o022)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        self.counts_path = folder + ".counts"
        with open(self.counts_path, "wb") as f:
            f.write(bytes(COUNTS.size))
        with open(self.counts_path, "r+b") as f:
            self.counts = mmap.mmap(f.fileno(), COUNTS.size)
        self.out, self.err = os.memfd_create("stdout"), os.memfd_create("stderr")
        self.nothing = os.open("/dev/null", os.O_RDONLY)
        self.pid = None
        signal.signal(signal.SIGALRM, self._end_run)

    def _end_run(self, *_):
        self.hung = True
        if self.pid:
            os.kill(self.pid, signal.SIGKILL)

    def lay_out(self, files):
        """Empties the folder and writes what a run finds there."""
        for name in os.listdir("."):
            os.unlink(name)
        for name, content in files.items():
            fd = os.open(name, os.O_WRONLY | os.O_CREAT, OLD_MODE)
            os.write(fd, content)
            os.fchmod(fd, OLD_MODE)
            os.close(fd)

    def start(self, arguments, fault=None, stdin=None, log=None, extra=()):
        """Starts the program; wait() tells how it ended."""
        environment = {"PATH": os.environ.get("PATH", ""), "LC_ALL": "C.UTF-8", "LD_PRELOAD": self.shim,
                       "SLUICE_FAULT_COUNTS": self.counts_path,
                       "ASAN_OPTIONS": "verify_asan_link_order=0:allocator_may_return_null=1:detect_leaks=0", **dict(extra)}
        if fault:
            environment["SLUICE_FAULT"] = fault
        if log:
            environment["SLUICE_FAULT_LOG"] = log
        self.counts[:] = bytes(COUNTS.size)
        for fd in (self.out, self.err):
            os.ftruncate(fd, 0)
            os.lseek(fd, 0, os.SEEK_SET)
        source = os.open(stdin, os.O_RDONLY) if stdin else self.nothing
        self.hung = False
        signal.setitimer(signal.ITIMER_REAL, TIME_LIMIT)
        self.pid = os.posix_spawn(self.sluice, [self.sluice, *arguments], environment, file_actions=[
            (os.POSIX_SPAWN_DUP2, source, 0), (os.POSIX_SPAWN_DUP2, self.out, 1), (os.POSIX_SPAWN_DUP2, self.err, 2)])
        if stdin:
            os.close(source)
        return self.pid

    def wait(self):
        _, status = os.waitpid(self.pid, 0)
        self.pid = None
        signal.setitimer(signal.ITIMER_REAL, 0)
        *calls, fired, where = COUNTS.unpack(self.counts[:])
        return Outcome(os.waitstatus_to_exitcode(status), self.hung, self._read(self.out), self._read(self.err),
                       dict(zip(CLASSES, calls)), fired, where.rstrip(b"\0").decode(), self.files())

    def run(self, *arguments, **options):
        self.start(*arguments, **options)
        return self.wait()

    @staticmethod
    def _read(fd):
        return os.pread(fd, os.fstat(fd).st_size, 0)

    @staticmethod
    def files():
        found = {}
        for name in sorted(os.listdir(".")):
            facts = os.lstat(name)
            with open(name, "rb") as f:
                found[name] = (f.read(), stat.S_IMODE(facts.st_mode))
        return found


def rows_of_svm(n, seed):
    """Rows that have features in common and are nearly separable."""
    random_ = random.Random(seed)
    rows = []
    for _ in range(n):
        ids = sorted(random_.sample(range(1, 25), 5))
        values = [random_.choice([1, 0.5, -1.25, 2, 3]) for _ in ids]
        rows.append((1 if sum(v for i, v in zip(ids, values) if i < 12) > 1 else -1, list(zip(ids, values))))
    return rows


WORDS = "river gold sluice stream water stone sand box pan claim creek dredge".split()


def make_inputs(folder):
    """Tiny inputs in every format, plain and compressed."""
    os.makedirs(folder, exist_ok=True)

    def put(name, content):
        with open(os.path.join(folder, name), "wb") as f:
            f.write(content if isinstance(content, bytes) else content.encode())

    for name, n, seed in (("a", 24, 1), ("b", 16, 2)):
        rows = rows_of_svm(n, seed)
        words = random.Random(seed)
        put(f"{name}.svm", "".join(f"{y:+d} " + " ".join(f"{i}:{v}" for i, v in x) + "\n" for y, x in rows))
        put(f"{name}.vw", "".join(f"{y} |n " + " ".join(f"{WORDS[i % 12]}{i % 2}:{v}" for i, v in x if i > 4) + "\n"
                                  for y, x in rows))
        put(f"{name}.csv", "label,height,colour,width\n" +
            "".join(f"{y},{x[0][1]},{WORDS[x[1][0] % 5]},{x[2][1]}\n" for y, x in rows))
        put(f"{name}.jsonl", "".join(
            f'{{"label": {y}, "size": {x[0][1]}, "kind": "{WORDS[x[1][0] % 5]}", "deep": {{"er": {x[2][1]}}}}}\n'
            for y, x in rows))
        put(f"{name}.txt", "".join(f"{y}\t" + " ".join(words.sample(WORDS, 4)) + "\n" for y, x in rows))
        put(f"{name}.url", "".join(f"{y}\thttp://{words.choice(WORDS)}.example/{words.choice(WORDS)}?q={i % 7}\n"
                                   for i, (y, x) in enumerate(rows)))
    with open(os.path.join(folder, "b.svm"), "rb") as f:
        put("b15.svm", b"".join(f.readlines()[:15]))
    # features without end, so that what holds them grows in the middle of the run, again and again
    wide = random.Random(3)
    put("wide.svm", "".join(f"{wide.choice((-1, 1))} " + " ".join(
        f"{i}:1" for i in sorted({*wide.sample(range(1, 4000), 12), *(wide.randrange(2**20, 2**40) for _ in range(8))}))
        + "\n" for _ in range(60)))
    put("wide.vw", "".join(f"{wide.choice((-1, 1))} | " + " ".join(
        f"{wide.choice(WORDS)}{wide.randrange(10**6)}" for _ in range(12)) + "\n" for _ in range(60)))
    with open(os.path.join(folder, "a.svm"), "rb") as f:
        plain = f.read()
    put("a.svm.gz", gzip.compress(plain, mtime=0))
    put("a.svm.bz2", bz2.compress(plain))
    put("a.svm.xz", lzma.compress(plain))
    put("a.svm.zst", subprocess.run(["zstd", "-c"], input=plain, stdout=subprocess.PIPE, check=True).stdout)


def error_text(name):
    """What strerror() says of an error's name."""
    return os.strerror(getattr(errno, name))


runner = None  # of this worker
inputs = None  # the folder of what the runs read


def _start_worker(options, base, numbers):
    global runner, inputs
    ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # it ends when the process that started it does
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    runner, inputs = Runner(options.sluice, options.shim, os.path.join(base, f"run{numbers.get()}")), os.path.join(base, "in")


def workers(options, base):
    """Processes that have a Runner, in torture_run.runner."""
    numbers = multiprocessing.SimpleQueue()
    for i in range(options.jobs):
        numbers.put(i)
    return multiprocessing.Pool(options.jobs, _start_worker, (options, base, numbers))


def in_folder_for_runs(run):
    """Calls run(folder) and removes the folder."""
    base = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None  # in memory: runs by the ten thousand write files
    folder = tempfile.mkdtemp(prefix="sluice-torture-", dir=base)
    try:
        return run(folder)
    finally:
        os.chdir("/")
        shutil.rmtree(folder, ignore_errors=True)


def new_parser(text):
    parser = argparse.ArgumentParser(description=text, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True, help="the program")
    parser.add_argument("--shim", required=True, help="fault_shim.so")
    parser.add_argument("--jobs", type=int, default=os.cpu_count(), help="runs side by side")
    parser.add_argument("--seed", type=int, default=1, help="of what is drawn")
    parser.add_argument("--case", default="", help="cases whose name has this regular expression")
    return parser


def parse(parser):
    options = parser.parse_args()
    options.sluice, options.shim = os.path.abspath(options.sluice), os.path.abspath(options.shim)
    options.command = f"python3 {sys.argv[0]} --sluice {options.sluice} --shim {options.shim}"
    return options


def say(text):
    print(text, flush=True)


class CannotRun(Exception):
    """The test itself cannot be made."""
