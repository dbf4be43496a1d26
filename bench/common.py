"""Shared by the benchmarks: streams in a cache folder, the launcher, the machine's description, CSV files."""
import csv
import datetime
import os
import platform
import shutil
import subprocess

BENCH = os.path.dirname(os.path.abspath(__file__))
ROOT = os.path.dirname(BENCH)
RESULTS = os.path.join(BENCH, "results")


def prepare(args):
    """The folder, a copy of the program (a rebuild must not change it halfway) and the launcher."""
    os.makedirs(args.dir, exist_ok=True)
    os.makedirs(args.results, exist_ok=True)
    sluice = os.path.join(args.dir, "sluice")
    if os.path.realpath(args.sluice) != os.path.realpath(sluice):
        shutil.copy2(args.sluice, sluice)
    launch = os.path.join(args.dir, "launch")
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-D_GNU_SOURCE", "-o", launch, os.path.join(BENCH, "launch.c")], check=True)
    return sluice, launch


def busy():
    """(seconds since boot, CPU seconds of all processes, CPU seconds of our own)"""
    ticks = [int(x) for x in open("/proc/stat").readline().split()[1:4]]  # user, nice, system
    return float(open("/proc/uptime").read().split()[0]), sum(ticks) / os.sysconf("SC_CLK_TCK"), sum(os.times()[:4])


BEGIN = busy()


def others():
    """How many cores other processes kept busy since the start: the more, the less reliable the times."""
    wall, everybody, ours = (now - then for now, then in zip(busy(), BEGIN))
    return max(0, (everybody - ours) / max(wall, 1e-3))


def options(parser):
    parser.add_argument("--sluice", default=os.path.join(ROOT, "build/release/bin/sluice"))
    parser.add_argument("--dir", default=os.path.join(ROOT, "build/bench"), help="cache of streams and peers")
    parser.add_argument("--results", default=RESULTS, help="where the tables go")
    parser.add_argument("--rounds", type=int, default=5, help="rounds; the best is reported")


def make(path, command, **how):
    """Runs a command that writes `path`, unless the file exists. `{}` in the command stands for a temporary name; `how` is for
    subprocess.run()."""
    if not os.path.exists(path):
        stem, ending = os.path.splitext(path)
        temporary = f"{stem}.part{ending}"
        subprocess.run([x.replace("{}", temporary) for x in command], check=True, **how)
        os.rename(temporary, path)
    return path


def synth(sluice, folder, ending, **params):
    """A `sluice synth sparse` stream with these parameters."""
    name = "-".join(["sparse"] + [f"{k}={v}" for k, v in params.items()])
    return make(os.path.join(folder, name + ending),
                [sluice, "synth", "sparse", "-q", *(x for k, v in params.items() for x in ("-P", f"{k}={v}")), "-o", "{}"])


def warm(path):
    """Reads a file, so that it is in the page cache."""
    buffer = bytearray(1 << 20)
    with open(path, "rb", buffering=0) as f:
        while f.readinto(buffer):
            pass


class Failed(Exception):
    pass


def timed(launch, command, timeout=600):
    """(seconds, peak MB) of a command. Where it prints `peer.py: X s`, as peer.py does, X is its time."""
    result = launch + ".result"
    if os.path.exists(result):
        os.remove(result)
    done = subprocess.run([launch, result, *command], capture_output=True, text=True, timeout=timeout)
    if done.returncode or not os.path.exists(result):
        raise Failed(f"{command[0]}: the launcher failed")
    seconds, kilobytes, status = open(result).read().split()
    if status != "0":
        raise Failed(f"{' '.join(command)}: exit status {status}: {done.stderr.strip()[-300:]}")
    for line in done.stdout.splitlines():
        if line.startswith("peer.py: "):
            seconds = line.split()[1]
    return float(seconds), int(kilobytes) / 1024


def machine(args):
    """One line each: the machine, the date, the program."""
    cpu = platform.machine()
    for line in open("/proc/cpuinfo"):
        if line.startswith("model name"):
            cpu = line.split(":", 1)[1].strip()
            break
    flags = " ".join(f for f in ("avx512f", "avx2", "asimd") if f" {f}" in open("/proc/cpuinfo").read())
    memory = int(open("/proc/meminfo").readline().split()[1]) / 2**20
    commit = subprocess.run(["git", "-C", os.path.dirname(args.sluice), "describe", "--always", "--dirty"], capture_output=True, text=True).stdout.strip()
    version = subprocess.run([args.sluice, "--version"], capture_output=True, text=True).stdout.strip()
    return [f"machine: {cpu}, {os.cpu_count()} cores ({flags}), {memory:.0f} GiB, Linux {platform.release()}, others used {others():.2f} cores meanwhile",
            f"date: {datetime.datetime.now():%Y-%m-%d %H:%M}, {version}, {commit or 'no git'}"]


def save(path, comments, rows):
    """A CSV file with `#` lines on top."""
    with open(path, "w", newline="") as f:
        for line in comments:
            f.write(f"# {line}\n")
        writer = csv.DictWriter(f, rows[0].keys(), lineterminator="\n")
        writer.writeheader()
        writer.writerows(rows)
    print(f"written: {os.path.relpath(path)}")


def table(rows):
    """Prints rows in columns."""
    names = list(rows[0])
    width = {n: max(len(n), *(len(str(r[n])) for r in rows)) for n in names}
    for r in [dict(zip(names, names)), *rows]:
        print("  ".join(str(r[n]).ljust(width[n]) if i < 2 else str(r[n]).rjust(width[n]) for i, n in enumerate(names)).rstrip())
