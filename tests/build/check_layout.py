"""The layout of the repository: directions of includes, unique base names, sizes of folders (docs/architecture.md)."""
import argparse
import collections
import os
import re
import sys

# A folder of src/ may include itself, the folders named here, and include/sluice.h.
BASE = ["base"]
FEATURES = BASE
ROWS = BASE + ["features"]
LEARNER = ROWS + ["rows"]
ALGO = LEARNER + ["learner"]
MODEL = ALGO + ["algo", "calibration"]
ABOVE = MODEL + ["model"]
ALLOWED = {
    "base": [],
    "calibration": BASE,
    "features": FEATURES,
    "rows": ROWS,
    "learner": LEARNER,
    "algo": ALGO,
    "model": MODEL,
    "sweep": ABOVE,
    "eval": ABOVE,
    "experiment": ABOVE + ["sweep", "eval"],
    "file": ABOVE + ["sweep", "eval"],
    "io": ROWS + ["rows"],
}
MOST_FILES = 24  # in one folder of src/ or cli/


def files(root, *endings):
    """All files below root with one of the endings, without what is ignored or built."""
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(f for f in folders if not f.startswith(".") and f != "__pycache__" and os.path.join(folder, f) != os.path.join(root, "build"))
        for name in sorted(names):
            if name.endswith(endings):
                yield os.path.join(folder, name)


def includes(path):
    with open(path, encoding="utf-8") as text:
        for number, line in enumerate(text, 1):
            found = re.match(r'\s*#\s*include\s+"([^"]+)"', line)
            if found:
                yield number, found.group(1)


def check_directions(top):
    for path in files(os.path.join(top, "src"), ".c", ".h"):
        folder = os.path.relpath(path, os.path.join(top, "src")).split(os.sep)[0]
        if folder not in ALLOWED:
            yield f"{path}: the folder {folder} is not in the table of include directions"
            continue
        for number, name in includes(path):
            there = name.split("/")[0]
            if name == "sluice.h" or there == folder or there in ALLOWED[folder]:
                continue
            yield f"{path}:{number}: {folder}/ must not include {name}"
    cli = os.path.join(top, "cli")
    for path in files(cli, ".c", ".h"):
        for number, name in includes(path):
            if name != "sluice.h" and not os.path.exists(os.path.join(cli, name)):
                yield f"{path}:{number}: the program includes its own headers and sluice.h alone, not {name}"


def check_names(top):
    """Files of one name in one folder (x.c, x.h, x.py) are one thing."""
    seen = collections.defaultdict(set)
    for path in files(top, ".c", ".h", ".py"):
        if path.startswith(os.path.join(top, "examples")):  # programs of their own
            continue
        name = os.path.splitext(os.path.basename(path))[0]
        if name != "__init__":
            seen[name].add(os.path.splitext(path)[0])
    for name, places in sorted(seen.items()):
        if len(places) > 1:
            yield f"two files are called {name}: " + ", ".join(sorted(places))


def check_sizes(top):
    for part in ("src", "cli"):
        for folder, folders, names in os.walk(os.path.join(top, part)):
            if len(names) > MOST_FILES:
                yield f"{folder}: {len(names)} files; at most {MOST_FILES} are one folder"


CHECKS = {"directions": check_directions, "names": check_names, "sizes": check_sizes}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=CHECKS)
    parser.add_argument("top")
    args = parser.parse_args()
    wrong = list(CHECKS[args.what](args.top))
    for line in wrong:
        print(line, file=sys.stderr)
    sys.exit(bool(wrong))


main()
