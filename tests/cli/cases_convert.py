"""convert: formats, sampling, shuffling, scaling, trapezoidal streams."""

import json
import math
import os

from harness import check, equal, near, parse, rows


def converted(t, *command, stdin=b""):
    return parse(t.run("convert", *command, stdin=stdin).out)


def same_rows(got, wanted, tolerance=1e-5):
    equal(len(got), len(wanted), "rows")
    for n, ((y, x), (z, w)) in enumerate(zip(got, wanted)):
        equal(y, z, f"label of row {n}")
        equal(sorted(x), sorted(w), f"ids of row {n}")
        for i in w:
            near(x[i], w[i], tolerance * max(1, abs(w[i])), f"row {n}, id {i}")


def test_text_to_binary_and_back_is_exact(t):
    text = "1 1:0.1 2:-3.4028235e38 3:1e-45 7:0\n-1\n1 0:16777217 18446744073709551615:0.333333343\n-1 5:1 4:2\n"
    t.write("a", text + rows(5000))
    t.run("convert", "a", "-o", "a.bin")
    t.run("convert", "a.bin", "-o", "b.svm")
    t.run("convert", "b.svm", "-o", "b.bin")
    equal(t.read("a.bin"), t.read("b.bin"))
    t.run("convert", "a", "-o", "c.svm")
    equal(t.read("b.svm"), t.read("c.svm"))
    first = parse(t.read("b.svm").decode())[:4]
    import struct
    def f32(x):
        return struct.unpack("f", struct.pack("f", x))[0]
    for (y, x), (z, w) in zip(first, parse(text)):
        equal((y, {i: f32(v) for i, v in x.items()}), (z, {i: f32(v) for i, v in w.items()}))


def test_binary_is_recognised_by_content_and_formats_can_be_forced(t):
    t.write("a", rows(100))
    t.run("convert", "a", "-o", "a.bin")
    os.rename(t.path("a.bin"), t.path("b.svm"))
    equal(t.run("convert", "b.svm").out, t.run("convert", "a").out)
    t.run("convert", "a", "--to", "bin", "-o", "c.svm")
    equal(t.read("c.svm"), t.read("b.svm"))
    t.run("convert", "a", "--to", "libsvm", "-o", "d.bin")
    equal(t.read("d.bin"), t.run("convert", "a").out_bytes)
    equal(t.run("convert", "-f", "bin", stdin=t.read("b.svm")).out, t.run("convert", "a").out)
    t.run("convert", "-f", "bin", "a", status=1)


def test_damaged_binary_is_an_error(t):
    t.write("a", rows(300))
    t.run("convert", "a", "-o", "a.bin")
    whole = t.read("a.bin")
    for cut in [len(whole) - 1, len(whole) // 2, 20]:
        t.write("cut.bin", whole[:cut])
        t.refused("train", "-q", "cut.bin", status=1, says="cut.bin")
    flipped = bytearray(whole)
    flipped[len(whole) // 2] ^= 16
    t.write("flip.bin", bytes(flipped))
    t.refused("train", "-q", "flip.bin", status=1, says="flip.bin")


def test_standard_input_to_standard_output(t):
    text = rows(50)
    same_rows(converted(t, stdin=text), parse(text))
    same_rows(converted(t, "-", "-o", "-", stdin=text), parse(text))


def test_several_inputs_become_one(t):
    t.write("a", rows(10))
    t.write("b", rows(10, seed=2))
    same_rows(converted(t, "a", "b"), parse(rows(10) + rows(10, seed=2)))


def test_over_its_own_input(t):
    t.write("a", rows(5000))
    t.run("convert", "--normalize", "l2", "a", "-o", "b")
    t.write("c", rows(5000))
    os.symlink("c", t.path("link"))
    t.run("convert", "--normalize", "l2", "a", "-o", "a")
    equal(t.read("a"), t.read("b"))
    t.run("convert", "--normalize", "l2", "c", "-o", "link")
    equal(t.read("c"), t.read("b"), "through a link")
    check(os.path.islink(t.path("link")), "the link was replaced")
    t.run("convert", "--shuffle", 1, "b", "-o", "shuffled")
    t.run("convert", "--shuffle", 1, "b", "-o", "b")
    equal(t.read("b"), t.read("shuffled"), "in memory")


def test_failing_conversion_leaves_the_output_untouched(t):
    t.write("out", "precious")
    t.write("bad", rows(2000) + "1 1:x\n")
    for options in ([], ["--shuffle", "1"], ["--normalize", "l2"]):
        t.refused("convert", *options, "bad", "-o", "out", status=1, says="bad:2001:5: ")
        equal(t.read("out"), b"precious")
    equal(sorted(os.listdir(t.folder)), ["bad", "out"], "files")
    t.refused("convert", stdin="1 1:1\n", *["-o", "/dev/full"], status=1, says=["/dev/full", "No space left"])


def test_normalize_scales_rows_to_length_one(t):
    text = rows(50) + "1\n-1 3:0\n1 2:3e38 4:3e38\n"
    wanted = []
    for y, x in parse(text):
        length = math.sqrt(sum(v * v for v in x.values())) or 1
        wanted.append((y, {i: v / length for i, v in x.items()}))
    same_rows(converted(t, "--normalize", "l2", stdin=text), wanted)
    same_rows(converted(t, "--normalize", "l2", "--trapezoid", 1, stdin=text), wanted)


def standardized(data):
    """Plainly: dense columns, mean, sample deviation."""
    n, columns = len(data), sorted({i for _, x in data for i in x})
    result = [(y, {}) for y, _ in data]
    for c in columns:
        values = [x.get(c, 0.0) for _, x in data]
        if min(values) == max(values):
            continue
        mean = math.fsum(values) / n
        deviation = math.sqrt(math.fsum((v - mean) ** 2 for v in values) / (n - 1))
        for (_, row), v in zip(result, values):
            if v != mean:
                row[c] = (v - mean) / deviation
    return result


def test_standardize_against_a_plain_computation(t):
    text = rows(200, dim=12, nonzeros=5)
    text = "".join(f"{line} 50:3 {'60:1000001' if k % 3 else '60:1000000'}\n" for k, line in enumerate(text.splitlines()))
    same_rows(converted(t, "--standardize", stdin=text), standardized(parse(text)), 1e-4)


def test_standardize_edge_cases(t):
    equal(converted(t, "--standardize", stdin=""), [])
    equal(converted(t, "--standardize", stdin="1 1:5 2:3\n"), [(1, {})], "one row: every column is constant")
    same_rows(converted(t, "--standardize", stdin="1 0:1\n-1\n"), [(1, {0: math.sqrt(0.5)}), (-1, {0: -math.sqrt(0.5)})])


def test_standardize_of_names_makes_rows_longer_than_they_were_read(t):
    data = [(1 if k % 2 else -1, {"a": float(k % 7), f"c=x{k}": 1.0}) for k in range(300)]
    t.write("a.csv", "label,a,c\n" + "".join(f"{y},{k % 7},x{k}\n" for k, (y, _) in enumerate(data)))
    t.write("few.csv", "label,a,c\n1,1,x\n-1,2,y\n1,3,z\n-1,5,w\n")
    equal(len(t.run("convert", "--standardize", "few.csv", "--to", "vw").out.splitlines()), 4)
    for options in [], ["--trapezoid", 1]:
        got = [json.loads(line) for line in t.run("convert", "--standardize", *options, "a.csv", "--to", "jsonl").out.splitlines()]
        same_rows([(x.pop("label"), x) for x in got], standardized(data), 1e-4)


def test_standardize_refuses_what_would_explode(t):
    t.refused("convert", "--standardize", status=1, says=["2 rows", "18446744073709551615", "dense"],
              stdin="1 18446744073709551615:1\n-1 1:1\n")
    t.refused("convert", "--standardize", status=1, says="cells", stdin="1 600000000:1\n-1 1:1\n")
    t.refused("convert", "--standardize", status=1, says="20000000 columns", stdin="1 20000000:1\n")


def test_standardize_of_no_rows_does_not_look_at_their_ids(t):
    r = t.run("convert", "--standardize", "--sample-ratio", "1:1", stdin="1 18446744073709551614:1\n1 1:1\n")
    equal(r.out, "")


def test_trapezoid_shows_the_first_columns(t):
    n, chunks = 103, 10
    text = rows(n, dim=37)
    data = parse(text)
    d = max(i for _, x in data for i in x)
    wanted = []
    for k, (y, x) in enumerate(data):
        chunk = min(chunks, chunks * k // n + 1)
        wanted.append((y, {i: v for i, v in x.items() if i <= chunk * d // chunks}))
    same_rows(converted(t, "--trapezoid", chunks, stdin=text), wanted, 0)
    same_rows(converted(t, "--trapezoid", 1, stdin=text), data, 0)


def test_trapezoid_of_the_largest_ids_does_not_overflow(t):
    big = 18446744073709551615
    got = converted(t, "--trapezoid", 2, stdin=f"1 {big}:1 {big // 2}:1\n1 {big}:1 {big // 2 + 1}:1\n")
    equal(got, [(1, {big // 2: 1}), (1, {big: 1, big // 2 + 1: 1})])


def test_order_is_standardize_normalize_trapezoid(t):
    text = rows(40, dim=9, nonzeros=4)
    d = max(i for _, x in parse(text) for i in x)
    wanted = []
    for k, (y, x) in enumerate(standardized(parse(text))):
        length = math.sqrt(sum(v * v for v in x.values())) or 1
        last = min(4, 4 * k // 40 + 1) * d // 4
        wanted.append((y, {i: v / length for i, v in x.items() if i <= last}))
    same_rows(converted(t, "--trapezoid", 4, "--normalize", "l2", "--standardize", stdin=text), wanted, 1e-4)


def test_shuffle_is_a_seeded_permutation(t):
    text = "".join(f"{1 if i % 3 else -1} {i}:1\n" for i in range(1, 501))
    a, b = converted(t, "--shuffle", 1, stdin=text), converted(t, "--shuffle", 2, stdin=text)
    equal(a, converted(t, "--shuffle", 1, stdin=text), "same seed")
    check(a != b and a != parse(text), "not shuffled")
    for shuffled in (a, b):
        equal(sorted(map(str, shuffled)), sorted(map(str, parse(text))), "rows")
    moved = sum(next(iter(x)) != k + 1 for k, (_, x) in enumerate(a))
    check(moved > 480, f"only {moved} rows moved")


def sampled(t, pos, neg, ratio, *more):
    text = "".join(f"{1 if i < pos else -1} {i + 1}:1\n" for i in range(pos + neg))
    got = converted(t, "-q", "--sample-ratio", ratio, *more, stdin=text)
    positives = sum(y > 0 for y, _ in got)
    return positives, len(got) - positives, [next(iter(x)) for _, x in got]


def test_sample_ratio_keeps_the_scarce_class_and_draws_the_other(t):
    p, n, ids = sampled(t, 10, 2000, "1:99")
    equal((p, n), (10, 990))
    equal(ids, sorted(set(ids)), "order kept, nothing twice")
    check(max(ids) > 1800, "drawn from the whole")
    equal(sampled(t, 1000, 50, "1:1")[:2], (50, 50))
    equal(sampled(t, 1000, 99, "1:99")[:2], (1, 99))
    equal(sampled(t, 7, 10, "2:3")[:2], (6, 10))
    equal(sampled(t, 5, 10, "2:3")[:2], (5, 7))
    equal(sampled(t, 5, 5, "1:1")[:2], (5, 5))
    check(sampled(t, 10, 2000, "1:99", "--seed", 2)[2] != ids, "another seed")
    equal(sampled(t, 10, 2000, "1:99", "--seed", 1)[2], ids, "seed 1")


def test_sample_ratio_of_a_missing_class(t):
    equal(sampled(t, 0, 10, "1:2")[:2], (0, 0))
    r = t.run("convert", "--sample-ratio", "1:2", stdin="-1 1:1\n-1 1:1\n")
    check("too few" in r.err, r.err)


def test_sample_ratio_draws_evenly(t):
    counts = [0] * 20
    for seed in range(60):
        for i in sampled(t, 5, 20, "1:2", "--seed", seed)[2][5:]:
            counts[i - 6] += 1
    check(min(counts) > 12 and max(counts) < 48, f"{counts}")


def test_sample_and_shuffle_together(t):
    p, n, ids = sampled(t, 10, 2000, "1:9", "--shuffle", 3)
    equal((p, n), (10, 90))
    check(ids != sorted(ids), "not shuffled")


def test_wrong_values_are_wrong_usage(t):
    for ratio in ["1", "1:", ":1", "0:1", "1:0", "a:b", "1:2:3", "-1:2", "1.5:2", "99999999999999999999:1"]:
        t.refused("convert", "--sample-ratio", ratio, status=2, says=["--sample-ratio", "1:99"])
    for option, value in [("--trapezoid", "0"), ("--trapezoid", "x"), ("--shuffle", "x"), ("--normalize", "l1")]:
        t.refused("convert", option, value, status=2, says=[option, value])


def test_ids_of_rows_not_drawn_do_not_count(t):
    t.write("a", "".join(f"{y} {i}:1 {i + 1}:{i}.5\n" for i, y in enumerate([1, -1, -1, 1, -1], 1)) + "-1 30000000:1\n" * 40)
    for seed in range(200):  # until none of the wide rows is drawn
        t.run("convert", "a", "--sample-ratio", "1:1", "--seed", seed, "-o", "drawn")
        if b"30000000" not in t.read("drawn"):
            break
    for options in [["--trapezoid", 2], ["--standardize"]]:
        once = t.run("convert", "a", "--sample-ratio", "1:1", "--seed", seed, *options).out
        equal(once, t.run("convert", "drawn", *options).out, f"{options} in one step and in two")


def test_vw_text_and_json_lines_go_into_each_other(t):
    vw = "1 |f a:2 b |g c:-0.5\n-1 0.5 | x:0 17:0.1\n|f a\n"
    t.write("a.vw", vw)
    equal(t.run("convert", "a.vw", "--to", "vw").out, vw)
    t.run("convert", "a.vw", "-o", "a.jsonl")
    equal(t.read("a.jsonl").decode().splitlines()[1], '{"label":-1,"weight":0.5,"x":0,"17":0.1}')
    t.run("convert", "a.jsonl", "--weight", "weight", "-o", "b.vw")
    equal(t.read("b.vw").decode(), vw)


def test_what_a_format_cannot_say_is_refused_with_feature_and_place(t):
    t.write("a.vw", "1 | 1\n1 | 2 b\n")
    t.refused("convert", "a.vw", "-o", "a.svm", status=1, says="a.vw:2: the feature 'b' is not called by a whole number")
    check(not os.path.exists(t.path("a.svm")), "there is no file")
    t.run("convert", "a.vw", "-o", "a.bin")
    t.run("convert", "a.bin", "-o", "b.vw")
    equal(t.read("b.vw"), t.read("a.vw"))
    t.write("a.jsonl", '{"label":1,"a b":1}\n')
    t.refused("convert", "a.jsonl", "-o", "b.vw", status=1, says="a.jsonl:1: the feature 'a b' has a blank")


WORDS = "spam 1:1 2:0.5\nham 3:1\n2 1:1\n1 4:1\n-1 1:1\nnews.group/7\n1.00000000001 3:1\nspam 2:1\ntrue 1:1\n"


def test_labels_of_all_kinds_go_through_every_format(t):
    t.write("a.svm", WORDS)
    for ending in ["svm", "vw", "jsonl", "bin"]:
        for options in [[], ["--threads", 1]]:
            t.run("convert", "a.svm", "-o", f"b.{ending}", *options)
            t.run("convert", f"b.{ending}", "-o", "c.svm", *options)
            equal(t.read("c.svm").decode(), WORDS, f"through {ending}")
    t.run("convert", "--shuffle", 3, "a.svm", "-o", "d.svm")
    equal(sorted(t.read("d.svm").decode().splitlines()), sorted(WORDS.splitlines()), "shuffled")
    t.run("convert", "--trapezoid", 1, "b.bin", "-o", "e.svm")
    equal(t.read("e.svm").decode(), WORDS, "held in memory")
    labels = [json.loads(line)["label"] for line in t.read("b.jsonl").decode().splitlines()]
    equal(labels[:3] + labels[-1:], ["spam", "ham", 2, True])


def test_numbers_as_labels_keep_their_bin_files(t):
    """A bin file has a list of words only where floats do not give the labels back."""
    t.run("convert", stdin="2 1:1\n-3.50 1:1\n0.1 1:1\n1 2:1\n", *["--to", "bin", "-o", "a.bin"])
    equal(t.read("a.bin")[8], 2, "version")
    equal(t.run("convert", "a.bin").out, "2 1:1\n-3.5 1:1\n0.1 1:1\n1 2:1\n")
    t.run("convert", stdin="spam 1:1\n", *["--to", "bin", "-o", "b.bin"])
    equal(t.read("b.bin")[8], 3, "version of a file with words")


def test_labels_that_a_format_cannot_hold_are_refused_with_their_place(t):
    t.write("a.csv", 'label,1\nx,1\n"two words",1\n')
    for ending in ["svm", "vw"]:
        t.refused("convert", "a.csv", "-o", f"b.{ending}", status=1, says=["a.csv:3: ", "the label 'two words' has a blank"])
    t.run("convert", "a.csv", "-o", "b.jsonl")
    equal(t.read("b.jsonl").decode(), '{"label":"x","1":1}\n{"label":"two words","1":1}\n')
    for label, ending in [("a:b", "svm"), ("a#b", "svm"), ("a|b", "vw"), ("'a", "vw"), ("a:b", "vw")]:
        t.write("a.text.tsv", f"{label}\t17\n")
        t.refused("convert", "a.text.tsv", "-o", f"b.{ending}", status=1, says=["a.text.tsv:1: ", "the label '"])
    t.write("latin.text.tsv", b"caf\xe9\t17\n")
    t.refused("convert", "latin.text.tsv", "-o", "c.jsonl", status=1, says=["latin.text.tsv:1: ", "is not UTF-8"])
    t.run("convert", "latin.text.tsv", "-o", "c.vw")
    equal(t.read("c.vw"), b"caf\xe9 | 17\n")


def test_sampling_needs_two_classes(t):
    t.refused("convert", "--sample-ratio", "1:1", stdin="spam 1:1\nham 1:1\neggs 2:1\n", status=1,
              says="label 'eggs' is a third class, after 'spam' and 'ham'")


def test_a_sample_goes_by_the_classes_of_words_and_numbers(t):
    for first, other in (("ham", "spam"), ("1", "2"), ("-1", "1")):
        t.write("a", "".join(f"{first if i % 5 else other} {i + 1}:1\n" for i in range(100)))
        out = t.run("convert", "-q", "--sample-ratio", "1:2", "a").out.splitlines()
        equal([sum(line.startswith(c + " ") for line in out) for c in (first, other)], [40, 20], first)
