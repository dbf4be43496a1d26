"""export and convert --model: models in the formats of other programs, and rows for them.

Here the files are read by small readers in Python; tests/peers/export_peers.py asks the programs themselves."""

import json
import math
import struct

from harness import check, equal, near, rows

FORMATS = ["json", "tsv", "liblinear", "vw", "onnx", "c"]
TEXT = "spam\tfree prize now\nham\tlunch at noon\nspam\tfree free win\nham\tnoon lunch now\n" * 5


def train(t, data, *options, learner="perceptron", model="m"):
    t.run("train", "-qq", "-a", learner, *options, "-o", model, stdin=data)


def answers(t, data, model="m"):
    """Labels and margins that sluice gives."""
    lines = [line.split("\t") for line in t.run("predict", "-qq", "-m", model, stdin=data).out.splitlines()]
    return [a[0] for a in lines], [float(a[1]) for a in lines]


def f32(x):
    return struct.unpack("<f", struct.pack("<f", float(x)))[0]


def converted(t, data, model="m"):
    """[(label, {number: value})] as convert --model makes them."""
    lines = t.run("convert", "-qq", "--model", model, stdin=data).out.splitlines()
    return [(line.split(" ")[0], {int(i): f32(v) for i, v in (x.split(":") for x in line.split(" ")[1:])}) for line in lines]


def margin(weights, row):
    return sum(weights.get(i, 0) * v for i, v in row.items())


def murmur3(data, seed=0):
    def mixed(k):
        k = k * 0xcc9e2d51 & 0xffffffff
        return ((k << 15 | k >> 17) & 0xffffffff) * 0x1b873593 & 0xffffffff

    h = seed
    for i in range(0, len(data) // 4 * 4, 4):
        h ^= mixed(struct.unpack_from("<I", data, i)[0])
        h = (h << 13 | h >> 19) & 0xffffffff
        h = (h * 5 + 0xe6546b64) & 0xffffffff
    if len(data) % 4:
        h ^= mixed(int.from_bytes(data[len(data) // 4 * 4:], "little"))
    h ^= len(data)
    h = (h ^ h >> 16) * 0x85ebca6b & 0xffffffff
    h = (h ^ h >> 13) * 0xc2b2ae35 & 0xffffffff
    return h ^ h >> 16


def liblinear(text):
    """The header as a dictionary and the lines of numbers."""
    lines = text.splitlines()
    at = lines.index("w")
    return dict(line.split(" ", 1) for line in lines[:at]), [[float(x) for x in line.split()] for line in lines[at + 1:]]


def test_json_has_all_that_predicts(t):
    train(t, rows(200), "--bias", 2, learner="arow")
    model = t.run("export", "--to", "json", "m").json()
    weights = {f["id"]: f32(f["weights"][0][1]) for f in model["features"]}
    lines = [line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines()]
    equal(weights, {int(k): f32(w) for k, w in lines if k != "bias"})
    near(model["problems"][0]["constant"], 2 * f32(dict(lines)["bias"]), 1e-12)
    equal([model["learner"], model["classes"], model["threshold"]], ["arow", ["-1", "1"], 0])
    equal([model["scale"], model["normalize"], model["transform"], model["hash"]], ["none", "none", "none", 0])
    data = rows(50, seed=2)
    for row, wanted in zip(converted(t, data), answers(t, data)[1]):
        near(margin(weights, row[1]) + model["problems"][0]["constant"], wanted, 1e-9)


def test_tsv_is_the_table_of_inspect(t):
    train(t, rows(100))
    equal(t.run("export", "--to", "tsv", "m").out, "feature\tweight\n" + t.run("inspect", "--weights", "m").out)
    train(t, "red 1:1 2:1\ngreen 3:1 2:-1\nblue 4:1 1:-1\n" * 5, "--classes", "ovo")
    out = t.run("export", "--to", "tsv", "m").out.splitlines()
    equal(out[0], "feature\tclass\tagainst\tweight")
    equal(sorted(out[1:]), sorted(t.run("inspect", "--weights", "m").out.splitlines()))
    train(t, "1 | bias other\n-1 | more\n", "-f", "vw")
    check("\n\\x62ias\t" in t.run("export", "--to", "tsv", "m").out, "a feature called bias is told apart")


def test_liblinear_has_a_line_for_every_id(t):
    train(t, rows(200), "--bias", 0.5, learner="arow")
    head, lines = liblinear(t.run("export", "--to", "liblinear", "m").out)
    equal([head["solver_type"], head["nr_class"], head["label"], head["bias"]], ["L2R_L2LOSS_SVC", "2", "1 -1", "1"])
    equal(len(lines), int(head["nr_feature"]) + 1)
    weights = {i + 1: f32(w) for i, (w,) in enumerate(lines)}
    data = rows(50, seed=2)
    for row, label, wanted in zip(converted(t, data), *answers(t, data)):
        got = margin(weights, row[1]) + lines[-1][0]
        near(got, wanted, 1e-9)
        equal(head["label"].split()[0 if got > 0 else 1], label)


def test_liblinear_turns_a_model_whose_ties_are_positive(t):
    """In LIBLINEAR a margin of 0 means the second label."""
    train(t, "b 1:1\na 2:1\n")
    equal(answers(t, "b 9:1\n")[0], ["b"], "the class seen first has the ties")
    t.run("export", "-q", "--to", "liblinear", "m", "-o", "out")
    head, lines = liblinear(t.read("out").decode())
    equal([head["label"], t.read("out.labels").decode()], ["1 2", "a\nb\n"])
    equal([row[0] for row in converted(t, "b 1:1\na 2:1\n")], ["2", "1"])
    weights = {i + 1: w for i, (w,) in enumerate(lines)}
    check(margin(weights, {2: 1}) > 0 >= margin(weights, {1: 1}), lines)


def test_liblinear_takes_the_threshold_into_its_bias(t):
    data = rows(200)
    t.write("data", data)
    t.run("train", "-qq", "-a", "perceptron", "--test", "data", "--threshold", "margin=1.5", "-o", "m", "data")
    r = t.run("export", "--to", "liblinear", "m")
    head, lines = liblinear(r.out)
    equal([head["bias"], lines[-1]], ["1", [-1.5]])
    check("above the model's threshold" in r.err, r.err)


def test_several_classes_have_a_column_each(t):
    data = "red 1:1 2:1\ngreen 3:1 2:-1\nblue 4:1 1:-1\n" * 5
    for kind in ["ovr", "matrix"]:
        train(t, data, "--classes", kind, "--bias", 1)
        t.run("export", "-q", "--to", "liblinear", "m", "-o", "out")
        head, lines = liblinear(t.read("out").decode())
        names = t.read("out.labels").decode().split()
        equal([head["solver_type"], head["nr_class"], head["label"], names],
              ["MCSVM_CS", "3", "1 2 3", ["red", "green", "blue"]])
        for row, label, wanted in zip(converted(t, data), *answers(t, data)):
            sums = [sum(f32(lines[i - 1][k]) * v for i, v in row[1].items()) + lines[-1][k] for k in range(3)]
            equal(names[sums.index(max(sums))], label, kind)
            near(max(sums), wanted, 1e-9, kind)
    train(t, data, "--classes", "ovo")
    t.refused("export", "--to", "liblinear", "m", status=1, says="each pair of them")
    t.refused("export", "--to", "vw", "m", status=1, says="two classes")


def test_columns_of_text_are_said_to_be_cut(t):
    """The other program has the words of a column, and not the text that they are cut from."""
    t.write("rows.csv", "label,t\n" + "1,free prize\n0,lunch now\n" * 3)
    t.run("train", "-q", "-a", "arow", "--text", "t", "-o", "m", "rows.csv")
    said = t.run("export", "--to", "vw", "m", "-o", "out").err
    check("`sluice convert --model m` makes its rows; it cuts text" in said, said)


def test_names_are_numbered_as_inspect_lists_them(t):
    train(t, TEXT, "-f", "text")
    listed = [line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines()]
    r = t.run("export", "--to", "liblinear", "m", "-o", "out")
    check("it cuts text; it numbers features" in r.err, r.err)
    names = t.read("out.names").decode().splitlines()
    equal(names, [name for name, _ in listed])
    _, lines = liblinear(t.read("out").decode())
    for row, wanted in zip(converted(t, TEXT), answers(t, TEXT)[1]):
        near(abs(margin({i + 1: f32(w) for i, (w,) in enumerate(lines)}, row[1])), abs(wanted), 1e-9)
    t.refused("export", "--to", "liblinear", "m", status=2, says="-o")


def test_rows_have_the_values_that_the_weights_meet(t):
    """transform, scale and length 1: what is left is one product a feature."""
    data = rows(200)
    for kind in [[], ["--classes", "ovr"], ["--classes", "matrix"], ["--scale", "idf"], ["--scale", "idf", "--classes", "ovr"]]:
        train(t, data, "--transform", "log1p", *([] if "--scale" in kind else ["--scale", "maxabs"]), "--normalize", "l2", *kind)
        model = t.run("export", "-q", "--to", "json", "m").json()
        for row, wanted in zip(converted(t, rows(50, seed=4)), answers(t, rows(50, seed=4))[1]):
            sums = [p["constant"] for p in model["problems"]]
            for f in model["features"]:
                for problem, w in f["weights"]:
                    sums[problem] += f32(w) * row[1].get(f["id"], 0)
            near(max(sums), wanted, 1e-6, kind)
    t.refused("convert", "--model", "m", "--normalize", "l2", status=2, says="--normalize")
    kept = t.run("convert", "-qq", "--model", "m", "--to", "vw", stdin=data).out
    check(kept.startswith(("1 | ", "-1 | ")), kept[:80])


def vw_model(content):
    """The options and the weights by index; its checksum is checked."""
    at = 4 + struct.unpack_from("<I", content)[0]
    check_from, fields = at, []
    for size in [None, 1, 4, 4, 4, 4, 4, 4, None]:
        if size is None:
            fields.append(content[at:at + 4])
            size, at = struct.unpack_from("<I", content, at)[0], at + 4
        fields.append(content[at:at + size])
        at += size
    hashed = 0
    for field in fields:
        hashed = murmur3(field, hashed)
    equal(b"".join(fields), content[check_from:at])
    equal(struct.unpack_from("<II", content, at), (4, hashed), "length and value of the checksum")
    at += 8
    equal(content[at], 0, "nothing to go on learning from")
    pairs = [struct.unpack_from("<If", content, i) for i in range(at + 1, len(content), 8)]
    equal(len(pairs), len(dict(pairs)), "an index stands once")
    return fields[-1].rstrip(b"\0").decode(), struct.unpack("<I", fields[5])[0], dict(pairs)


def test_vw_has_ids_as_indices_and_hashes_names(t):
    equal(murmur3(b"hello"), 0x248bfa47, "the test's own hash")
    train(t, rows(100), "--bias", 0.5, learner="arow")
    t.run("export", "-q", "--to", "vw", "m", "-o", "out")
    listed = dict(line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines())
    options, bits, weights = vw_model(t.read("out"))
    equal([options, bits], ["", 18])
    constant = weights.pop(11650396 & (1 << 18) - 1)
    near(constant, 0.5 * float(listed.pop("bias")), 1e-7)
    equal({str(i): w for i, w in weights.items()}, {i: f32(w) for i, w in listed.items()})
    train(t, "1 |ns ab c |d e\n-1 | f 05 5\n" * 3, "-f", "vw")
    t.run("export", "-q", "--to", "vw", "m", "-o", "out")
    options, bits, weights = vw_model(t.read("out"))
    equal(options, " --hash all --noconstant")
    listed = [line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines()]
    wanted = {}
    for name, w in listed:
        space, _, feature = name.rpartition("^")
        wanted[murmur3(feature.encode(), murmur3(space.encode()) if space else 0) & (1 << bits) - 1] = f32(w)
    equal(weights, wanted)


def test_vw_is_refused_where_indices_are_equal_or_names_do_not_fit(t):
    train(t, f"1 1:1 {1 + (1 << 30)}:2\n")
    t.refused("export", "--to", "vw", "m", status=1, says="would take different features of the model for one")
    train(t, f"1 1:1 {1 + (1 << 20)}:2\n")
    t.run("export", "-q", "--to", "vw", "m", "-o", "out")
    equal(vw_model(t.read("out"))[1], 21, "as many bits as are needed")
    train(t, '{"label": 1, "a b": 1}\n', "-f", "jsonl")
    t.refused("export", "--to", "vw", "m", status=1, says="which VW text cannot have")


def fields(message):
    """[(number, value)] of a message of protocol buffers."""
    def varint(at):
        value = shift = 0
        while True:
            byte = message[at]
            value |= (byte & 127) << shift
            at, shift = at + 1, shift + 7
            if byte < 128:
                return value, at

    at, found = 0, []
    while at < len(message):
        key, at = varint(at)
        value, at = varint(at)
        if key & 7 == 2:
            value, at = message[at:at + value], at + value
        found.append((key >> 3, value))
    return found


def test_onnx_has_the_weights_and_labels(t):
    train(t, "yes 1:1 3:2\nno 2:1\n" * 3, "--bias", 1, learner="arow")
    t.run("export", "-q", "--to", "onnx", "m", "-o", "out")
    model = dict(fields(t.read("out")))
    equal([model[1], model[2], fields(model[8])], [7, b"sluice", [(1, b""), (2, 13)]])
    graph = fields(model[7])
    tensors = {dict(fields(v))[8]: fields(v) for number, v in graph if number == 5}
    equal([v for number, v in tensors[b"labels"] if number == 6], [b"no", b"yes"])
    equal([v for number, v in tensors[b"weights"] if number == 1], [3, 1])
    got = struct.unpack("<3f", dict(tensors[b"weights"])[9])
    listed = dict(line.split("\t") for line in t.run("inspect", "--weights", "m").out.splitlines())
    equal(list(got), [f32(listed.get(str(i), 0)) for i in (1, 2, 3)])
    near(struct.unpack("<d", dict(tensors[b"constants"])[9])[0], f32(listed["bias"]), 1e-12)
    operators = [dict(fields(v))[4].decode() for number, v in graph if number == 1]
    equal(operators[:4] + operators[-1:], ["Cast", "Cast", "MatMul", "Add", "Gather"])


def test_c_declares_what_it_says(t):
    train(t, 'a"?b 1:1\nc 2:1\n')
    out = t.run("export", "-q", "--to", "c", "--prefix", "spam", "m").out
    for part in ["void spam_margins(", "int spam_class(", '"a\\042\\077b"', "static const uint64_t spam_id[]"]:
        check(part in out, part)
    check("model_" not in out, "the default prefix")
    t.refused("export", "--to", "c", "--prefix", "1x", "m", status=2, says="begins with a letter")
    t.refused("export", "--to", "tsv", "--prefix", "x", "m", status=2, says="--prefix is for --to c")


def test_what_a_format_has_no_room_for_is_said(t):
    t.write("data", rows(20))
    train(t, rows(20), "--hash", 8)
    for to in ["liblinear", "vw", "onnx", "c"]:
        t.refused("export", "--to", to, "m", status=1, says="its features are hashed")
    t.refused("convert", "--model", "m", "data", status=1, says="its features are hashed")
    equal(t.run("export", "-q", "--to", "json", "m").json()["hash"], 8)
    train(t, "1 0:1\n")
    t.refused("export", "--to", "liblinear", "m", status=1, says="id 0")
    t.refused("export", "--to", "onnx", "m", status=1, says="id 0")
    train(t, "1 18446744073709551615:1\n")
    t.refused("export", "--to", "liblinear", "m", status=1, says="18446744073709551615")
    t.refused("export", "--to", "onnx", "m", status=1, says="18446744073709551615")
    check("18446744073709551615u" in t.run("export", "-q", "--to", "c", "m").out, "ids of any size")
    train(t, "a 1:1\nb 2:1\nc 3:1\n", "--classes", "ovo", "--scale", "maxabs")
    t.refused("export", "--to", "c", "m", status=1, says="every pair of classes scales")


def test_wrong_calls(t):
    train(t, rows(20))
    t.refused("export", "m", status=2, says="--to json")
    t.refused("export", "--to", "pmml", "m", status=2, says="pmml")
    t.refused("export", "--to", "json", status=2, says="which model?")
    t.refused("export", "--to", "json", "m", "-o", "m", status=2, says="m")
    train(t, TEXT, "-f", "text", model="x.names")
    before = t.read("x.names")
    t.refused("export", "--to", "c", "x.names", "-o", "x", status=2, says="x.names would replace the model")
    equal(t.read("x.names"), before)
    t.write("junk", "no model\n")
    t.refused("export", "--to", "json", "junk", status=1, says="junk: this is not a sluice model")


def test_rows_for_a_model_that_knows_none_of_their_features(t):
    t.run("train", "-qq", "-a", "perceptron", "--bias", 1, "-o", "m", stdin="1 1:1\n-1 2:1\n")
    for data, warned in [("1 7:1\n-1 8:1\n", True), ("1 7:1\n-1 2:1\n", False), ("", False)]:
        r = t.run("convert", "-q", "--model", "m", stdin=data)
        equal("none of the 2 examples has a feature with a weight" in r.err, warned, r.err)


def test_every_learner_and_an_empty_model_are_exported(t):
    data = rows(60)
    for learner in t.named_learners():
        train(t, data, learner=learner)
        model = json.loads(t.run("export", "-q", "--to", "json", "m").out)
        equal(len(model["features"]), t.run("inspect", "--json", "m").json()["nonzeros"], learner)
        check(all(math.isfinite(f["weights"][0][1]) for f in model["features"]), learner)
    t.run("train", "-qq", "--allow-empty", "-o", "empty", "-a", "perceptron")
    for to in FORMATS:
        t.run("export", "-q", "--to", to, "empty", "-o", "out." + to)
