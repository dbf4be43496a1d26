#!/usr/bin/env python3
"""Two builds of sluice by the number of instructions they execute (valgrind's callgrind): a measure that does not depend
on what else the machine is doing. Prints new/old for training and predicting from every format.

    bench/instructions.py --old /tmp/old/build/release/bin/sluice
    bench/instructions.py --old OLD --formats text,vw --learners ssol --rows 5000

valgrind knows no AVX-512, so both run their AVX2 kernels. One thread; text and URLs are made from the ids of the stream.
"""
import argparse
import os
import re
import subprocess
import sys

import common

LEARNERS = ["ssol", "arow", "olsf-1"]
FORMATS = {"libsvm": ".svm", "bin": ".bin", "vw": ".vw", "jsonl": ".jsonl", "csv": ".csv", "text": ".txt", "url": ".url"}


def streams(args, sluice):
    """A file for every format."""
    base = common.synth(sluice, args.dir, ".svm", rows=args.rows, dim=47000, nonzeros=75)
    stem = base[:-len(".svm")]
    files = {"libsvm": base}
    for name in ("bin", "vw", "jsonl"):
        files[name] = common.make(stem + FORMATS[name], [sluice, "convert", "-q", base, "-o", "{}"])
    awk = {"text": r'''{printf "%s\t", $1; for (i = 2; i <= NF; i++) {split($i, f, ":"); printf "w%s ", f[1]} print ""}''',
           "url": r'''{split($2, f, ":"); split($3, g, ":"); printf "%s\thttp://h%s.example/p%s/a?b=%d\n", $1, f[1], g[1], NR}''',
           "csv": r'''BEGIN {print "label,a,b,c,d"} {split($2, f, ":"); split($3, g, ":"); print $1 "," f[2] "," g[2] ",k" f[1] % 99 "," g[1]}'''}
    for name, program in awk.items():
        files[name] = common.make(stem + FORMATS[name], ["sh", "-c", f"awk '{program}' '{base}' > '{{}}'"])
    return files


def instructions(program, *arguments):
    done = subprocess.run(["valgrind", "--tool=callgrind", "--callgrind-out-file=/dev/null", program, *arguments],
                          stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True, env=dict(os.environ, SLUICE_CPU="avx2"))
    found = re.search(r"Collected : (\d+)", done.stderr)
    if done.returncode or not found:
        raise SystemExit(f"{program} {' '.join(arguments)}: {done.stderr[-500:]}")
    return int(found.group(1))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    common.options(parser)
    parser.add_argument("--old", required=True, help="the program to compare with")
    parser.add_argument("--rows", type=int, default=20000)
    parser.add_argument("--formats", default=",".join(FORMATS))
    parser.add_argument("--learners", default=",".join(LEARNERS))
    args = parser.parse_args()
    sluice, _ = common.prepare(args)
    files = streams(args, sluice)
    model = os.path.join(args.dir, "instructions.model")
    rows = []
    for name in args.formats.split(","):
        common_options = ["-q", "--threads", "1", "-f", name]
        for what in [*args.learners.split(","), "predict"]:
            if what == "predict":
                subprocess.run([sluice, "train", *common_options, "-o", model, files[name]], check=True, stdout=subprocess.DEVNULL)
            command = (["predict", "-m", model] if what == "predict" else ["train", "-a", what]) + common_options + [files[name]]
            old, new = instructions(args.old, *command), instructions(sluice, *command)
            rows.append({"format": name, "what": what, "old": old, "new": new, "new/old": f"{new / old:.4f}"})
            print(*rows[-1].values(), flush=True)
    comments = [f"bench/instructions.py {' '.join(sys.argv[1:])}: instructions, callgrind", *common.machine(args)]
    common.save(os.path.join(args.results, "instructions.csv"), comments, rows)


if __name__ == "__main__":
    main()
