#!/usr/bin/env python3
"""What `sluice serve` does against its own description: openapi_judge.py --sluice PROGRAM [--examples N] [--seed S] [CASE...]

schemathesis makes requests from /openapi.json, right and wrong ones, and sequences of them; N for each operation.
"""
import argparse
import os
import subprocess
import sys
from json import dumps, loads

sys.dont_write_bytecode = True
from serve_process import HERE, Served, run_cases, until  # noqa: E402
from harness import check, equal, rows  # noqa: E402

SCHEMATHESIS = os.path.join(os.path.dirname(sys.executable), "schemathesis")
if not os.path.exists(SCHEMATHESIS):
    print("skipped: openapi_judge (schemathesis is not in its environment)")
    sys.exit(77)

# What the description cannot say of a right request: that a text has lines of a format, that tensors fit each other.
SETTINGS = """
[[operations]]
include-operation-id = ["predict", "learn", "label", "infer", "infer_version", "model_learn", "model_label"]
[operations.checks.positive_data_acceptance]
expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429"]
"""
CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


def judge(t, s, *options):
    """Nothing is found. Events are left out, which never end, and schemathesis leaves out the description itself. Returns
    {(route, status)} of what was asked."""
    t.write("schemathesis.toml", SETTINGS)
    run = subprocess.run([SCHEMATHESIS, "--config-file", "schemathesis.toml", "run", s.url + "/openapi.json", "--checks", "all",
                          "--exclude-path", "/events", "--max-examples", str(t.given.examples), "--seed", str(t.given.seed),
                          "--no-color", "--warnings", "off", "--request-timeout", "120", "--suppress-health-check", "all", *options],
                         cwd=t.folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                         env={**os.environ, "SCHEMATHESIS_HOOKS": "judge_hooks", "PYTHONPATH": HERE, "SLUICE_URL": s.url, "SLUICE_MODEL": "m"})
    said = run.stdout.decode("utf-8", "replace")
    check(run.returncode == 0, said[-6000:])
    print(next(line.strip() for line in said.splitlines() if " generated, " in line))
    s.client().get("/the/end")  # the first connection has been idle for long
    until("the access log", lambda: b'"/the/end"' in t.read("log"))
    return {(line.get("route"), line["status"]) for line in map(loads, t.read("log").splitlines())}


@case
def a_server_that_learns(t):
    """Every route has answered with success."""
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting", "--access-log", "log") as s:
        equal(s.post("/learn", rows(300)).status, 200)
        asked = judge(t, s)
        good = {route for route, status in asked if status == 200}
        equal(good, {"predict", "learn", "label", "server", "live", "ready", "models", "model", "model_ready", "infer", "model_learn",
                     "model_label", "save", "reload", "rollback", "metrics", "page", "openapi"}, "routes")


@case
def a_server_that_does_not_learn(t):
    """Of several classes."""
    t.write("a", "".join(f"{'abc'[i % 3]} {i % 3 + 1}:1 {i % 7 + 4}:0.5\n" for i in range(90)))
    t.run("train", "-qq", "--classes", "ovr", "-a", "arow", "-o", "m", "a")
    with Served(t, "-m", "m", "--no-learning", "--access-log", "log") as s:
        asked = judge(t, s, "--phases", "examples,coverage")
        check({("predict", 200), ("infer", 200), ("learn", 403), ("model_learn", 403), ("save", 403)} <= asked, asked)


@case
def a_server_that_wants_tokens(t):
    for name in "learn", "predict":
        t.write(name, name + "-token\n")
        os.chmod(t.path(name), 0o600)
    tokens = ["--token-file", "learn", "--predict-token-file", "predict"]
    with Served(t, "-m", "m", "-a", "ssol", *tokens, "--labels", "waiting", "--access-log", "log") as s:
        asked = judge(t, s, "--phases", "examples,coverage")
        check(not {(route, 200) for route in ("predict", "learn", "infer", "model_learn", "save", "metrics")} & asked, asked)
        check({(route, 401) for route in ("predict", "learn", "infer", "model_learn", "save", "metrics")} <= asked, asked)


@case
def the_examples_are_answered(t):
    with Served(t, "-m", "m", "-a", "ssol", "--labels", "waiting") as s:
        about = s.get("/openapi.json").json()
        equal(about["info"]["version"], t.run("--version").out.split()[1])
        bodies = about["components"]["requestBodies"]
        for name, route in ("Learn", "learn"), ("Infer", "infer"):
            examples = bodies[name]["content"]["application/json"]["examples"]
            check(len(examples) > 1, examples)
            for what, example in examples.items():
                answer = s.post(f"/v2/models/m/{route}", dumps(example["value"]))
                equal(answer.status, 200, f"{name}, {what}: {answer}")
        for route in "learn", "predict":
            equal(s.post("/" + route, bodies["Lines"]["content"]["text/plain"]["example"]).status, 200)
        for name in "42", "42/1", "42/2":
            equal(s.post("/predict?remember=" + name, "1:1\n").status, 200)
        for what, example in bodies["Label"]["content"]["application/json"]["examples"].items():
            answer = s.post("/v2/models/m/label", dumps(example["value"]))
            equal(answer.status, 200, f"{what}: {answer}")
        for name in "42/1", "42/2":
            equal(s.post("/predict?remember=" + name, "1:1\n").status, 200)
        equal(s.post("/label", bodies["LabelLines"]["content"]["text/plain"]["example"]).status, 200)


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--examples", type=int, default=10)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("cases", nargs="*")
    given = parser.parse_args()
    sys.exit(run_cases(CASES, given.cases, os.path.abspath(given.sluice), given=given))
