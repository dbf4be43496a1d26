"""Bin files with names: the same models, answers and rows as from their text."""

import json
import re

from harness import check, equal


NAMED_LEARNERS = [["-a", "pa-1"], ["-a", "arow"], ["-a", "olsf-1"], ["-a", "auto"], ["-a", "ftrl", "--max-features", "40"],
                  ["-a", "pa-1", "--normalize", "l2", "--bias", "1"], ["-a", "pa-1", "--scale", "idf"], ["-a", "pa-1", "--hash", "8"]]


def named_rows(n, first=0, labels=(-1, 1)):
    """Rows of VW text with names short and long, fractions and whole numbers."""
    lines = []
    for i in range(first, first + n):
        names = sorted({(i * k * k + 7 * k) % 97 for k in range(1, 2 + i % 9)})
        lines.append(f"{labels[i * i % 5 % len(labels)]} {1 + i % 3} | " +
                     " ".join(f"{'a_feature_of_row_' * (j % 3)}{j + i // 50}:{0.5 * (j % 4 + 1):g}" for j in names))
    return "\n".join(lines) + "\n"


def test_models_of_named_bin_files_are_those_of_the_text(t):
    """With any number of threads, of several files too: names are numbered in each file by itself."""
    t.write("a.vw", named_rows(3000))
    t.write("b.vw", named_rows(2000, 1500))
    for name in "ab":
        t.run("convert", f"{name}.vw", "-o", f"{name}.bin")
    for how in NAMED_LEARNERS:
        for inputs in [["a"], ["a", "b"]]:
            t.run("train", "-q", *how, *[f"{name}.vw" for name in inputs], "-o", "text.model")
            for threads in [1, 2, 7]:
                t.run("train", "-q", *how, "--threads", threads, *[f"{name}.bin" for name in inputs], "-o", "bin.model")
                equal(t.read("bin.model"), t.read("text.model"), f"{how} {inputs} {threads} threads")
        t.run("train", "-q", *how, "a.vw", "b.bin", "-o", "bin.model")
        equal(t.read("bin.model"), t.read("text.model"), f"{how}, bin after text")
        t.run("train", "-q", *how, "a.bin", "b.vw", "-o", "bin.model")
        equal(t.read("bin.model"), t.read("text.model"), f"{how}, text after bin")


def test_resuming_from_named_bin_files(t):
    t.write("a.vw", named_rows(500))
    t.write("b.vw", named_rows(400, 300))
    for name in "ab":
        t.run("convert", f"{name}.vw", "-o", f"{name}.bin")
    for ending in ["vw", "bin"]:
        t.run("train", "-q", "-a", "arow", f"a.{ending}", "-o", f"1.{ending}.model")
        t.run("train", "-q", "-i", f"1.{ending}.model", f"b.{ending}", "-o", f"2.{ending}.model")
        t.run("train", "-q", "-i", f"2.{ending}.model", f"a.{ending}", "-o", f"3.{ending}.model")
        t.run("train", "-q", "-a", "arow", "--passes", 3, f"b.{ending}", "-o", f"4.{ending}.model")
    for k in range(1, 5):
        equal(t.read(f"{k}.bin.model"), t.read(f"{k}.vw.model"), f"model {k}")


def test_several_classes_from_named_bin_files(t):
    t.write("a.vw", named_rows(800, labels=("red", "green", "blue")))
    t.run("convert", "a.vw", "-o", "a.bin")
    equal(t.read("a.bin")[8], 4, "version of a file with names")
    for kind in ["ovr", "ovo", "matrix"]:
        for learner in ["arow", "auto"]:
            if learner == "auto" and kind == "matrix":
                continue
            for ending in ["vw", "bin"]:
                t.run("train", "-q", "-a", learner, "--classes", kind, f"a.{ending}", "-o", f"{ending}.model")
            equal(t.read("bin.model"), t.read("vw.model"), f"{learner} {kind}")


def test_what_reads_named_bin_files_does_as_with_text(t):
    t.write("a.vw", named_rows(600))
    t.run("convert", "a.vw", "-o", "a.bin")
    t.run("train", "-q", "-a", "arow", "a.vw", "-o", "m")
    for command in [["predict", "-m", "m"], ["predict", "-m", "m", "--explain", "3"], ["test", "-m", "m"],
                    ["convert", "--to", "vw"], ["convert", "--to", "jsonl"], ["convert", "--to", "bin"],
                    ["convert", "--to", "bin", "--shuffle", "100"], ["convert", "--to", "vw", "--normalize", "l2"]]:
        if "--to" in command and command[2] == "bin":
            command = command + ["-o", "-"]
        text, binary = (t.run(*command, f"a.{ending}") for ending in ["vw", "bin"])
        got, want = (re.sub(b"seconds .*\n", b"", result.out_bytes) for result in [binary, text])
        equal(got.replace(b"a.bin", b"a.vw"), want, " ".join(command))
    t.run("convert", "a.bin", "-o", "b.vw")
    t.run("convert", "b.vw", "-o", "b.bin")
    equal(t.read("b.bin"), t.read("a.bin"))
    for command in [["tune", "-a", "pa-1", "--grid", "C=0.1,1"], ["sweep", "-a", "rda", "--lambda", "0.01,0.1"],
                    ["select", "-a", "arow", "--features", "5"]]:
        text, binary = (t.run(*command, "--json", f"a.{ending}") for ending in ["vw", "bin"])
        for result in [text, binary]:
            check(result.out, "some result")
        a, b = (without_times(json.loads(result.out.replace("a.bin", "a.vw"))) for result in [text, binary])
        equal(b, a, " ".join(command))


def without_times(value):
    if isinstance(value, dict):
        return {k: without_times(v) for k, v in value.items() if not any(w in k for w in ("seconds", "rate", "memory", "per_second"))}
    return [without_times(v) for v in value] if isinstance(value, list) else value


def test_bin_files_with_names_of_older_versions_are_refused(t):
    t.write("a.vw", named_rows(5))
    t.run("convert", "a.vw", "-o", "a.bin")
    old = bytearray(t.read("a.bin"))
    old[8] = 2
    old[28:32] = (64 | 16).to_bytes(4, "little")
    t.write("old.bin", bytes(old))
    t.refused("train", "-q", "old.bin", status=1, says="convert it again")
