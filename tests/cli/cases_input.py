"""Inputs: the text format, its errors with line and column, compression, standard input.

The column of a malformed feature is where its id:value begins."""

import bz2
import gzip
import lzma
import os
import re
import shutil
import subprocess

from harness import Failure, check, equal, parse, rows

NOT_FINITE = ["nan", "NaN", "inf", "-inf", "infinity"]
NOT_A_NUMBER = NOT_FINITE + ["0x10", "1_0", "1e", "e5", ".", "+", "1.2.3", "--1", "one", "1,5"]


def trained(t, *command, stdin=b""):
    return t.run("train", "-q", "--json", *command, stdin=stdin).json()


def converted(t, text):
    return parse(t.run("convert", stdin=text).out)


def malformed(t, text, place, says=""):
    """The text is refused at LINE:COLUMN by every command that reads, and skipped on request."""
    t.write("bad", text)
    t.refused("train", "bad", status=1, says=[f"sluice: bad:{place}: ", says])
    t.refused("train", "--threads", 1, "bad", status=1, says=[f"sluice: bad:{place}: ", says])
    t.run("convert", "bad", "-o", "out", status=1)
    check(not t.exists("out"), "convert left a file")
    r = trained(t, "--allow-empty", "--on-error", "skip", "bad")
    equal(r["skipped"], 1, f"skipped of {text!r}")
    equal(sum(r["skipped_reasons"].values()), 1, "reasons")


def test_malformed_labels_have_a_place(t):
    for word in NOT_FINITE + ["1e39", "-" + "9" * 60, "?", "2:1", "spam:1"]:
        malformed(t, f"1 1:1\n-1 2:1\n{word} 3:1\n", "3:1")


def test_labels_that_are_no_numbers_are_words(t):
    for word in NOT_A_NUMBER:
        if word not in NOT_FINITE:
            t.write("a", f"{word} 1:1\n-1 2:1\n{word} 3:1\n")
            equal(trained(t, "a")["negatives"], 1)
            t.write("a", f"1 1:1\n-1 2:1\n{word} 3:1\n")
            t.refused("train", "a", status=1, says=["sluice: a:3: ", "is a third class, after '-1' and '1'"])


def test_malformed_values_have_a_place(t):
    for word in NOT_A_NUMBER + [""]:
        malformed(t, f"1 1:1\n-1 22:1 3:{word}\n", "2:11")


def test_malformed_ids_have_a_place(t):
    for word in ["x", "-1", "1.5", "+3", "0x3"]:
        malformed(t, f"1 1:1\n-1 22:1 {word}:1\n", "2:9")


def test_feature_without_colon(t):
    malformed(t, "1 1:1 7\n", "1:7")


def test_values_beyond_the_float_range_are_errors_and_below_it_zero(t):
    for word in ["1e39", "-1e39", "3.5e38", "1e400", "9" * 60]:
        malformed(t, f"1 1:{word}\n", "1:5")
    for word in ["1e-60", "-1e-400", "0." + "0" * 80 + "1"]:
        equal(abs(converted(t, f"1 1:{word} 2:1\n")[0][1].get(1, 0)), 0, word)


def test_repeated_ids_are_errors(t):
    malformed(t, "1 3:1 5:1 3:2\n", "1:11", "3")
    malformed(t, "1 3:1 3:1\n", "1:7", "3")
    malformed(t, "1 007:1 7:1\n", "1:9", "7")


def test_nul_bytes_are_errors(t):
    malformed(t, b"1 1:1\n1 2:\x001\n", "2:5")
    malformed(t, b"1 1:1\n\x001 2:1\n", "2:1")
    malformed(t, b"1 1:1\n1 2:1 \x00\n", "2:7")


def test_ids_beyond_64_bits_are_errors(t):
    malformed(t, "1 18446744073709551616:1\n", "1:3")
    malformed(t, "1 1:1 99999999999999999999999:1\n", "1:7")


def test_largest_ids_are_exact(t):
    text = "1 0:1 1:2 4294967295:3 4294967296:4 9223372036854775808:5 18446744073709551615:6\n-1 18446744073709551614:1\n"
    equal(t.run("convert", stdin=text).out.split(), text.replace("+", "").split())
    equal(trained(t, "-a", "perceptron", stdin=text)["features_seen"], 7)


def test_carriage_returns_comments_blank_lines_qid_and_no_last_newline(t):
    plain = "1 1:1 2:0.5\n-1 2:1\n1 1:2\n"
    for text in ["1 1:1 2:0.5\r\n-1 2:1\r\n1 1:2\r\n",
                 "1 1:1 2:0.5\n-1 2:1\n1 1:2",
                 "1 1:1 2:0.5\r\n-1 2:1\r\n1 1:2\r",
                 "# heading\n1 1:1 2:0.5 # tail 9:9\n\n   \n\t\n-1 2:1#close\n1 1:2\n#end",
                 "1 qid:3 1:1 2:0.5\n-1 qid:4 2:1\n1 qid:4 1:2\n",
                 "  1   1:1\t2:0.5  \n\t-1 2:1\n1 1:2 \n",
                 "+1 1:1 2:.5\n-1.0 2:1.\n1e0 1:20e-1\n"]:
        equal(converted(t, text), parse(plain), repr(text))


def test_labels_zero_one_and_minus_one_plus_one_are_the_same(t):
    a, b = rows(200, seed=5), rows(200, seed=5).replace("-1 ", "0 ").replace("+1 ", "1 ")
    for key in ["mistakes", "positives", "nonzeros", "updates"]:
        equal(trained(t, stdin=a)[key], trained(t, stdin=b)[key], key)


def test_label_alone_is_an_example_without_features(t):
    r = trained(t, "-a", "ssol", stdin="1\n-1 \n0\n1 1:1\n")
    equal((r["examples"], r["positives"], r["features_seen"]), (4, 2, 1))


def test_unsorted_ids_give_the_same_model(t):
    sorted_rows = rows(300, seed=2)
    shuffled = "\n".join(" ".join([w[0]] + w[:0:-1]) for w in (l.split() for l in sorted_rows.splitlines())) + "\n"
    equal(trained(t, stdin=sorted_rows)["mistakes"], trained(t, stdin=shuffled)["mistakes"])
    equal(converted(t, "1 5:1 2:3 9:1\n"), [(1, {2: 3, 5: 1, 9: 1})])


def test_index_zero_works(t):
    equal(trained(t, "-a", "perceptron", stdin="1 0:1\n-1 0:-1 1:1\n")["features_seen"], 2)


def test_empty_input_is_an_error_for_train_alone(t):
    for text in ["", "\n", "# nothing\n\n"]:
        t.refused("train", status=1, stdin=text, says="no example was learned")
        r = trained(t, "--allow-empty", stdin=text)
        equal((r["examples"], r["mistakes"], r["error_rate"], r["balanced_accuracy"], r["sparsity"], r["skipped"]),
              (0, 0, None, None, None, 0))
    t.run("train", "--allow-empty", "-o", "m", stdin="")
    equal(t.run("predict", "-m", "m", stdin="").out, "")
    equal(t.run("test", "-m", "m", "--json", stdin="").json()["error_rate"], None)
    equal(t.run("convert", stdin="").out, "")


def test_standard_input_by_dash_or_nothing(t):
    text = rows(100)
    t.write("a", text)
    wanted = trained(t, "a")["mistakes"]
    equal(trained(t, stdin=text)["mistakes"], wanted)
    equal(trained(t, "-", stdin=text)["mistakes"], wanted)


def test_several_inputs_are_one_stream(t):
    text = rows(90)
    lines = text.splitlines(True)
    t.write("all", text)
    t.write("a", "".join(lines[:30]))
    t.write("c", "".join(lines[60:]).rstrip("\n"))
    r = trained(t, "a", "-", "c", "-o", "m", stdin="".join(lines[30:60]))
    trained(t, "all", "-o", "whole")
    equal(r["examples"], 90)
    equal(t.read("m"), t.read("whole"))


def test_input_without_last_newline_does_not_run_into_the_next(t):
    t.write("a", "1 1:1")
    t.write("b", "-1 2:1")
    equal(trained(t, "a", "b")["examples"], 2)


def test_place_names_the_file_it_is_in(t):
    t.write("a", rows(10))
    t.write("b", "1 1:1\n1 x\n")
    t.refused("train", "a", "b", status=1, says="sluice: b:2:3: ")


def test_place_is_right_deep_in_a_large_file(t):
    lines = rows(30000).splitlines(True)
    lines[27182] = "1 1:1 2:oops\n"
    t.write("a", "".join(lines))
    for threads in [1, 2, 4]:
        t.refused("train", "-q", "--threads", threads, "a", status=1, says="sluice: a:27183:9: ")


def test_compressed_inputs_are_recognised_by_content(t):
    text = rows(5000).encode()
    wanted = trained(t, stdin=text)["mistakes"]
    packed = {"gz": gzip.compress(text), "bz2": bz2.compress(text), "xz": lzma.compress(text)}
    packed["gz twice"] = gzip.compress(text[:1000]) + gzip.compress(text[1000:])
    packed["bz2 twice"] = bz2.compress(text[:1000]) + bz2.compress(text[1000:])
    packed["xz twice"] = lzma.compress(text[:1000]) + lzma.compress(text[1000:])
    if shutil.which("zstd"):
        def zstd(data):
            return subprocess.run(["zstd", "-c"], input=data, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True).stdout
        packed["zst"] = zstd(text)
        packed["zst twice"] = zstd(text[:1000]) + zstd(text[1000:])
    for name, data in packed.items():
        t.write("packed", data)
        equal(trained(t, "packed")["mistakes"], wanted, name)
        equal(trained(t, stdin=data)["mistakes"], wanted, f"{name} on stdin")


def test_truncated_and_damaged_archives_are_errors(t):
    text = rows(5000).encode()
    packed = {"a.gz": gzip.compress(text), "a.bz2": bz2.compress(text), "a.xz": lzma.compress(text)}
    if shutil.which("zstd"):
        packed["a.zst"] = subprocess.run(["zstd", "-c"], input=text, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
                                         check=True).stdout
    for name, data in packed.items():
        for cut in [len(data) - 1, len(data) - 9, len(data) // 2, 20]:
            t.write(name, data[:cut])
            t.refused("train", "-q", name, status=1, says=name)
            # skipping is for malformed lines, not for lost data
            t.refused("train", "-q", "--on-error", "skip", name, status=1, says=name)


def test_place_in_a_compressed_file(t):
    t.write("a.gz", gzip.compress(b"1 1:1\n1 1:x\n"))
    t.refused("train", "a.gz", status=1, says="sluice: a.gz:2:5: ")


def test_missing_files_directories_and_the_forbidden(t):
    os.mkdir(t.path("folder"))
    t.write("a", rows(5))
    t.refused("train", "no-such-file", status=1, says=["no-such-file", "No such file"])
    t.refused("train", "a", "no-such-file", status=1, says="no-such-file")
    t.refused("train", "folder", status=1, says=["folder", "directory"])
    t.refused("train", "a", "--test", "no-such-test", status=1, says="no-such-test")
    t.refused("test", "-m", "no-such-model", "a", status=1, says="no-such-model")
    t.refused("predict", "-m", "no-such-model", "a", status=1, says="no-such-model")
    t.refused("inspect", "no-such-model", status=1, says="no-such-model")
    t.refused("train", "-i", "no-such-model", "a", status=1, says="no-such-model")
    t.refused("convert", "no-such-file", "-o", "x", status=1, says="no-such-file")


def test_unknown_format_is_wrong_usage(t):
    t.write("a", rows(5))
    for command in (["train", "-f", "parquet", "a"], ["convert", "-f", "parquet", "a"], ["convert", "--to", "parquet", "a"]):
        t.refused(*command, status=2, says="parquet")


def test_data_is_no_model_and_a_model_is_no_data(t):
    t.write("a", rows(50))
    t.run("train", "-q", "-o", "m", "a")
    t.refused("predict", "-m", "a", "a", status=1, says="a")
    t.run("train", "-q", "m", status=1)


def test_skipping_counts_by_reason(t):
    good = rows(20).splitlines()
    bad = ["nan 1:1", "1 1:x", "1 2:1 2:1", "1 99999999999999999999999:1", "1 2:1 2:3"]
    mixed = [line for pair in zip(good, bad + [""] * 15) for line in pair]
    t.write("a", "\n".join(mixed) + "\n")
    r = t.run("train", "--json", "--on-error", "skip", "a")
    j = r.json()
    equal((j["examples"], j["skipped"], sum(j["skipped_reasons"].values())), (20, 5, 5))
    check(2 in j["skipped_reasons"].values(), "the two repeated ids have one reason")
    check("5 malformed lines skipped" in r.err, r.err)
    check("5 malformed lines skipped" in t.run("train", "-q", "--json", "--on-error", "skip", "a").err, "-q")
    equal(t.run("train", "-qq", "--json", "--on-error", "skip", "a").err, "", "-qq")
    t.write("good", "\n".join(good) + "\n")
    equal(trained(t, "good")["mistakes"], j["mistakes"], "mistakes")
    equal(len(t.run("convert", "-q", "--on-error", "skip", "a").out.splitlines()), 20)


def test_malformed_line_says_how_to_go_on(t):
    t.write("good", rows(20))
    t.write("bad", "1 1:1\n-1 2:x\n")
    t.run("train", "-q", "-o", "m", "good")
    advice = "--on-error skip leaves such lines out"
    for command in (["train"], ["train", "good", "--test"], ["train", "--on-error", "stop"], ["test", "-m", "m"],
                    ["predict", "-m", "m"], ["convert"]):
        r = t.run(*command, "bad", status=1)
        check(re.search(rf"^sluice: bad:2:6: .*; {advice}$", r.err, re.M), str(r))
    # nothing to skip here: the advice would mislead
    t.write("cut.gz", gzip.compress(rows(500).encode())[:-9])
    for options in ([], ["--on-error", "skip"]):
        r = t.run("train", "-q", *options, "cut.gz", status=1)
        check("--on-error" not in r.err, r.err)


def test_long_lines_are_fine_and_endless_ones_refused(t):
    line = "1 " + " ".join(f"{i}:1" for i in range(1, 200001))
    equal(trained(t, "-a", "ssol", stdin=line + "\n")["features_seen"], 200000)
    endless = b"1 " + b"1" * (70 << 20)
    t.write("a", endless)
    t.refused("train", "-q", "a", status=1, says="a:1")


def test_random_bytes_never_crash(t):
    import random
    r = random.Random(3)
    alphabet = b"0123456789:.-+e \t\n\r#q" + bytes([0, 255])
    for i in range(60):
        text = bytes(r.choice(alphabet) for _ in range(r.randrange(1, 400)))
        for reaction in ["stop", "skip"]:
            done = t.run("train", "-q", "--on-error", reaction, status=None, stdin=text)
            if done.status not in (0, 1):
                raise Failure(f"{text!r}\n{done}")


def test_numbers_out_of_range_have_the_place_of_their_row(t):
    t.write("a", rows(40) + "1 1:3e38\n" * 3)
    for options in [[], ["-q"], ["--threads", 1]]:
        t.refused("train", "-a", "perceptron", "-P", "eta=1e12", *options, "a", status=1, says="sluice: a:42: the margin")


def test_predicting_needs_no_labels_and_the_label_s_column_is_remembered(t):
    t.write("a.csv", "x,z,clicked\n" + "".join(f"{i % 5},{'ab'[i % 2]},{i % 2}\n" for i in range(200)))
    t.run("train", "-q", "-a", "pa-1", "--label", "clicked", "a.csv", "-o", "m")
    with_label = t.run("predict", "-m", "m", "a.csv").out
    equal(with_label, t.run("predict", "-m", "m", "--label", "clicked", "a.csv").out)
    equal(t.run("test", "-m", "m", "a.csv", "--json").json()["mistakes"], t.run("test", "-m", "m", "--label", "clicked", "a.csv", "--json").json()["mistakes"])
    t.write("b.csv", "x,z\n" + "".join(f"{i % 5},{'ab'[i % 2]}\n" for i in range(200)))
    equal(t.run("predict", "-m", "m", "b.csv").out, with_label)
    t.write("c.csv", "x,z,clicked\n" + "".join(f"{i % 5},{'ab'[i % 2]},\n" for i in range(200)))
    equal(t.run("predict", "-m", "m", "c.csv").out, with_label)


def test_a_text_model_remembers_that_it_is_one(t):
    t.write("mail.tsv", "".join(f"{i % 2}\t{'free prize' if i % 2 else 'lunch today'} {i % 7}\n" for i in range(100)))
    t.run("train", "-q", "-a", "pa-1", "-f", "text", "mail.tsv", "-o", "m")
    wanted = t.run("predict", "-m", "m", "-f", "text", "mail.tsv").out
    equal(t.run("predict", "-m", "m", "mail.tsv").out, wanted)  # .tsv alone would be csv
    t.write("plain", "".join(f"{'free prize' if i % 2 else 'lunch today'} {i % 7}\n" for i in range(100)))
    equal(t.run("predict", "-m", "m", "plain").out, wanted)
    t.write("empty", "".join(f"\t{'free prize' if i % 2 else 'lunch today'} {i % 7}\n" for i in range(100)))
    equal(t.run("predict", "-m", "m", "empty").out, wanted)
    t.refused("train", "-q", "-f", "text", "plain", status=1, says="there is no tab")


def test_a_header_of_numbers_is_no_header(t):
    t.write("a.csv", "1,5,3\n0,6,4\n")
    t.refused("train", "-q", "a.csv", status=1, says="--no-header")
    equal(t.run("train", "-q", "--json", "--no-header", "a.csv").json()["examples"], 2)
    t.write("b.csv", "x,Label\n5,1\n6,0\n")
    equal(t.run("convert", "b.csv", "--to", "vw").out, "1 | x:5\n0 | x:6\n")


def test_predict_takes_json_without_labels(t):
    t.write("a.jsonl", "".join('{"label": %d, "f": "%s"}\n' % (i % 2, "ab"[i % 2]) for i in range(50)))
    t.run("train", "-q", "-a", "pa-1", "a.jsonl", "-o", "m")
    t.write("b.jsonl", "".join('{"f": "%s"}\n' % "ab"[i % 2] for i in range(50)))
    equal(t.run("predict", "-m", "m", "b.jsonl").out, t.run("predict", "-m", "m", "a.jsonl").out)
