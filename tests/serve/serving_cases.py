#!/usr/bin/env python3
"""`sluice serve` as a whole: serving_cases.py --sluice PROGRAM [--tool KAFKA_TOOL --broker FOLDER] [CASE...]

Every case has an empty folder and a server of its own. Those of Kafka run on the broker of `broker.py start FOLDER`
(tests/kafka), where it is given.
"""
import argparse
import fcntl
import json
import os
import random
import resource
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "cli"))
sys.path.insert(0, os.path.join(os.path.dirname(HERE), "kafka"))
sys.dont_write_bytecode = True
import broker  # noqa: E402
from harness import Failure, check, equal, rows  # noqa: E402
from kafka_clients import Mock, Tool  # noqa: E402
from serve_process import PATIENCE, Client, Served, run_cases, until  # noqa: E402

CASES, KAFKA_CASES = {}, {}


def case(function):
    CASES[function.__name__] = function
    return function


def kafka_case(function):
    KAFKA_CASES[function.__name__] = function
    return function


def unlabelled(text):
    """LIBSVM text without its labels."""
    return "".join(line.split(" ", 1)[1] + "\n" for line in text.splitlines())


def ok(answer):
    check(answer.status == 200, answer)
    return answer


def train(t, text, model, *options):
    """A serial run over these lines."""
    t.write("serial.in", text)
    t.run("train", "-qq", *options, "-o", model, "serial.in")
    return t.read(model)


def predicted(t, model, text, *options):
    t.write("ask.in", text)
    return t.run("predict", "-qq", "-m", model, *options, "ask.in").out


def at_version(s, version, path="/predict", body="1:1\n"):
    """Waits until the snapshot that answers is of this version."""
    return until(f"a snapshot of version {version}", lambda: ok(s.post(path, body)).version == version)


LEARNERS = (["-a", "ssol"], ["-a", "arow"], ["-a", "pa-1", "-P", "C=0.5"], [])


@case
def predictions_are_those_of_the_program(t):
    """At the version that an answer names, learned in requests of any size: the bytes of `sluice predict`, and the file is
    the one that `sluice train` writes."""
    text, asked = rows(3000), unlabelled(rows(200, seed=9))
    lines = text.splitlines(True)
    for options in LEARNERS:
        with Served(t, "-m", "spam=m", *options) as s:
            at, r = 0, random.Random(5)
            while at < len(lines):
                n = r.choice([1, 1, 7, 300])
                answer = ok(s.post("/learn", "".join(lines[at:at + n])))
                at = min(at + n, len(lines))
                equal(answer.version, at, "version")
                equal(len(answer.lines), len(lines[at - n:at]) if at < len(lines) else len(answer.lines), "answers")
                if r.random() < 0.05:
                    now = ok(s.post("/predict", asked))
                    train(t, "".join(lines[:now.version]), "serial", *options, "--allow-empty")
                    equal(now.text, predicted(t, "serial", asked), f"{options}: answers of version {now.version}")
            at_version(s, 3000)
            whole = train(t, text, "serial", *options)
            for more, query in ([], ""), (["--proba"], "?proba=1"), (["--json"], "?json=1"):
                equal(ok(s.post("/predict" + query, asked)).text, predicted(t, "serial", asked, *more), query)
        equal(t.read("m"), whole, f"{options}: the file")
        os.remove(t.path("m"))


@case
def learning_answers_what_was_predicted_before(t):
    text = rows(500)
    lines = text.splitlines(True)
    with Served(t, "-m", "m", "-a", "arow") as s:
        got = []
        for at in range(0, 500, 50):
            got += ok(s.post("/learn", "".join(lines[at:at + 50]))).lines
    t.write("a", text)
    shown = t.run("train", "-qq", "-a", "arow", "--trace", "trace", "-o", "serial", "a")
    equal(t.read("m"), t.read("serial"), f"file {shown}")
    # each answer is the prediction of the model that has learned the rows before (arow's weights change with its rows alone;
    # lazy ones shrink at the beginning of a round, and the margin of the round has that)
    for at in (1, 10, 100, 499):
        train(t, "".join(lines[:at]), "before", "-a", "arow")
        equal(got[at] + "\n", predicted(t, "before", unlabelled(lines[at])), f"row {at}")


@case
def labels_are_written_as_they_came(t):
    """0 and 1, words, several classes, text: the answers are those of `sluice predict`."""
    plane = rows(400)
    kinds = [(plane.replace("-1 ", "0 ").replace("+1 ", "1 "), ["-a", "ssol"], ""),
             (plane.replace("-1 ", "ham ").replace("+1 ", "spam "), ["-a", "ssol"], ""),
             ("".join(f"{'abc'[i % 3]} {i % 3 + 1}:1 {i % 7 + 9}:0.5\n" for i in range(400)), ["-a", "arow", "--classes", "ovr"], "?top-classes=2"),
             ("".join(f"{i % 2}\t{'free prize' if i % 2 else 'lunch at noon'} {i % 5}\n" for i in range(400)), ["-f", "text", "-a", "pa"], "?proba=1")]
    for text, options, query in kinds:
        separator = "\t" if "text" in options else " "
        asked = "".join(line.split(separator, 1)[1] for line in text.splitlines(True)[:30])
        with Served(t, "-m", "m", *options) as s:
            for at in range(0, 400, 100):
                ok(s.post("/learn", "".join(text.splitlines(True)[at:at + 100])))
            at_version(s, 400, body=asked)
            more = {"?proba=1": ["--proba"], "?top-classes=2": ["--top-classes", "2"], "": []}[query]
            train(t, text, "serial", *options)
            equal(ok(s.post("/predict" + query, asked)).text, predicted(t, "serial", asked, *more), options)
        equal(t.read("m"), t.read("serial"), f"{options}: the file")
        os.remove(t.path("m"))


@case
def several_models_and_folders(t):
    os.mkdir(t.path("models"))
    first, second = rows(300, seed=1), rows(300, seed=2)
    train(t, first, "models/one.model", "-a", "ssol")
    train(t, second, "models/two.sluice", "-a", "arow")
    t.write("models/notes.txt", "no model")
    asked = unlabelled(rows(20, seed=3))
    with Served(t, "-m", "models", "-m", "three=new.model", "-a", "pa") as s:
        equal(sorted(m["name"] if isinstance(m, dict) else m for m in models_of(s)), ["one", "three", "two"])
        for name, file in ("one", "models/one.model"), ("two", "models/two.sluice"):
            equal(ok(s.post(f"/predict?model={name}", asked)).text, predicted(t, file, asked), name)
        equal(s.post("/predict", asked).status, 400, "no model named")
        equal(s.post("/predict?model=four", asked).status, 404, "no such model")
        equal(ok(s.post("/learn?model=three", rows(10))).version, 10)
        equal(ok(s.post("/learn?model=one", rows(10))).version, 310)
        equal(ok(s.post("/predict?model=two", asked)).version, 300, "the others are as they were")
    check("three: there is no file " in s.text() and "new.model; a new model begins" in s.text(), s.text())
    check(t.exists("new.model"), "the new model was saved")
    equal(train(t, rows(10), "serial", "-a", "pa"), t.read("new.model"))


def models_of(s):
    answer = ok(s.get("/v2/models")).json()
    return answer["models"] if isinstance(answer, dict) else answer


@case
def a_server_goes_on_where_it_stopped(t):
    lines = rows(900).splitlines(True)
    for at in range(0, 900, 300):
        with Served(t, "-m", "m", *([] if at else ["-a", "ssol"])) as s:
            equal(ok(s.post("/predict", "1:1\n")).version, at, "begins at")
            ok(s.post("/learn", "".join(lines[at:at + 300])))
    equal(t.read("m"), train(t, "".join(lines), "serial", "-a", "ssol"))
    with Served(t, "-m", "m"):
        pass
    equal(t.read("m"), t.read("serial"), "a server that learns nothing changes nothing")


@case
def saving_rolling_back_and_reloading(t):
    lines = rows(1000).splitlines(True)
    with Served(t, "-m", "spam=m", "-a", "ssol", "--keep", 5, "--save-every", "1000000") as s:
        for at in range(0, 1000, 250):
            ok(s.post("/learn", "".join(lines[at:at + 250])))
            answer = ok(s.post("/v2/models/spam/save")).json()
            equal((answer["model_name"], int(answer["model_version"]), int(answer["saved_version"])), ("spam", at + 250, at + 250))
            equal(t.read("m"), train(t, "".join(lines[:at + 250]), "serial", "-a", "ssol"), f"saved at {at + 250}")
        answer = ok(s.post("/v2/models/spam/rollback")).json()
        equal(int(answer["model_version"]), 750, "the last one before")
        answer = ok(s.post("/v2/models/spam/rollback", '{"version": 500}')).json()
        equal(int(answer["model_version"]), 500)
        at_version(s, 500)
        equal(s.post("/v2/models/spam/rollback", '{"version": 123}').status // 100, 4, "a version that is not kept")
        equal(s.post("/v2/models/spam/rollback", '{"version": "x"}').status, 400)
        equal(s.post("/v2/models/spam/rollback", "{").status, 400)
        equal(s.post("/v2/models/other/rollback").status, 404)
        ok(s.post("/learn", "".join(lines[500:560])))
        ok(s.post("/v2/models/spam/rollback", '{"version": 250}'))  # what was not saved is kept, too
        equal(int(ok(s.post("/v2/models/spam/rollback", '{"version": 560}')).json()["model_version"]), 560)
        refused = s.post("/v2/models/spam/rollback", '{"version": 123}')
        equal((refused.status, "there are those of 250, 500, 750, 1000" in refused.text), (404, True), refused)
        ok(s.post("/learn", "".join(lines[560:600])))
        ok(s.post("/v2/models/spam/save"))
        equal(t.read("m"), train(t, "".join(lines[:600]), "serial", "-a", "ssol"), "learned on from there")
    train(t, "".join(lines[:700]), "other", "-a", "arow")
    with Served(t, "-m", "spam=m") as s:
        ok(s.post("/learn", lines[0]))
        shutil.copy(t.path("other"), t.path("new"))
        os.replace(t.path("new"), t.path("m"))
        equal(int(ok(s.post("/v2/models/spam/reload")).json()["model_version"]), 700)
        at_version(s, 700)
    equal(t.read("m"), t.read("other"), "the model that was put there")


@case
def signals_save_and_end(t):
    lines = rows(200).splitlines(True)
    for number, save in (signal.SIGTERM, signal.SIGHUP), (signal.SIGINT, signal.SIGUSR1):
        with Served(t, "-m", "m", "-a", "ssol", "--save-every", "1000000") as s:
            ok(s.post("/learn", "".join(lines[:100])))
            check(not t.exists("m") or t.run("inspect", "--json", "m").json()["examples"] == 0, "saved too early")
            s.send_signal(save)
            until("a checkpoint", lambda: t.exists("m") and t.read("m") == train(t, "".join(lines[:100]), "serial", "-a", "ssol"))
            ok(s.post("/learn", "".join(lines[100:])))
            equal(s.end(number), 128 + number, "exit status")
        equal(t.read("m"), train(t, "".join(lines), "serial", "-a", "ssol"))
        os.remove(t.path("m"))


@case
def what_is_under_way_at_the_end_is_answered_and_learned(t):
    lines = rows(4000).splitlines(True)
    with Served(t, "-m", "m", "-a", "ssol") as s:
        learned, lock = [], threading.Lock()

        def send(part):
            client = s.client()
            try:
                for line in part:
                    answer = client.post("/learn", line)
                    if answer.status != 200:
                        check(answer.status == 503, answer)
                        return
                    with lock:
                        learned.append((answer.version, line))
            except (ConnectionError, OSError, Exception) as e:  # closed: no answer, and nothing learned
                if isinstance(e, Failure):
                    raise
            finally:
                client.close()

        threads = [threading.Thread(target=send, args=(lines[k::8],)) for k in range(8)]
        for thread in threads:
            thread.start()
        until("some were learned", lambda: len(learned) > 300)
        equal(s.end(), 128 + signal.SIGTERM)
        for thread in threads:
            thread.join()
    learned.sort()
    equal([version for version, _ in learned], list(range(1, len(learned) + 1)), "every version was answered once")
    equal(t.read("m"), train(t, "".join(line for _, line in learned), "serial", "-a", "ssol"))


@case
def without_learning_files_are_only_read(t):
    text, asked = rows(300), unlabelled(rows(20, seed=3))
    train(t, text, "m", "-a", "ssol")
    before = t.read("m"), sorted(os.listdir(t.folder)), os.stat(t.path("m")).st_mtime_ns
    with Served(t, "-m", "m", "--no-learning") as s:
        with Served(t, "-m", "m", "--no-learning") as other:  # no lock
            equal(ok(other.post("/predict", asked)).text, ok(s.post("/predict", asked)).text)
        check(s.post("/learn", "1 1:1\n").status // 100 == 4, "learn")
        check(s.post("/v2/models/m/save").status // 100 == 4, "save")
        ok(s.get("/v2/health/ready"))
        t.run("train", "-qq", "-i", "m", "-o", "m", "serial.in")  # it is not locked
        equal(ok(s.post("/predict", asked)).version, 300)
        s.send_signal(signal.SIGHUP)
        at_version(s, 600)
        equal(ok(s.post("/predict", asked)).text, predicted(t, "m", asked))
        t.write("m", b"no model")
        s.send_signal(signal.SIGHUP)
        until("a message", lambda: "m: " in s.text())
        equal(ok(s.post("/predict", asked)).version, 600, "the old one stays")
        check(s.post("/v2/models/m/reload").status >= 400, "reload says so")
    check(before[1] and t.read("m") == b"no model", "nothing was written")


@case
def predict_only_models_are_served(t):
    text, asked = rows(300), unlabelled(rows(20, seed=3))
    t.write("a", text)
    t.run("train", "-qq", "-a", "ssol", "--final", "-o", "m", "a")
    before = t.read("m")
    with Served(t, "-m", "m") as s:
        equal(ok(s.post("/predict", asked)).text, predicted(t, "m", asked))
        check(s.post("/learn", "1 1:1\n").status // 100 == 4, "learn")
    equal(t.read("m"), before, "the file")


@case
def one_server_writes_a_model(t):
    with Served(t, "-m", "m", "-a", "ssol") as s:
        ok(s.post("/learn", rows(10)))
        r = t.run("serve", "--listen", "127.0.0.1:0", "-m", "m", status=1)
        check("m" in r.err, r.err)
        equal(t.run("serve", "--listen", f"127.0.0.1:{s.port}", "-m", "other=o", status=1).out, "")
    check(not t.exists("o") or t.run("inspect", "o"), "a server that could not start leaves no damage")


@case
def crossed_features_are_those_of_the_program(t):
    lines = [f"{1 if a == b else -1} |a {a} |b {b} |c n{i % 7}\n" for i, (a, b) in enumerate([("x", "x"), ("x", "y"), ("y", "y")] * 40)]
    options = ["-f", "vw", "-a", "arow", "--quadratic", "ab"]
    asked = "|a x |b x\n|a y |b x\n"
    with Served(t, "-m", "m", *options) as s:
        ok(s.post("/learn", "".join(lines)))
        at_version(s, len(lines), body=asked)
        whole = train(t, "".join(lines), "serial", *options)
        equal(ok(s.post("/predict", asked)).text, predicted(t, "serial", asked, "-f", "vw"), "answers")
        matrix = {"inputs": [{"name": "indptr", "datatype": "INT64", "shape": [2], "data": [0, 1]},
                             {"name": "names", "datatype": "BYTES", "shape": [1], "data": ["a^x"]},
                             {"name": "values", "datatype": "FP32", "shape": [1], "data": [1]}]}
        refused = s.post("/v2/models/m/infer", json.dumps(matrix))
        equal((refused.status, "crosses features of lines" in refused.text), (400, True), "a matrix")
    equal(t.read("m"), whole, "the file")


@case
def malformed_requests_are_refused_and_learn_nothing(t):
    with Served(t, "-m", "m", "-a", "ssol", "--max-body", 1000) as s:
        ok(s.post("/learn", "1 1:1\n-1 2:1\n"))
        answer = s.post("/learn", "1 1:1\n1 oops\n")
        equal(answer.status, 400)
        check("2" in answer.text, f"the place: {answer}")
        equal(s.post("/learn", "1 1:1\n" * 500).status, 413)
        client = s.client()
        equal(client.get("/no/such/thing").status, 404)
        equal(client.ask("DELETE", "/predict").status, 405)
        for path, says in (("/predict?prob=1", "'prob'"), ("/learn?model=m&proba=1", "model, format, json, id"), ("/label?m=m", "'m'"),
                           ("/predict?model,%20format=m", "'model, format'"), ("/predict?=1", "''"), ("/v2?a=1", "")):
            answer = client.get(path) if path.startswith("/v2") else client.post(path, "1 1:1\n")
            equal((path, answer.status, says in answer.text), (path, 400 if says else 200, True))
        check(client.get("/v2/models/../../etc/passwd").status in (400, 404), "path")
        check(client.post("/v2/models/%2e%2e%2fm/save").status in (400, 404), "path")
        client.close()
        equal(ok(s.post("/learn", "1 1:1\n")).version, 3, "nothing of the refused ones was learned")


@case
def answers_have_each_header_once(t):
    """Also refusals of what was nearly answered: nothing of the answer is left in them."""
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting.db") as s:
        ok(s.post("/learn", "1 1:1\n-1 2:1\n"))
        at_version(s, 2)
        question = {"parameters": {"binary_data_output": True, "remember": True},
                    "inputs": [{"name": "x", "shape": [1, 2], "datatype": "FP32", "data": [1, 2]},
                               {"name": "id", "shape": [1], "datatype": "BYTES", "data": ["a"]}]}
        answers = [s.get(path) for path in ("/", "/metrics", "/openapi.json", "/v2", "/v2/models", "/v2/models/m", "/no")]
        answers.append(ok(s.post("/v2/models/m/infer", json.dumps(question))))
        check(answers[-1].count("Inference-Header-Content-Length") < len(answers[-1].body), answers[-1])
        question["inputs"][1]["data"] = ["a" * 256]
        refused = s.post("/v2/models/m/infer", json.dumps(question))
        equal((refused.status, refused.headers["Inference-Header-Content-Length"]), (400, None))
        check("255 bytes" in refused.json()["error"], refused)
        for answer in answers + [refused]:
            names = [name.lower() for name in answer.headers.keys()]
            equal(sorted(names), sorted(set(names)), answer)


@case
def a_class_too_many_says_how_many_were_learned(t):
    with Served(t, "-m", "m", "-a", "ssol") as s:
        answer = s.post("/learn", "cat 1:1\ndog 2:1\nbird 3:1\ncat 1:1\n")
        equal(answer.status // 100, 4, answer)
        equal(ok(s.post("/learn", "dog 2:1\n")).version, 3, "two were learned before it")


@case
def tokens_are_asked_for(t):
    t.write("learn.token", "s3cret-learn\n")
    t.write("predict.token", "s3cret-predict\n")
    for name in "learn.token", "predict.token":
        os.chmod(t.path(name), 0o600)
    options = ["--token-file", "learn.token", "--predict-token-file", "predict.token"]
    with Served(t, "-m", "m", "-a", "ssol", *options, "--access-log", "log") as s:
        learn, predict = "Bearer s3cret-learn", "Bearer s3cret-predict"
        ok(s.get("/v2/health/live"))
        for path, tokens in ("/learn", [learn]), ("/predict", [learn, predict]):
            body = "1 1:1\n" if path == "/learn" else "1:1\n"
            for token in None, learn, predict, "Bearer no", "Basic s3cret-learn", learn + "x", "Bearer " + "x" * 3000:
                answer = s.post(path, body, **({"Authorization": token} if token else {}))
                if token in tokens:
                    ok(answer)
                else:
                    check(answer.status in (401, 403), f"{path} {token}: {answer}")
        equal(s.post("/v2/models/m/save", Authorization=predict).status in (401, 403), True, "administration")
    check(b"s3cret" not in t.read("log") and "s3cret" not in s.text(), "no secret in logs")


@case
def requests_that_come_while_it_starts_are_answered(t):
    """Here the start takes as long as nobody reads what the server says: its pipe is full, and it has a warning to write."""
    train(t, rows(10), "m")  # so that no note about a new model comes before
    t.write("learn.token", "s3cret\n")
    os.chmod(t.path("learn.token"), 0o600)
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    reads, writes = os.pipe()
    fcntl.fcntl(writes, fcntl.F_SETPIPE_SZ, 4096)
    os.set_blocking(writes, False)
    for piece in b"x" * 512, b"x":
        try:
            while True:
                os.write(writes, piece)
        except BlockingIOError:
            pass
    os.set_blocking(writes, True)
    server = subprocess.Popen([t.sluice, "serve", "-m", t.path("m"), "--listen", f"0.0.0.0:{port}", "--token-file", t.path("learn.token")],
                              stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=writes)
    os.close(writes)
    try:
        def metrics():
            try:
                return Client("127.0.0.1", port).get("/metrics")
            except ConnectionRefusedError:
                check(server.poll() is None, "it has ended")
        equal(until("an answer", metrics).status, 200)
        threading.Thread(target=lambda: [None for _ in iter(lambda: os.read(reads, 4096), b"")], daemon=True).start()
        client = Client("127.0.0.1", port)
        until("it is ready", lambda: client.get("/v2/health/ready").status == 200)
    finally:
        server.send_signal(signal.SIGTERM)
        equal(server.wait(PATIENCE), 128 + signal.SIGTERM, "exit status")


@case
def costs_of_labels_are_those_of_training(t):
    """A model keeps the costs that it was trained with, and one that is made takes those of the command line: the file is that
    of `sluice train`. Labels that come later have the costs of the model that is served now."""
    lines = rows(300).splitlines(True)
    cost = ["--cost", "1=5"]
    train(t, "".join(lines[:100]), "m", "-a", "pa-1", *cost)
    with Served(t, "-m", "m") as s:
        ok(s.post("/learn", "".join(lines[100:])))
    whole = train(t, "".join(lines), "serial", "-a", "pa-1", *cost)
    check(whole != train(t, "".join(lines), "plain", "-a", "pa-1"), "the costs change the model")
    equal(t.read("m"), whole, "a model that was trained with costs")
    with Served(t, "-m", "new", "-a", "pa-1", *cost) as s:
        ok(s.post("/learn", "".join(lines)))
    equal(t.read("new"), whole, "a model that was made")
    questions = unlabelled("".join(lines)).splitlines(True)
    train(t, "".join(lines[:50]), "later", "-a", "pa-1")
    with Served(t, "-m", "later", "--labels", "waiting.db") as s:
        for i in range(100):
            ok(s.post(f"/predict?remember=id-{i}", questions[i]))
        ok(s.post("/label", "".join(f"id-{i}\t{lines[i].split(' ', 1)[0]}\n" for i in range(10))))
        shutil.copy(t.path("serial"), t.path("put"))
        os.replace(t.path("put"), t.path("later"))
        ok(s.post("/v2/models/later/reload"))
        ok(s.post("/label", "".join(f"id-{i}\t{lines[i].split(' ', 1)[0]}\n" for i in range(10, 100))))
    train(t, "".join(lines + lines[10:100]), "serial", "-a", "pa-1", *cost)
    equal(t.run("inspect", "--weights", "later").out, t.run("inspect", "--weights", "serial").out, "weights with labels that came later")


@case
def a_model_without_classes_has_no_margins(t):
    with Served(t, "-m", "m", "-a", "ssol", "--classes", "ovr") as s:
        def ask(output):
            return s.post("/v2/models/m/infer", json.dumps({"outputs": [{"name": output}], "inputs": [
                {"name": "examples", "datatype": "BYTES", "shape": [2], "data": ["1:1", "2:1"]}]}))
        refused = ask("margins")
        equal((refused.status, "knows no class" in refused.text), (400, True), refused)
        ok(s.post("/learn", "a 1:1\nb 2:1\nc 3:1\n"))
        at_version(s, 3)
        equal(ok(ask("margins")).json()["outputs"][0]["shape"], [2, 3])


@case
def head_of_events_is_answered(t):
    """Without a body: what comes next on the connection is the next answer."""
    with Served(t, "-m", "m", "-a", "ssol") as s:
        client = s.client()
        equal(ok(client.ask("HEAD", "/events")).headers["Content-Type"], "text/event-stream")
        time.sleep(0.2)
        ok(client.get("/v2/health/live"))
        client.close()


@case
def options_are_checked(t):
    t.write("a", rows(10))
    t.run("train", "-qq", "-o", "m", "a")
    t.write("token", "x" * 20)
    for options, says in (
            ([], "-m"), (["-m", "x="], "which file"), (["-m", ".hidden"], "name"), (["-m", "a=m", "-m", "b=m"], "one file"),
            (["-m", "m", "-m", "m"], "m"), (["-m", "m", "a"], "'a'"), (["-m", "m", "--labels-most", "3"], "--labels"),
            (["-m", "m", "--no-learning", "--labels", "l"], "--labels"), (["-m", "m", "--tls-key", "a"], "--tls-certificate"),
            (["-m", "m", "--labels", "m"], "model"), (["-m", "m", "--save-every", "x"], "--save-every"),
            (["-m", "m", "--topic", "t"], "--kafka"), (["-m", "m", "--kafka", "127.0.0.1:1", "--topic", "x=t"], "x=t"),
            (["-m", "m", "--keep", "-1"], "--keep"), (["-m", "m", "--max-body", "0"], "--max-body"),
            (["-m", "m", "--queue", "0"], "--queue"), (["-m", "m", "--drift", "nonsense"], "--drift"),
            (["-m", "new", "-a", "nonsense"], "nonsense")):
        t.refused("serve", "--listen", "127.0.0.1:0", *options, status=2, says=says)
    for options, says in ((["--token-file", "nowhere"], "nowhere"), (["--listen", "256.1.1.1:0"], "256.1.1.1"),
                          (["--listen", "127.0.0.1:99999"], "99999")):
        r = t.run("serve", *([] if "--listen" in options else ["--listen", "127.0.0.1:0"]), *options, "-m", "m", status=None)
        check(r.status in (1, 2) and says in r.err, r)


@case
def labels_that_come_later_are_learned(t):
    """Remembered rows, learned when their labels come, are the examples of a serial run; the model knows what it has learned
    of them after a restart."""
    lines = rows(120).splitlines(True)
    questions = unlabelled("".join(lines)).splitlines(True)
    words = [line.split(" ", 1)[0] for line in lines]
    options = ["-m", "m", "-a", "ssol", "--labels", "waiting.db", "--save-every", "1000000"]
    with Served(t, *options) as s:
        for i in range(100):
            ok(s.post(f"/predict?remember=id-{i}", questions[i]))
        ok(s.post("/predict?remember=pair", "".join(questions[100:102])))
        for i in range(50):
            answer = ok(s.post("/label", f"id-{i}\t{words[i]}\n"))
            equal(answer.version, i + 1)
        equal(s.post("/label", "id-7\t1\n").status in (404, 409), True, "a second label")
        equal(s.post("/label", "nobody\t1\n").status, 404)
        equal(s.post("/label", "id-60\n").status, 400)
        ok(s.post("/v2/models/m/save"))
        ok(s.post("/label", "".join(f"id-{i}\t{words[i]}\n" for i in range(50, 60))))
        s.kill()
    equal(t.read("m") != b"", True)
    with socket.create_server(("127.0.0.1", 0)) as taken:  # a server that cannot start leaves them as they are
        refused = t.run("serve", *options, "--listen", f"127.0.0.1:{taken.getsockname()[1]}", status=1)
        equal(len(refused.err.splitlines()), 1, refused.err)  # and LeakSanitizer has nothing to say
    with Served(t, *options) as s:
        at_version(s, 60)  # ten labels were taken and not saved: they were learned again
        equal(s.post("/label", "id-55\t1\n").status in (404, 409), True, "it was taken before the crash")
        ok(s.post("/label", "".join(f"id-{i}\t{words[i]}\n" for i in range(60, 100))))
        ok(s.post("/label", f"pair/1\t{words[100]}\npair/2\t{words[101]}\n"))
        at_version(s, 102)
        asked = unlabelled(rows(50, seed=4))
        got = ok(s.post("/predict", asked)).text
    train(t, "".join(lines[:102]), "serial", "-a", "ssol")
    equal(got, predicted(t, "serial", asked), "the model of a serial run")
    equal(t.run("inspect", "--weights", "m").out, t.run("inspect", "--weights", "serial").out, "weights")


@case
def labels_come_later_for_a_model_that_crosses_features_and_splits_text(t):
    """A label is read by itself: it has none of the columns that are crossed or split."""
    lines = ["1,red fox,x,2\n", "0,blue sea,y,3\n", "1,red sky,y,1\n"]
    options = ["-a", "arow", "-f", "csv", "--label", "y", "--quadratic", "a,b", "--text", "t", "--columns", "t,a,b"]
    with Served(t, "-m", "m", *options, "--labels", "waiting.db") as s:
        ok(s.post("/predict?remember=row", "y,t,a,b\n" + "".join(line[1:] for line in lines)))
        for i, line in enumerate(lines):
            equal(ok(s.post("/label", f"row/{i + 1}\t{line[0]}\n")).version, i + 1)
    t.write("lines.csv", "y,t,a,b\n" + "".join(lines))
    t.run("train", "-q", *options, "-o", "serial", "lines.csv")
    weights = t.run("inspect", "--weights", "m").out
    check("a=x*b" in weights, weights)
    equal(weights, t.run("inspect", "--weights", "serial").out, "weights")


@case
def a_request_remembers_10000_rows_at_most(t):
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting.db") as s:
        refused = s.post("/predict?remember=r", "1:1\n" * 10001)
        equal((refused.status, "at most 10000" in refused.text), (413, True), refused)
        equal(len(ok(s.post("/predict?remember=r", "1:1\n" * 10000)).lines), 10000)
        check('sluice_labels_waiting 10000\n' in s.get("/metrics").text, "those of the second request wait")


@case
def labels_of_another_server_are_not_taken_for_ours(t):
    """A model that has learned labels of another server comes in the place of ours, by reload or at a start: what our file of
    labels has recorded and no saved model has learned is learned."""
    def label(s, name):
        ok(s.post(f"/predict?remember={name}", "1:1\n"))
        equal(ok(s.post("/label", f"{name}\t1\n")).text, f"{name}\tlearned\n")

    def save(s):
        ok(s.post("/v2/models/ours/save"))
        until("what was saved is dropped from the file of labels", lambda: "sluice_labels_unsaved 0\n" in s.get("/metrics").text)

    def put_theirs():
        shutil.copy(t.path("theirs"), t.path("new"))
        os.replace(t.path("new"), t.path("ours"))

    with Served(t, "-m", "theirs", "-a", "ssol", "--labels", "theirs.db") as s:
        for i in range(20):
            label(s, f"id-{i}")
    ours = ["-m", "ours", "-a", "ssol", "--labels", "ours.db", "--save-every", "1000000"]
    with Served(t, *ours) as s:
        label(s, "before")
        save(s)
        put_theirs()
        equal(int(ok(s.post("/v2/models/ours/reload")).json()["model_version"]), 20)
        label(s, "reloaded")
        s.kill()
    with Served(t, *ours) as s:
        at_version(s, 21)
        equal(s.post("/label", "reloaded\t1\n").status, 409, "it was taken")
        save(s)
        label(s, "unsaved")
        s.kill()
    put_theirs()
    with Served(t, *ours) as s:
        at_version(s, 21)  # "unsaved" alone: the others were in a saved model
    with Served(t, "-m", "ours") as s:  # without a file of labels: what the model knows of them is kept
        ok(s.post("/learn", "1 1:1\n"))
    with Served(t, *ours) as s:
        equal(s.post("/label", "unsaved\t1\n").status, 409, "it was taken")
        label(s, "last")
        equal(ok(s.post("/learn", "1 1:1\n")).version, 24)


@case
def a_label_that_the_disk_does_not_take_may_come_again(t):
    """A limit on the size of files stands for a disk that is full."""
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting.db") as s:
        ok(s.post("/predict?remember=a", "1:1\n"))
        before = resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE)
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, (1, before[1]))
        for path, body in ("/label", "a\t1\n"), ("/v2/models/m/label", '{"id": "a", "label": 1}'):
            answer = s.post(path, body)
            equal((answer.status, answer.headers["Retry-After"], "recorded" in answer.text), (503, "1", True), answer)
        resource.prlimit(s.process.pid, resource.RLIMIT_FSIZE, before)
        equal(ok(s.post("/label", "a\t1\n")).version, 1)


@case
def rows_without_a_label_in_time_count_as_said(t):
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting.db", "--labels-seconds", 1, "--unlabelled-means", "-1") as s:
        ok(s.post("/predict?remember=a", "1:1\n"))
        ok(s.post("/predict?remember=b", "2:1\n"))
        ok(s.post("/label", "a\t1\n"))
        at_version(s, 2)
    facts = t.run("inspect", "--json", "m").json()
    equal((facts["examples"], facts["positives"]), (2, 1))


@case
def a_full_queue_is_said_and_nothing_of_it_learned(t):
    """Requests beyond what the queue takes: 429 with Retry-After, and what was accepted is what was learned. One that is larger
    than the queue is taken when nothing waits."""
    text = rows(400)
    with Served(t, "-m", "m", "-a", "ssol", "--queue", 50) as s:
        equal(ok(s.post("/learn", text)).version, 400)
        accepted, refused, problems, lock = [400], [0], [], threading.Lock()

        def send(k):
            client = s.client()
            part = "".join(text.splitlines(True)[40 * k:40 * k + 40])
            for _ in range(50):
                got = client.post("/learn", part)
                with lock:
                    if got.status == 200:
                        accepted[0] += 40
                    elif got.status == 429 and got.count("Retry-After") >= 1:
                        refused[0] += 1
                    else:
                        problems.append(got)
            client.close()

        threads = [threading.Thread(target=send, args=(k,)) for k in range(10)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        equal(problems, [], "other answers")
        check(refused[0] > 0, "the queue was never full")
        equal(ok(s.post("/learn", "1 1:1\n")).version, accepted[0] + 1)


@case
def half_requests_do_no_harm(t):
    """Connections that end in the middle of a request, or say nothing: the rest is answered, nothing of them is learned."""
    with Served(t, "-m", "m", "-a", "ssol", "--request-timeout", 2, "--idle-timeout", 2) as s:
        ok(s.post("/learn", "1 1:1\n"))
        silent = [socket.create_connection((s.host, s.port)) for _ in range(20)]
        for cut in 5, 30, 60, 75:
            whole = b"POST /learn HTTP/1.1\r\nHost: x\r\nContent-Length: 30\r\n\r\n1 1:1\n1 2:1\n1 3:1\n1 4:1\n1 5:1\n"
            c = socket.create_connection((s.host, s.port))
            c.sendall(whole[:cut])
            c.close()
            c = socket.create_connection((s.host, s.port))
            c.sendall(whole[:cut])
            c.shutdown(socket.SHUT_WR)
            silent.append(c)
        equal(ok(s.post("/learn", "1 1:1\n")).version, 2)
        for c in silent:  # each is closed by the server
            c.settimeout(60)
            while c.recv(4096):
                pass
            c.close()
        equal(ok(s.client().post("/learn", "1 1:1\n")).version, 3)


# ---- Kafka


def topic_of(t, name, lines=(), partitions=1):
    topic = f"serve-{name}-{os.getpid()}"
    t.tool("create", topic, partitions)
    if lines:
        t.tool("produce", topic, "-p", 0, lines=[line.rstrip("\n") for line in lines])
    return topic


def same_as_file(t, model, lines, *options):
    """The model's weights and counts are those of a serial run over these lines."""
    train(t, "".join(lines), "serial", *options)
    for name in "examples", "mistakes", "updates", "features_seen", "nonzeros":
        equal(t.run("inspect", "--json", model).json()[name], t.run("inspect", "--json", "serial").json()[name], name)
    equal(t.run("inspect", "--weights", model).out, t.run("inspect", "--weights", "serial").out, "weights")


@kafka_case
def topics_are_learned_while_it_serves(t):
    lines = rows(2000).splitlines(True)
    topic = topic_of(t, "learned", lines[:1000])
    options = ["-m", "m", "-a", "ssol", "--kafka", t.tool.brokers, "--topic", topic, "--save-every", "100"]
    with Served(t, *options) as s:
        at_version(s, 1000)
        t.tool("produce", topic, "-p", 0, lines=[line.rstrip("\n") for line in lines[1000:1500]])
        at_version(s, 1500)
        equal(ok(s.post("/predict", unlabelled("".join(lines[:20])))).text,
              (train(t, "".join(lines[:1500]), "serial", "-a", "ssol"), predicted(t, "serial", unlabelled("".join(lines[:20]))))[1])
    same_as_file(t, "m", lines[:1500], "-a", "ssol")
    t.tool("produce", topic, "-p", 0, lines=[line.rstrip("\n") for line in lines[1500:]])
    for _ in range(4):  # killed on its way, it goes on where its file says
        with Served(t, *options) as s:
            time.sleep(0.3)
            s.kill()
    with Served(t, *options) as s:
        at_version(s, 2000)
        ok(s.post("/learn", "1 1:1\n"))  # requests and topics
    same_as_file(t, "m", lines + ["1 1:1\n"], "-a", "ssol")
    t.tool("delete", topic)


@kafka_case
def models_have_topics_of_their_own(t):
    first, second = rows(300, seed=1).splitlines(True), rows(400, seed=2).splitlines(True)
    one, two = topic_of(t, "one", first), topic_of(t, "two", second)
    with Served(t, "-m", "a=a.model", "-m", "b=b.model", "-m", "c=c.model", "-a", "arow", "--kafka", t.tool.brokers, "--topic", f"a={one}",
                "--topic", f"b={two}") as s:
        at_version(s, 300, "/predict?model=a")
        at_version(s, 400, "/predict?model=b")
        equal(ok(s.post("/predict?model=c", "1:1\n")).version, 0, "it has no topic")
    same_as_file(t, "a.model", first, "-a", "arow")
    same_as_file(t, "b.model", second, "-a", "arow")
    for topic in one, two:
        t.tool("delete", topic)


@kafka_case
def bad_messages_stop_the_topic_and_not_the_server(t):
    lines = rows(100).splitlines(True)
    topic = topic_of(t, "bad", lines[:50] + ["1 oops\n"] + lines[50:])
    options = ["-m", "m", "-a", "ssol", "--kafka", t.tool.brokers, "--topic", topic]
    with Served(t, *options) as s:
        at_version(s, 50)
        until("a message", lambda: "oops" in s.text() or topic in s.text())
        equal(ok(s.post("/learn", "1 1:1\n")).version, 51, "it still learns requests")
        ok(s.get("/v2/health/live"))
    os.remove(t.path("m"))
    with Served(t, *options, "--on-error", "skip") as s:
        at_version(s, 100)
    same_as_file(t, "m", lines, "-a", "ssol")
    t.tool("delete", topic)


@kafka_case
def what_was_learned_of_a_topic_that_stopped_is_not_learned_again(t):
    """The server saves its positions, whatever the topic stopped for: its end, a malformed message, a row that cannot be learned."""
    lines = rows(100).splitlines(True)
    kinds = [("ended", [], ["--until-end"], 100, ["--until-end"], 100), ("malformed", ["1 oops\n"], [], 60, ["--on-error", "skip"], 100),
             ("class", ["third 1:1\n"], [], 60, [], 60)]

    def has_stopped(s):
        return 'sluice_learning_stopped{model="m"} 1\n' in s.get("/metrics").text

    with Mock(t.tool.program, t.folder, brokers=1, topics={kind[0]: 1 for kind in kinds}) as mock:
        for topic, bad, first, before, second, after in kinds:
            mock.tool("produce", topic, "-p", 0, lines=[line.rstrip("\n") for line in lines[:60] + bad + lines[60:]])
            options = ["-m", f"m={topic}.model", "-a", "ssol", "--kafka", mock.bootstrap, "--topic", topic]
            with Served(t, *options, *first) as s:
                until("it stops", lambda: has_stopped(s))
                at_version(s, before)
                check('sluice_kafka_up{model="m"} 0\n' in s.get("/metrics").text, "no topic is read")
            with Served(t, *options, *second) as s:
                until("it is done again", lambda: has_stopped(s) or "skip" in second)
                at_version(s, after)
            same_as_file(t, f"{topic}.model", lines[:after], "-a", "ssol")


@kafka_case
def topics_are_read_again_when_brokers_answer_again(t):
    """A model is loaded while the brokers hang: requests are learned all the same, and the topic once they go on."""
    lines = rows(60).splitlines(True)
    with Mock(t.tool.program, t.folder, brokers=1, topics={"t": 1}) as mock:
        mock.tool("produce", "t", "-p", 0, lines=[line.rstrip("\n") for line in lines[:30]])
        with Served(t, "-m", "m", "-a", "ssol", "--kafka", mock.bootstrap, "--topic", "t") as s:
            at_version(s, 30)
            ok(s.post("/v2/models/m/save"))
            mock.process.send_signal(signal.SIGSTOP)
            try:
                began = time.monotonic()
                ok(s.post("/v2/models/m/reload"))
                equal(ok(s.post("/learn", lines[30])).version, 31)
                check(time.monotonic() - began < 30, "it waits for the brokers")
                until("it says so", lambda: "no broker answers" in s.text())
                until("it is not up", lambda: 'sluice_kafka_up{model="m"} 0\n' in s.get("/metrics").text)
                check('sluice_learning_stopped{model="m"} 0\n' in s.get("/metrics").text, "it has stopped for good")
                time.sleep(8)  # one try fails
            finally:
                mock.process.send_signal(signal.SIGCONT)
            mock.tool("produce", "t", "-p", 0, lines=[line.rstrip("\n") for line in lines[31:]])
            at_version(s, 60)
            until("it is up", lambda: 'sluice_kafka_up{model="m"} 1\n' in s.get("/metrics").text)
            equal(s.text().count("no broker answers"), 1, "how often it is said")
        same_as_file(t, "m", lines, "-a", "ssol")


@kafka_case
def dead_letters_hold_up_their_topic_alone(t):
    """While a letter is under way nothing behind it is learned of the topic; requests are learned and saved. One that will never
    arrive stops the topic, with its place. Each example is learned once, and each letter arrives."""
    lines = rows(40).splitlines(True)
    learned = ["1 1:1\n", "-1 2:1\n"]
    for errors, stops in ("REQUEST_TIMED_OUT", False), ("MSG_SIZE_TOO_LARGE", True):
        topic, letters, model = f"{errors}-t", f"{errors}-d", f"{errors}.model"
        with Mock(t.tool.program, t.folder, brokers=1, topics={topic: 1, letters: 1}) as mock:
            mock.tool("produce", topic, "-p", 0, lines=[line.rstrip("\n") for line in lines[:30] + ["1 oops\n"] + lines[30:]])
            mock.do("error Produce " + f"{errors} " * 300)
            options = ["-m", f"m={model}", "-a", "ssol", "--save-every", "1000000", "--kafka", mock.bootstrap, "--topic", topic,
                       "--on-error", "skip", "--dead-letters", letters]
            with Served(t, *options) as s:
                if stops:
                    until("it stops", lambda: 'sluice_learning_stopped{model="m"} 1\n' in s.get("/metrics").text)
                    until("its place", lambda: f"{topic}[0]@30: Broker: Message size too large" in s.text())
                else:
                    until("the letter is under way", lambda: 'dead_letters_total{model="m"} 1\n' in s.get("/metrics").text)
                for line in learned:
                    ok(s.post("/learn", line))
                    began = time.monotonic()
                    equal(ok(s.post("/v2/models/m/save")).version, learned.index(line) + 1, "what is learned of requests is saved")
                    check(time.monotonic() - began < 30, "saving waits")
                mock.do("clear Produce")
                if not stops:
                    at_version(s, 42)
            with Served(t, *options) as s:
                at_version(s, 42)
            equal([m[4] for m in mock.tool.read(letters)], ["1 oops"], "dead letters")
        same_as_file(t, model, learned + lines, "-a", "ssol")


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--tool")
    parser.add_argument("--broker")
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    given.sluice = os.path.abspath(given.sluice)
    cases, tool = CASES, None
    if given.broker:
        cases = KAFKA_CASES
        try:
            tool = Tool(given.tool, broker.started_in_background(given.broker))
        except broker.Missing as missing:
            print(f"skipped: {missing}")
            return broker.SKIP
    return run_cases(cases, given.cases, given.sluice, tool=tool)


if __name__ == "__main__":
    sys.exit(main())
