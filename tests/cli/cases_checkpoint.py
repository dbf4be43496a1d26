"""train --save-every and --skip: a run that was ended on its way goes on as if it had not been."""

import json
import os
import signal

from cases_signals import Live, model_of
from harness import check, equal, rows

# one learner of each family, with parameters that leave a batch unfinished at a checkpoint
FAMILIES = [["ssol"], ["arow"], ["ftrl"], ["arow-full"], ["ssol-full"], ["olsf", "-P", "B=0.4"], ["olsf-rand"], ["ofs"], ["sofs"],
            ["sbcw", "-P", "batch=50"], ["bcw", "-P", "batch=50"], ["sbcw"], ["bcw"], ["fgm"], ["ssol", "--bias", 1, "--normalize", "l2"],
            ["arow", "--max-features", 30], ["ssol", "--hash", 8]]


def test_a_run_that_goes_on_behind_a_checkpoint_equals_one_that_never_stopped(t):
    lines = rows(200, dim=80).splitlines(True)
    t.write("a", "".join(lines))
    t.write("bad", "".join(lines[:130]) + "1 1:oops\n" + "".join(lines[130:]))
    for learner in FAMILIES:
        wanted = model_of(t, "".join(lines), "-a", *learner)
        # ended by a malformed line: the last checkpoint is there, and its place
        r = t.refused("train", "-q", "-a", *learner, "-o", "m", "--save-every", 60, "bad", status=1,
                      says=["bad:131:5: ", "m has learned the first 120 examples", "-i m --skip 120 and the same inputs"])
        check("saved" not in r.err, r.err)
        t.run("train", "-q", "-i", "m", "-o", "m", "--skip", 120, "a")
        equal(t.read("m"), wanted, f"model of {learner} after a malformed line")
        os.remove(t.path("m"))
        # ended by a signal: a batch of the whole run stays open
        run = Live(t, "train", "-a", *learner, "-o", "m")
        run.learn("".join(lines[:128]))
        run.stop(signal.SIGTERM)
        t.run("train", "-q", "-i", "m", "-o", "m", "--skip", 128, "a")
        equal(t.read("m"), wanted, f"model of {learner} after a signal")
        os.remove(t.path("m"))


def test_a_batch_of_the_whole_run_stays_open_at_a_checkpoint(t):
    text = rows(64)
    for learner in "bcw", "sbcw", "fgm":
        run = Live(t, "train", "--json", "-a", learner, "-o", "m")
        run.learn(text)
        r = json.loads(run.stop(signal.SIGINT).out)
        equal((r["waiting"], r["updates"]), (64, 0), learner)
        equal(t.run("inspect", "--json", "m").json()["waiting"], 64, learner)
        r = t.run("train", "-q", "--json", "-i", "m", "-o", "m", stdin="").json()
        equal(r["waiting"], 0, learner)
        equal(t.read("m"), model_of(t, text, "-a", learner), learner)
        os.remove(t.path("m"))


def test_several_inputs_and_passes_are_one_stream(t):
    t.write("a", rows(900))
    t.write("b", rows(1100, seed=2))
    passes = 20
    while True:  # until a signal finds the run under way
        command = ["--passes", passes, "a", "b"]
        p = t.start("train", "-q", "--json", "-o", "m", "--save-every", 1700, *command, stdout=open(t.path("out"), "w"),
                    stderr=open(os.devnull, "w"))
        while not t.exists("m") and p.poll() is None:
            pass
        p.send_signal(signal.SIGTERM)
        if p.wait() == 128 + signal.SIGTERM:
            break
        os.remove(t.path("m"))
        passes *= 2
    skip = json.loads(t.read("out"))["interrupted"]["skip"]
    check(skip >= 1700, skip)
    t.run("train", "-q", "-i", "m", "-o", "m", "--skip", skip, *command)
    t.run("train", "-q", "-o", "wanted", *command)
    equal(t.read("m"), t.read("wanted"), f"model that went on behind {skip} examples")


def test_checkpoints_lie_where_they_were_asked_for(t):
    lines = rows(512).splitlines(True)
    run = Live(t, "train", "-o", "m", "--save-every", 100)
    run.learn("".join(lines[:64]))
    check(not t.exists("m"), "a checkpoint before it was due")
    run.learn("".join(lines[64:128]))
    equal(t.read("m"), model_of(t, "".join(lines[:100])), "first checkpoint")
    run.learn("".join(lines[128:256]))
    equal(t.read("m"), model_of(t, "".join(lines[:200])), "second checkpoint")
    run.p.kill()
    run.p.wait()
    equal(t.run("inspect", "--json", "m").json()["examples"], 200, "what a killed run says about where to go on")
    # those of a run that goes on lie at the same places of the stream
    t.write("bad", "".join(lines[:350]) + "x\n")
    t.refused("train", "-q", "-i", "m", "-o", "m", "--skip", 200, "--save-every", 150, "bad", status=1, says="the first 300 examples")
    equal(t.read("m"), model_of(t, "".join(lines[:300])), "checkpoint of the run that went on")


def test_checkpoints_by_time_do_not_wait_for_input(t):
    text = rows(64)
    run = Live(t, "train", "-o", "m", "--save-every", "1s")
    run.learn(text)
    run.until_file("m")
    equal(t.read("m"), model_of(t, text), "checkpoint")
    run.end(0)


def test_a_checkpoint_is_a_full_model_whatever_is_saved_at_the_end(t):
    text = rows(100)
    t.write("bad", text + "x\n")
    t.refused("train", "-q", "--final", "-o", "m", "--save-every", 50, "bad", status=1, says="--skip 100")
    equal(t.read("m"), model_of(t, text), "checkpoint")
    t.write("a", text)
    t.run("train", "-q", "--final", "-o", "m", "--save-every", 50, "a")
    equal(t.read("m"), model_of(t, text, "--final"), "model at the end")


def test_a_checkpoint_remembers_how_its_features_were_read(t):
    lines = [f"{'spam' if i % 2 else 'ham'}\tword{i % 7} word{i % 5}\n".replace("spam", "1").replace("ham", "-1") for i in range(64)]
    run = Live(t, "train", "-f", "text", "--ngrams", 2, "-o", "m")
    run.learn("".join(lines[:32]))
    run.stop(signal.SIGTERM)
    t.write("a", "".join(lines))
    t.run("train", "-q", "-i", "m", "-o", "m", "--skip", 32, "a")  # neither -f nor --ngrams
    equal(t.read("m"), model_of(t, "".join(lines), "-f", "text", "--ngrams", 2), "model")


def test_skipped_examples_are_rows_of_the_inputs(t):
    lines = rows(40).splitlines(True)
    t.write("a", "# comment\n\n" + "".join(lines[:10]) + "1 oops\n" + "".join(lines[10:]))
    for skip in 0, 1, 10, 11, 39:
        t.run("train", "-q", "--on-error", "skip", "--skip", skip, "-o", "m", "a")
        equal(t.read("m"), model_of(t, "".join(lines[skip:])), f"--skip {skip}")
    vw = ["1 0 |n a\n", "1 1 |n b\n", "-1 1 |n c\n"]
    t.write("a.vw", "".join(vw))
    r = t.run("train", "-q", "--json", "-a", "ssol", "--skip", 2, "a.vw").json()
    equal((r["examples"], r["features_seen"]), (1, 1), "an example of importance 0 counts as one of the input")
    t.refused("train", "-o", "new", "--skip", 40, "--on-error", "skip", "a", status=1, says="no example was learned")
    before = t.read("m")
    r = t.run("train", "-i", "m", "-o", "m", "--skip", 41, "--on-error", "skip", "a")
    check("warning: --skip 41: the inputs have only 40 examples" in r.err, r.err)
    equal(t.read("m"), before, "model that learned nothing more")


def test_a_signal_before_the_first_new_example_changes_nothing(t):
    lines = rows(64).splitlines(True)
    t.run("train", "-q", "-o", "m", stdin="".join(lines))
    before = t.read("m")
    run = Live(t, "train", "--json", "-i", "m", "-o", "m", "--skip", 64)
    run.feed("".join(lines[:50]))
    run.until_file(".m.sluice-lock")
    r = json.loads(run.stop(signal.SIGTERM).out)
    equal(r["interrupted"]["skip"], 64, "what to leave out")
    check("0 examples were learned" in run.err and "-i m --skip 64" in run.err, run.err)
    equal(t.read("m"), before, "model")


def test_wrong_usage(t):
    for text in "0", "0s", "s", "-1", "1.5", "60m", "60ss", "1e3", "99999999999999999999", "1000000001s":
        t.refused("train", "-o", "m", "--save-every", text, status=2, says=f"--save-every {text}: ")
    t.refused("train", "--save-every", "10", status=2, says=["--save-every", "-o"])
    t.refused("train", "-o", "/dev/null", "--save-every", "10", status=2, says=["--save-every", "/dev/null"])
    t.refused("train", "--skip", "-1", status=2, says="--skip")


def test_a_checkpoint_that_cannot_be_written_does_not_end_the_run(t):
    lines = rows(64).splitlines(True)
    os.mkdir(t.path("folder"))
    run = Live(t, "train", "-o", "folder/m", "--save-every", 16)
    run.learn("".join(lines[:8]))
    os.rename(t.path("folder"), t.path("away"))
    run.learn("".join(lines[8:16]))
    run.until("warning: folder/m: cannot write: No such file or directory; there is no new checkpoint, and the run goes on")
    os.rename(t.path("away"), t.path("folder"))
    run.learn("".join(lines[16:]))
    run.end(0)
    equal(t.read("folder/m"), model_of(t, "".join(lines)), "model")
