"""train --drift, --on-drift: alarms at exact examples, whatever the run is cut into, and what they do."""

import json
import os
import random
import signal

from cases_signals import Live
from harness import check, equal, near, rows

CHANGE = 6000  # the rows at which the labels are turned round


def turned(changes=1, rows_each=CHANGE, words=("-1", "1"), seed=1, noise=0.1):
    """Rows whose label is turned round `changes` times."""
    r = random.Random(seed)
    out = []
    for i in range(rows_each * (changes + 1)):
        x = [r.choice([-1, 1]) for _ in range(6)]
        y = (sum(x[:3]) > 0) ^ (r.random() < noise) ^ (i // rows_each % 2 == 1)
        out.append(words[y] + "".join(f" {k + 1}:{v}" for k, v in enumerate(x)) + "\n")
    return out


def train(t, *command, **more):
    return t.run("train", "-q", "--json", *command, **more).json()


def alarms(r):
    return [a["example"] for a in r["drift"]["alarms"]]


def test_an_alarm_comes_soon_after_a_change_and_none_without(t):
    t.write("a", "".join(turned()))
    # page-hinkley counts mistakes above the usual ones: a learner that recovers after fewer than lambda gives no alarm
    for detector, within, learners in ("adwin", 200, ["ssol", "arow", "ftrl", "auto"]), ("page-hinkley", 600, ["ssol", "arow"]):
        for learner in learners:
            r = train(t, "-a", learner, "--drift", detector, "a")
            found = r["drift"]
            equal((found["detector"], found["on_drift"], found["examples"]), (detector, "warn", 2 * CHANGE))
            check(found["alarms"] and CHANGE < alarms(r)[0] <= CHANGE + within, f"{learner}, {detector}: {found}")
            first = found["alarms"][0]
            near(first["error_before"], 0.1, 0.1, learner)
            check(first["error_after"] > first["error_before"] + 0.1, first)
    t.write("same", "".join(turned(0, 30000)))
    r = t.run("train", "-q", "--json", "-a", "arow", "same")
    equal((r.json()["drift"]["alarms"], "drift" in r.err), ([], False))


def test_an_alarm_is_a_note_with_its_example(t):
    t.write("a", "".join(turned()))
    r = t.run("train", "-q", "--json", "-a", "ssol", "a")
    at = alarms(r.json())[0]
    check(f"note: drift at example {at:,}: the error rose from 0." in r.err, r.err)
    text = t.run("train", "-qqv", "-a", "ssol", "a")
    equal(text.err, "")
    for part in "drift                 adwin,window=1000,delta=0.00001,rise=0.01", f"drift at example {at:,}: ", "  window error ":
        check(part in text.out, text.out)


def test_models_are_as_without_it_unless_it_is_asked_for(t):
    t.write("a", "".join(turned()))
    for options in [], ["--drift", "page-hinkley"]:
        t.run("train", "-q", "-o", "with", *options, "a")
        t.run("train", "-q", "-o", "without", "--drift", "none", "a")
        equal(t.read("with"), t.read("without"), f"model with {options}")
    equal(train(t, "--drift", "none", "a")["drift"], None)
    check(b"drift" not in t.read("with"), "a model that was not asked to keeps a watch")


def test_the_trace_and_the_page_show_it(t):
    t.write("a", "".join(turned()))
    r = train(t, "-a", "ssol", "--trace", "t", "--trace-every", 100, "--report", "p", "a")
    lines = t.read("t").decode().splitlines()
    table = {int(line.split(",")[0]): line.split(",") for line in lines[1:]}
    at = alarms(r)[0]
    equal([table[n][8] for n in (100, CHANGE, at // 100 * 100, at // 100 * 100 + 100)], ["0", "0", "0", "1"])
    near(float(table[CHANGE + 1000][6]), int(table[CHANGE + 1000][1]) / 1000 - int(table[CHANGE][1]) / 1000, 1e-9)
    page = t.read("p").decode()
    check(f"<title>drift at example {at:,}: " in page and "drift alarms" in page, "the page does not show the alarm")
    t.run("train", "-q", "--drift", "none", "--trace", "t", "--report", "p", "a")
    check(t.read("t").decode().splitlines()[1].endswith(",,,0"), t.read("t")[:200])
    check("drift alarms" not in t.read("p").decode(), "alarms without a watch")


def test_reset_is_a_new_model_on_the_rest(t):
    lines = turned()
    t.write("a", "".join(lines))
    for learner in ["ssol"], ["arow", "--bias", 1], ["auto"], ["sbcw", "-P", "batch=50"]:
        r = train(t, "-a", *learner, "--on-drift", "reset", "-o", "m", "a")
        check(alarms(r), f"{learner}: {r['drift']}")
        at = alarms(r)[-1]
        t.write("rest", "".join(lines[at:]))
        rest = train(t, "-a", *learner, "-o", "new", "rest")
        equal((r["examples"], r["drift"]["on_drift"]), (len(lines), "reset"))
        check(r["updates"] > rest["updates"] > 0 or learner[0] == "sbcw", f"updates of the run: {r['updates']}")
        show = [t.run("inspect", "--weights", m).out for m in ("m", "new")]
        equal(show[0], show[1], f"weights of {learner}")
        kept = t.run("inspect", "--json", "m").json()
        watch = kept.pop("drift")
        equal((watch["examples"], watch["alarm_count"], watch["on_drift"]), (len(lines), len(alarms(r)), "reset"))
        equal(kept, t.run("inspect", "--json", "new").json(), f"model of {learner}")
        # without what the model keeps of the watch it is the new model, byte for byte
        t.run("train", "-q", "-i", "m", "--drift", "none", "-o", "m", stdin="")
        equal(t.read("m"), t.read("new"), f"bytes of {learner}")
        os.remove(t.path("m"))


def test_reset_is_better_where_the_stream_has_turned(t):
    t.write("a", "".join(turned(4)))
    check(train(t, "-a", "arow", "--on-drift", "reset", "a")["mistakes"] < 0.6 * train(t, "-a", "arow", "a")["mistakes"], "reset")


def test_a_watch_that_is_kept_goes_on_wherever_the_run_is_cut(t):
    lines = turned(3, 3000)
    t.write("a", "".join(lines))
    for options in (["-a", "ssol", "--on-drift", "reset"], ["-a", "auto", "--on-drift", "warn"],
                    ["-a", "arow", "--on-drift", "reset", "--drift", "page-hinkley,lambda=40,window=100"],
                    ["-a", "sbcw", "-P", "batch=50", "--on-drift", "reset"]):
        whole = train(t, *options, "-o", "whole", "a")
        check(len(alarms(whole)) >= 2, whole["drift"])
        for cut in (1, 31, 32, 3001, alarms(whole)[0] - 1, alarms(whole)[0], alarms(whole)[0] + 1, 8999):
            t.write("b", "".join(lines[:cut]))
            t.write("c", "".join(lines[cut:]))
            first = train(t, *options, "-o", "m", "b")
            second = train(t, "-i", "m", "-o", "m", "c")
            equal(t.read("m"), t.read("whole"), f"model of {options}, cut at {cut}")
            equal(first["drift"]["alarms"] + second["drift"]["alarms"], whole["drift"]["alarms"], f"alarms of {options}, cut at {cut}")
            for key in "window_error", "fading_error", "examples":
                equal(second["drift"][key], whole["drift"][key], key)
            os.remove(t.path("m"))
        # and behind a checkpoint
        bad = lines[:8000] + ["1 1:oops\n"] + lines[8000:]
        t.write("bad", "".join(bad))
        t.refused("train", "-q", *options, "-o", "m", "--save-every", 700, "bad", status=1, says="--skip 7700")
        t.run("train", "-q", "-i", "m", "-o", "m", "--skip", 7700, "a")
        equal(t.read("m"), t.read("whole"), f"model of {options} behind a checkpoint")
        os.remove(t.path("m"))


def test_threads_and_files_change_nothing(t):
    lines = turned(3, 3000)
    t.write("a", "".join(lines))
    t.write("b", "".join(lines[:4321]))
    t.write("c", "".join(lines[4321:]))
    for options in ["--on-drift", "reset"], ["--on-drift", "stop"], ["--on-drift", "reset", "--trace", "t", "--trace-every", 7]:
        status = 1 if "stop" in options else 0
        models = set()
        for more in (["--threads", 1, "a"], ["--threads", 4, "a"], ["b", "c"], ["--report", "p", "a"], ["--save-every", 500, "a"]):
            t.run("train", "-qq", "-a", "ssol", *options, "-o", "m", *more, status=status)
            models.add(t.read("m"))
        equal(len(models), 1, f"models of {options}")


def test_stop_saves_the_model_and_says_how_to_go_on(t):
    lines = turned(2)
    t.write("a", "".join(lines))
    r = t.run("train", "-q", "--json", "-a", "ssol", "--on-drift", "stop", "-o", "m", "--test", "a", "a", status=1)
    out = r.json()
    at = alarms(out)[0]
    check(CHANGE < at < CHANGE + 300, at)
    equal((out["interrupted"], out["examples"], "test" in out), ({"signal": None, "skip": at}, at, False))
    for part in f"drift at example {at:,}: the error rose", f"{at} examples were learned, and the model is saved as m", f"-i m --skip {at}":
        check(part in r.err, r.err)
    t.write("part", "".join(lines[:at]))
    t.run("train", "-q", "-a", "ssol", "--on-drift", "warn", "-o", "part model", "part")
    equal(t.run("inspect", "--weights", "m").out, t.run("inspect", "--weights", "part model").out, "model at the alarm")
    second = t.run("train", "-q", "--json", "-i", "m", "-o", "m", "--skip", at, "a", status=1).json()
    check(2 * CHANGE < alarms(second)[0] < 2 * CHANGE + 500, second["drift"])
    equal(t.run("train", "-q", "--json", "-i", "m", "--on-drift", "warn", "--skip", alarms(second)[0], "a").json()["drift"]["on_drift"],
          "warn")
    r = t.run("train", "-q", "-a", "ssol", "--on-drift", "stop", "-o", "m", "--passes", 3, "a", status=1)
    check(f"to go on: -i m --passes 3 --skip {at} and the same inputs" in r.err, r.err)
    # without -o nothing is saved; --final does not make the model that is to go on predict-only
    r = t.run("train", "-q", "-a", "ssol", "--on-drift", "stop", "a", status=1)
    check("nothing is saved: there is no -o MODEL" in r.err, r.err)
    t.run("train", "-q", "-a", "ssol", "--on-drift", "stop", "--final", "-o", "m", "a", status=1)
    equal(t.run("inspect", "--json", "m").json()["predict_only"], False)


def test_a_signal_keeps_the_watch(t):
    lines = turned(1, 2048)
    whole = "".join(lines)
    t.run("train", "-qq", "-a", "arow", "--on-drift", "reset", "-o", "whole", stdin=whole)
    run = Live(t, "train", "-a", "arow", "--on-drift", "reset", "-o", "m")
    run.learn("".join(lines[:1024]))
    run.stop(signal.SIGTERM)
    t.run("train", "-qq", "-i", "m", "-o", "m", stdin="".join(lines[1024:]))
    equal(t.read("m"), t.read("whole"), "model that went on after a signal")


def test_predict_only_models_keep_no_watch(t):
    t.write("a", "".join(turned()))
    t.run("train", "-q", "-a", "ssol", "--on-drift", "warn", "--final", "-o", "m", "a")
    t.run("train", "-q", "-a", "ssol", "--final", "-o", "n", "a")
    equal(t.read("m"), t.read("n"))


def test_several_classes_go_on_with_their_numbers(t):
    r = random.Random(3)
    names = ["red", "green", "blue"]
    lines = []
    for i in range(8000):
        c = r.randrange(3)
        shown = (c + (i >= 4000)) % 3 if r.random() > 0.05 else r.randrange(3)
        lines.append(f"{names[shown]} {c + 1}:1 {4 + r.randrange(5)}:1\n")
    t.write("a", "".join(lines))
    for kind in "ovr", "ovo", "matrix":
        options = ["-a", "ssol", "--classes", kind, "--on-drift", "reset"]
        out = train(t, *options, "-o", "whole", "a")
        at = alarms(out)[0]
        check(4000 < at < 4300, f"{kind}: {out['drift']}")
        check(out["error_rate"] < 0.12, f"{kind}: {out['error_rate']}")
        equal(sorted(c["label"] for c in out["classes"]), sorted(names))
        equal(sum(c["support"] for c in out["classes"]), 8000)
        for cut in 3000, at, at + 5:
            t.write("b", "".join(lines[:cut]))
            t.write("c", "".join(lines[cut:]))
            train(t, *options, "-o", "m", "b")
            train(t, "-i", "m", "-o", "m", "c")
            equal(t.read("m"), t.read("whole"), f"model of {kind}, cut at {cut}")
            os.remove(t.path("m"))
    # two words: what was measured before stays right
    t.write("w", "".join(turned(words=("spam", "ham"))))
    out = train(t, "-a", "ssol", "--on-drift", "reset", "w")
    equal(out["positives"], sum(line.startswith("spam") for line in turned(words=("spam", "ham"))))
    check(len(alarms(out)) == 1 and out["error_rate"] < 0.2, out["drift"])


def test_rows_that_are_no_examples_are_not_counted(t):
    lines = turned()
    both = [line.split(" ", 1) for line in lines]
    plain = "".join(f"{label} | {x}" for label, x in both)
    mixed = "".join(f"{label} {k} | {x}" for label, x in both for k in (1, 0))
    unlabelled = "".join(f" | {x}{label} | {x}" for label, x in both)
    t.write("a.vw", plain)
    t.write("b.vw", mixed)
    t.write("c.vw", unlabelled)
    wanted = train(t, "-a", "arow", "--on-drift", "reset", "-o", "m", "a.vw")
    got = train(t, "-a", "arow", "--on-drift", "reset", "-o", "n", "b.vw")
    equal(got["drift"], wanted["drift"], "importance 0")
    equal(t.read("n"), t.read("m"), "importance 0")
    got = train(t, "-a", "arow", "--on-drift", "reset", "--pseudo", 0.99, "c.vw")
    equal(got["drift"]["examples"], len(lines), "examples with labels")
    check(got.get("pseudo", 0) > 0 and alarms(got), got)


def test_one_batch_for_the_whole_run_is_not_watched(t):
    t.write("a", "".join(turned(1, 300)))
    equal(train(t, "-a", "sbcw", "a")["drift"], None)
    t.refused("train", "-a", "sbcw", "--on-drift", "warn", "a", status=2, says=["--on-drift", "-P batch=N"])
    t.refused("train", "-a", "sbcw", "--drift", "adwin", "a", status=2, says=["--drift", "batch=0"])


def test_options_that_are_wrong_are_refused(t):
    t.write("a", "".join(turned(1, 300)))
    for options, says in ((["--drift", "adwim"], ["adwim", "page-hinkley"]), (["--drift", "adwin,lambda=3"], ["window, delta, rise"]),
                          (["--drift", "adwin,delta=0"], ["delta"]), (["--drift", "adwin,window"], ["name=value"]),
                          (["--on-drift", "explode"], ["warn", "reset", "stop"]),
                          (["--on-drift", "warn", "--drift", "none"], ["--drift none"])):
        t.refused("train", *options, "a", status=2, says=says)
    t.run("train", "-q", "-a", "ssol", "--on-drift", "reset", "--drift", "adwin,rise=0.05", "-o", "m", "a")
    t.refused("train", "-i", "m", "--drift", "adwin", "a", status=2, says=["adwin,window=1000,delta=0.00001,rise=0.05", "--drift none"])
    r = train(t, "-i", "m", "--drift", "adwin,rise=0.05", "a")["drift"]
    equal((r["on_drift"], r["params"]["rise"], r["examples"]), ("reset", 0.05, 1200))


def test_a_hostile_state_is_refused(t):
    t.write("a", "".join(turned(1, 500)))
    t.run("train", "-q", "-a", "ssol", "--on-drift", "reset", "-o", "m", "a")
    good = t.read("m")
    at = good.index(b"drift.state") + len(b"drift.state")
    check(at > 0, "no state")
    for change, says in ((lambda b: b.replace(b"drift.action\x05reset", b"drift.action\x05explo"), "an action on drift"),
                         (lambda b: b[:at + 2] + b"\xff" + b[at + 3:], "the state of its drift detection is damaged")):
        t.write("bad", with_checksums(change(good)))
        t.refused("train", "-q", "-i", "bad", "a", status=1, says=["bad: ", says])
        t.refused("inspect", "bad", status=1, says=["bad: ", says])
        t.run("train", "-q", "-i", "bad", "--drift", "none", "a")


PRIME = (11400714785074694791, 14029467366897019727, 1609587929392839161, 9650029242287828579, 2870177450012600261)


def xxhash64(data):
    """As tests/compat's files have it, in Python."""
    mask = (1 << 64) - 1

    def turn(x, k):
        return (x << k | x >> 64 - k) & mask

    def take(acc, lane):
        return turn(acc + lane * PRIME[1] & mask, 31) * PRIME[0] & mask

    at, n = 0, len(data)
    if n >= 32:
        v = [(PRIME[0] + PRIME[1]) & mask, PRIME[1], 0, -PRIME[0] & mask]
        while at + 32 <= n:
            v = [take(v[k], int.from_bytes(data[at + 8 * k:at + 8 * k + 8], "little")) for k in range(4)]
            at += 32
        h = sum(turn(x, k) for x, k in zip(v, (1, 7, 12, 18))) & mask
        for x in v:
            h = ((h ^ take(0, x)) * PRIME[0] + PRIME[3]) & mask
    else:
        h = PRIME[4]
    h = h + n & mask
    while at + 8 <= n:
        h = turn(h ^ take(0, int.from_bytes(data[at:at + 8], "little")), 27) * PRIME[0] + PRIME[3] & mask
        at += 8
    if at + 4 <= n:
        h = turn(h ^ int.from_bytes(data[at:at + 4], "little") * PRIME[0] & mask, 23) * PRIME[1] + PRIME[2] & mask
        at += 4
    for byte in data[at:]:
        h = turn(h ^ byte * PRIME[4] & mask, 11) * PRIME[0] & mask
    h = (h ^ h >> 33) * PRIME[1] & mask
    h = (h ^ h >> 29) * PRIME[2] & mask
    return h ^ h >> 32


def with_checksums(model):
    """A model file of the same lengths whose checksums are right."""
    out, at = bytearray(model), 16
    while at < len(out):
        end = at + 16 + int.from_bytes(out[at + 8:at + 16], "little")
        out[end:end + 8] = xxhash64(bytes(out[at:end])).to_bytes(8, "little")
        at = end + 8
    return bytes(out)
