#!/usr/bin/python3
"""Paper 001, table 2 (paper 000, table II): the sets as the scripts for the figures split them, and the papers' sets.

    SLUICE_DATA=DIR experiments/sparse_tables.py           writes sparse_tables.csv

The first split of each set and the first sample of each stream with one positive to 99 negatives (sparse_figure4.py;
called NAME 1:99). `inactive_percent` is the share of the features (up to the largest id) that no training row has, the
papers' column "Sparsity".
"""
import csv, os, random, tempfile

import sparse
import sparse_figure4 as streams

PAPER = {  # the paper's set that it is or replaces: train, test, dimension, nonzeros, inactive %, negatives for a positive
    "pcmac": ("PCMAC", 1000, 946, 7510, 55470, 3.99, 1.00), "pcmac-asu": ("PCMAC", 1000, 946, 7510, 55470, 3.99, 1.00),
    "news20-ub": ("NEWS", 10000, 9996, 1355191, 5513533, 29.88, 1.50), "news20-uni": ("NEWS", 10000, 9996, 1355191, 5513533, 29.88, 1.50),
    "rcv1-small": ("RCV1", 781265, 23149, 47152, 59155144, 8.80, 1.11), "phishing-55k": ("URL", 2000000, 396130, 3231961, 231249028, 7.44, 2.02),
    "spamassassin": ("WEBSPAM", 300000, 50000, 16071971, 1118027721, 95.82, 0.64), "a9a": ("AUT", 40000, 22581, 20707, 1969407, 3.07, 0.33),
    "phishing-55k 1:99": ("URL2", 1000000, 100000, 3231961, 114852082, 44.96, 99),
    "news20-ub 1:99": ("WEBSPAM2", 100000, 10000, 16071971, 224201808, 96.19, 99)}
HEADER = ["set", "train", "test", "dimension", "nonzeros_train", "inactive_percent", "negatives_for_a_positive", "paper_set", "paper_train", "paper_test",
          "paper_dimension", "paper_nonzeros", "paper_inactive_percent", "paper_negatives_for_a_positive"]


def ids(rows):
    return [int(cell[:cell.index(":")]) for row in rows for cell in row.split()[1:]]


def line(name, train, test):
    active = ids(train)
    dimension = max(max(active), max(ids(test)))
    positives = sum(not row.startswith(("-", "0")) for row in train)
    return [name, len(train), len(test), dimension, len(active), f"{100 * (1 - len(set(active)) / dimension):.2f}",
            f"{(len(train) - positives) / positives:.2f}", *PAPER.get(name, [""] * 7)]


def main():
    args = sparse.options(__doc__)
    with open(os.path.join(args.results, "sparse_tables.csv"), "w", newline="") as f, tempfile.TemporaryDirectory() as folder:
        out = csv.writer(f, lineterminator="\n")
        out.writerow(HEADER)
        for name in [*sparse.SETS, "synth"]:
            rows = streams.rows_of(args, name, folder)
            test = sparse.read_rows(args, name, ".test.svm.zst") if name in sparse.OWN_TEST else None
            if name != "synth":
                out.writerow(line(name, *sparse.cut(rows, test, 1)))
            if name in streams.SETS:
                train, near, _ = streams.cut(rows, test, 1)
                out.writerow(line(name + " 1:99", train, near))
            f.flush()


if __name__ == "__main__":
    main()
