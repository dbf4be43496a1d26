#!/usr/bin/env python3
"""tritonclient[http] asks `sluice serve`: triton_client.py --sluice PROGRAM [CASE...]. What it gets is compared with what
`sluice predict` prints, bit for bit."""
import argparse
import json
import os
import random
import sys

sys.dont_write_bytecode = True
from serve_process import Served, run_cases, until  # noqa: E402

try:
    import numpy as np
    import tritonclient.http as triton
    from tritonclient.utils import InferenceServerException
except ImportError as missing:
    print(f"skipped: triton_client ({missing})")
    sys.exit(77)
from harness import check, equal, parse, rows  # noqa: E402

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


class Asked:
    """A model that a server has, its client, and what `sluice predict` says of the same rows."""

    def __init__(self, t, text, *options, reading=()):
        self.t = t
        t.write("learned", text)
        t.run("train", "-qq", *options, *reading, "-o", "m", "learned")
        self.served = Served(t, "-m", "m", "--no-learning", *reading)

    def __enter__(self):
        self.served.__enter__()
        self.client = triton.InferenceServerClient(f"{self.served.host}:{self.served.port}")
        return self

    def __exit__(self, *failure):
        self.client.close()
        return self.served.__exit__(*failure)

    def predict(self, text, *options):
        """Fields of each line."""
        self.t.write("ask", text)
        return [line.split("\t") for line in self.t.run("predict", "-qq", "-m", "m", *options, "ask").out.splitlines()]

    def infer(self, *inputs, **more):
        return self.client.infer("m", list(inputs), **more)

    def refusal(self, *inputs, **more):
        try:
            got = self.infer(*inputs, **more)
        except InferenceServerException as e:
            return e
        check(False, f"it was not refused: {got.get_response()}")


def tensor(name, data, datatype, dtype, binary=True):
    array = np.array(data, dtype)
    made = triton.InferInput(name, list(array.shape), datatype)
    made.set_data_from_numpy(array, binary_data=binary)
    return made


def texts(name, data, binary=True):
    return tensor(name, [d.encode() if isinstance(d, str) else d for d in data], "BYTES", np.object_, binary)


def unlabelled(text):
    return "".join(line.split(" ", 1)[1] + "\n" for line in text.splitlines())


def csr(text, names=False, indices="INT64", binary=True):
    parsed = [x for _, x in parse(text)]
    indptr = np.cumsum([0] + [len(x) for x in parsed])
    values = [v for x in parsed for v in x.values()]
    ids = [i for x in parsed for i in x]
    which = texts("names", [f"f{i}" for i in ids], binary) if names else tensor("indices", ids, indices, getattr(np, indices.lower()), binary)
    return [tensor("indptr", indptr, "INT64", np.int64, binary), which, tensor("values", values, "FP32", np.float32, binary)]


def dense(text, width=50):
    x = np.zeros((text.count("\n"), width), np.float32)
    for row, (_, features) in zip(x, parse(text)):
        for i, v in features.items():
            row[i - 1] = v
    return x


def same(got, wanted, what):
    """Margins, labels and probabilities are those of the lines, bit for bit."""
    equal(got.as_numpy("margin").tolist(), [float(fields[1]) for fields in wanted], f"{what}: margins")
    equal(got.as_numpy("label").tolist(), [int(fields[0]) for fields in wanted], f"{what}: labels")
    if len(wanted[0]) > 2:
        equal(got.as_numpy("probability").tolist(), [float(fields[2]) for fields in wanted], f"{what}: probabilities")


@case
def health_and_metadata(t):
    with Asked(t, rows(300), "-a", "ssol") as a:
        c = a.client
        check(c.is_server_live() and c.is_server_ready() and c.is_model_ready("m") and c.is_model_ready("m", "300"), "not ready")
        check(not c.is_model_ready("other") and not c.is_model_ready("m", "299"), "it is not there")
        about = c.get_server_metadata()
        equal(about["name"], "sluice")
        check("binary_tensor_data" in about["extensions"], about)
        for about in c.get_model_metadata("m"), c.get_model_metadata("m", "300"):
            equal((about["name"], about["versions"], about["platform"]), ("m", ["300"], "sluice_ssol"))
            kinds = {i["name"]: (i["datatype"], i["shape"]) for i in about["inputs"] + about["outputs"]}
            equal([kinds[k] for k in ("examples", "x", "margin", "label")],
                  [("BYTES", [-1]), ("FP32", [-1, -1]), ("FP64", [-1]), ("INT64", [-1])])
        try:
            c.get_model_metadata("other")
            check(False, "there is no such model")
        except InferenceServerException as e:
            check("no model called 'other'" in e.message() and e.status() == "404", e)


@case
def rows_of_every_kind_are_predicted_as_lines_are(t):
    text, asked = rows(1000), rows(60, seed=9) + "1\n-1 50:1\n"
    for options in ["-a", "ssol"], ["-a", "arow"], []:
        with Asked(t, text, *options) as a:
            lines = unlabelled(asked[:-len("1\n-1 50:1\n")]) + "\n50:1\n"
            wanted = a.predict(lines, "--proba")
            for binary in True, False:
                same(a.infer(texts("examples", lines.splitlines(), binary)), wanted, "lines")
                same(a.infer(tensor("x", dense(asked), "FP32", np.float32, binary)), wanted, "dense")
                same(a.infer(*csr(asked, binary=binary)), wanted, "sparse")
            for kind in "INT32", "UINT32", "UINT64", "UINT8":
                same(a.infer(*csr(asked, indices=kind)), wanted, kind)
            same(a.infer(tensor("x", dense(asked), "FP64", np.float64)), wanted, "FP64")
            one = a.infer(tensor("x", dense(asked)[0], "FP32", np.float32))
            same(one, wanted[:1], "one row of one dimension")


@case
def whole_numbers_and_halves(t):
    """Values of other datatypes are those numbers."""
    with Asked(t, rows(1000), "-a", "pa") as a:
        r = random.Random(3)
        x = [[r.randrange(0, 2) if r.random() < 0.2 else 0 for _ in range(50)] for _ in range(30)]
        wanted = a.predict("".join(" ".join(f"{j + 1}:{v}" for j, v in enumerate(row) if v) + "\n" for row in x), "--proba")
        for kind in "UINT8 UINT16 UINT32 UINT64 INT8 INT16 INT32 INT64 FP16 FP32 FP64".split():
            dtype = getattr(np, kind.lower().replace("fp", "float"))
            same(a.infer(tensor("x", x, kind, dtype)), wanted, kind)
        for binary in True, False:
            same(a.infer(tensor("x", x, "BOOL", np.bool_, binary)), wanted, "BOOL")
        halves = [[r.choice([0, 0.5, -0.25, 6e-8, 1.0009765625, 60000]) for _ in range(50)] for _ in range(30)]
        exact = np.array(halves, np.float16).astype(np.float64)
        lines = "".join(" ".join(f"{j + 1}:{v!r}" for j, v in enumerate(row) if v) + "\n" for row in exact.tolist())
        same(a.infer(tensor("x", halves, "FP16", np.float16)), a.predict(lines, "--proba"), "FP16")


@case
def named_features(t):
    text = "".join(f"{line.split(' ', 1)[0]} |" + "".join(f" f{w}" for w in line.split()[1:]) + "\n" for line in rows(500).splitlines())
    asked = rows(40, seed=5)
    lines = "".join("|" + "".join(f" f{w}" for w in line.split()[1:]) + "\n" for line in asked.splitlines())
    with Asked(t, text, "-a", "ssol", reading=["-f", "vw"]) as a:
        wanted = a.predict(lines, "--proba", "-f", "vw")
        for binary in True, False:
            same(a.infer(*csr(asked, names=True, binary=binary)), wanted, "sparse")
            columns = texts("names", [f"f{i + 1}" for i in range(50)], binary)
            same(a.infer(tensor("x", dense(asked), "FP32", np.float32, binary), columns), wanted, "dense")
        same(a.infer(texts("examples", lines.splitlines())), wanted, "lines")
        jsonl = [json.dumps({f: float(v) for f, v in (w.split(":") for w in line.split()[1:])}) for line in lines.splitlines()]
        same(a.infer(texts("examples", jsonl), parameters={"format": "jsonl"}), wanted, "lines of another format")


@case
def several_classes(t):
    r = random.Random(1)
    text = "".join(f"{'abc'[i % 3]} {i % 3 + 1}:1 {r.randrange(4, 12)}:0.5\n" for i in range(400))
    lines = unlabelled(text)[:600].rsplit("\n", 1)[0] + "\n"
    with Asked(t, text, "-a", "arow", "--classes", "ovr") as a:
        wanted = a.predict(lines, "--proba", "--top-classes", "3")
        names = ["margin", "label", "probability", "margins", "probabilities", "classes"]
        for binary in True, False:
            got = a.infer(texts("examples", lines.splitlines(), binary), outputs=[triton.InferRequestedOutput(n, binary) for n in names])
            equal(sorted(o["name"] for o in got.get_response()["outputs"]), sorted(names))
            text_of = [c.decode() if isinstance(c, bytes) else c for c in got.as_numpy("classes").tolist()]
            equal(sorted(text_of), ["a", "b", "c"])
            label = [c.decode() if isinstance(c, bytes) else c for c in got.as_numpy("label").tolist()]
            equal(label, [fields[0] for fields in wanted])
            for name, at in ("margins", 1), ("probabilities", 2):
                equal(got.as_numpy(name).shape, (len(wanted), 3))
                for row, fields in zip(got.as_numpy(name).tolist(), wanted):
                    equal(dict(zip(text_of, row)), {fields[k]: float(fields[k + at]) for k in (0, 3, 6)}, name)
                equal(got.as_numpy(name[:-1] if at == 1 else "probability").tolist(), [float(fields[at]) for fields in wanted])


@case
def outputs_that_were_asked_for(t):
    asked = rows(20, seed=5)
    with Asked(t, rows(500), "-a", "ssol") as a:
        plain = a.infer(*csr(asked))
        equal([o["name"] for o in plain.get_response()["outputs"]], ["margin", "label", "probability"])
        for names in ["label"], ["probability", "margin"]:
            got = a.infer(*csr(asked), outputs=[triton.InferRequestedOutput(n) for n in names])
            equal(sorted(o["name"] for o in got.get_response()["outputs"]), sorted(names))
            for n in names:
                equal(got.as_numpy(n).tolist(), plain.as_numpy(n).tolist(), n)
        got = a.infer(*csr(asked), outputs=[triton.InferRequestedOutput("margin", binary_data=False), triton.InferRequestedOutput("label")])
        kinds = {o["name"]: "data" in o for o in got.get_response()["outputs"]}
        equal(kinds, {"margin": True, "label": False})
        equal(got.as_numpy("label").tolist(), plain.as_numpy("label").tolist())
        e = a.refusal(*csr(asked), outputs=[triton.InferRequestedOutput("margins")])
        check("several classes" in e.message(), e)
        e = a.refusal(*csr(asked), outputs=[triton.InferRequestedOutput("nothing")])
        check("no such output" in e.message(), e)


@case
def contributions(t):
    """Those that `sluice predict --explain` prints, the largest first; all of them add up to the margin."""
    asked = rows(20, seed=5)
    with Asked(t, rows(500), "-a", "ssol") as a:
        for n in 3, 100:
            wanted = [json.loads(line) for line in a.t.run("predict", "-qq", "-m", "m", "--json", "--explain", n, a.t.write("ask", unlabelled(asked))).out.splitlines()]
            for binary in True, False:
                names = ["contribution_indptr", "contribution_features", "contributions"]
                got = a.infer(*csr(asked), parameters={"explain": n}, outputs=None if binary else [triton.InferRequestedOutput(x, False) for x in names])
                indptr, features, terms = [got.as_numpy(x).tolist() for x in names]
                equal(len(indptr), 21)
                for i, line in enumerate(wanted):
                    part = slice(indptr[i], indptr[i + 1])
                    shown = [f.decode() if isinstance(f, bytes) else f for f in features[part]]
                    equal(list(zip(shown, terms[part])), [(str(x["feature"]), x["contribution"]) for x in line["explain"]], f"row {i}")
                    if n == 100:
                        check(abs(sum(terms[part]) - line["margin"]) < 1e-9, f"row {i}: {terms[part]} is not {line['margin']}")


@case
def ids_and_versions(t):
    asked = rows(5, seed=5)
    with Asked(t, rows(300), "-a", "ssol") as a:
        for i in "42", "ü \"x\" \\ \n", "x" * 1000:
            equal(a.infer(*csr(asked), request_id=i).get_response()["id"], i)
        equal("id" in a.infer(*csr(asked)).get_response(), False)
        got = a.infer(*csr(asked), model_version="300", sequence_id=7, sequence_start=True, priority=1, timeout=10 ** 6).get_response()
        equal((got["model_name"], got["model_version"]), ("m", "300"))
        e = a.refusal(*csr(asked), model_version="12")
        equal(e.status(), "404")
        check("at version 300" in e.message(), e)


@case
def empty_requests_and_rows(t):
    with Asked(t, rows(300), "-a", "ssol") as a:
        for none in [tensor("x", np.zeros((0, 50)), "FP32", np.float32)], [texts("examples", [])], csr(""):
            got = a.infer(*none)
            equal([got.as_numpy(n).shape for n in ("margin", "label", "probability")], [(0,)] * 3)
        empty = a.infer(texts("examples", ["", "1:0", "# nothing"]))
        equal(empty.as_numpy("margin").tolist(), [0, 0, 0])


@case
def what_is_wrong_comes_as_an_exception(t):
    indptr, indices, values = csr(rows(4))
    with Asked(t, rows(300), "-a", "ssol") as a:
        for inputs, says in (
                ([tensor("y", [[1]], "FP32", np.float32)], "no input"),
                ([tensor("x", [[1]], "FP32", np.float32), tensor("y", [1], "FP32", np.float32)], "'y'"),
                ([tensor("x", [[float("nan")]], "FP32", np.float32)], "element 1"),
                ([tensor("x", [[1, float("inf")]], "FP64", np.float64)], "element 2"),
                ([tensor("x", [[1, 1e39]], "FP64", np.float64)], "element 2"),
                ([tensor("x", [[[1]]], "FP32", np.float32)], "[rows, columns]"),
                ([texts("examples", ["1:1", "1:x"])], "line 2, column 3"),
                ([texts("examples", ["1:1\n2:1"])], "one line"),
                ([tensor("examples", [1], "FP32", np.float32)], "BYTES"),
                ([indptr, values], "indices or names"),
                ([indptr, indices], "indices or names"),
                ([tensor("indptr", [0, 3, 2, 9, 32], "INT64", np.int64), indices, values], "falls"),
                ([tensor("indptr", [1, 32], "INT64", np.int64), indices, values], "begin with 0"),
                ([tensor("indptr", [0, 31], "INT64", np.int64), indices, values], "last element"),
                ([tensor("indptr", [0, -1], "INT64", np.int64), indices, values], "not negative"),
                ([tensor("indptr", [0, 2], "INT64", np.int64), tensor("indices", [3, 3], "INT64", np.int64), tensor("values", [1, 1], "FP32", np.float32)], "row 1"),
                ([tensor("indptr", [0, 1], "INT64", np.int64), tensor("indices", [3.5], "FP32", np.float32), tensor("values", [1], "FP32", np.float32)], "whole number"),
                ([tensor("x", [[1]], "FP32", np.float32), texts("names", ["a", "b"])], "names")):
            e = a.refusal(*inputs)
            check(e.status() == "400" and says in e.message(), f"{says}: {e}")
        e = a.refusal(*csr(rows(4)), request_compression_algorithm="gzip")
        equal(e.status(), "415")


@case
def learning_with_its_requests(t):
    """Bodies that the client makes, sent to /learn: the model is that of `sluice train`, and the answers are read by it."""
    text = rows(300)
    parsed = parse(text)
    with Served(t, "-m", "m", "-a", "ssol") as s:
        for at in range(0, 300, 100):
            part = "".join(text.splitlines(True)[at:at + 100])
            labels = [int(label) for label, _ in parsed[at:at + 100]]
            label = tensor("label", labels, "INT32", np.int32) if at else texts("label", [f"{x:+d}" for x in labels])
            body, n = triton.InferenceServerClient.generate_request_body(csr(part, binary=at < 200) + [label], request_id=str(at))
            answer = s.post("/v2/models/m/learn", bytes(body), **({"Inference_Header_Content_Length": str(n)} if n else {}))
            equal(answer.status, 200, answer)
            n = answer.headers.get("Inference-Header-Content-Length")
            got = triton.InferenceServerClient.parse_response_body(answer.body, header_length=int(n) if n else None)
            response = got.get_response()
            equal((response["id"], response["model_version"]), (str(at), str(at + 100)))
            equal([len(got.as_numpy(name)) for name in ("margin", "label")], [100, 100])
        until("a snapshot", lambda: s.post("/predict", "1:1\n").version == 300)
    t.write("learned", text)
    t.run("train", "-qq", "-a", "ssol", "-o", "serial", "learned")
    equal(t.read("m"), t.read("serial"), "the file")


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    sys.exit(run_cases(CASES, given.cases, os.path.abspath(given.sluice)))
