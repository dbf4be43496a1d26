"""Shared by the scripts for paper 003: runs of sluice and of LIBLINEAR (Debian's liblinear-tools)."""
import argparse, json, os, re, resource, shutil, subprocess, sys


def options(description, names):
    """Reads the command line; checks that data and programs exist before anything is written."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--set", action="append", choices=names, help="only this set; may be repeated")
    parser.add_argument("--results", default=os.path.join(os.path.dirname(os.path.abspath(__file__)), "results"))
    args = parser.parse_args()
    args.data = os.environ.get("SLUICE_DATA") or sys.exit("SLUICE_DATA must name the folder with the files of experiments/DATA.md")
    if not shutil.which("liblinear-train"):
        sys.exit("LIBLINEAR is missing (Debian: liblinear-tools)")
    return args


def given(params):
    return [word for k, v in params.items() for word in ("-P", f"{k}={v:g}")]


def sluice(args, command, *words, text=None):
    return subprocess.run([args.sluice, command, "-q", *words], input=text, capture_output=True, text=True, check=True).stdout


def run_json(args, command, *words):
    return json.loads(sluice(args, command, "--json", *words))


def liblinear_error(test, model):
    said = subprocess.run(["liblinear-predict", test, model, "/dev/null"], capture_output=True, text=True, check=True).stdout
    right, rows = re.search(r"\((\d+)/(\d+)\)", said).groups()
    return 1 - int(right) / int(rows)


def processor_seconds():
    """CPU seconds of all programs run so far."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


class Liblinear:
    """Trains on one file (LIBSVM text)."""

    def __init__(self, solver, train, test):
        self.solver, self.train, self.test, self.model = solver, train, test, train + ".model"
        self.known = None

    def reading(self):
        """Seconds to read the file: those of a training that ends after one pass."""
        if self.known is None:
            self.known = self.seconds("-c", "1e-12", "-e", "1e9")
        return self.known

    def seconds(self, *words):
        """CPU seconds, which depend less on other load; for short runs the best of 5."""
        best = self.run(*words)
        for _ in range(4 if best < 1 else 0):
            best = min(best, self.run(*words))
        return best

    def run(self, *words):
        before = processor_seconds()
        subprocess.run(["liblinear-train", "-q", "-s", str(self.solver), *words, self.train, self.model], check=True, capture_output=True)
        return processor_seconds() - before

    def error(self):
        return liblinear_error(self.test, self.model)
