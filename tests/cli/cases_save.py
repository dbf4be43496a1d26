"""train -o: when a model is saved, where, and when it is not."""

import os
import signal
import subprocess
import time

from harness import check, equal, is_root, rows


def trained(t, *command, stdin=b""):
    return t.run("train", "-q", "--json", *command, stdin=stdin).json()


def test_model_holds_no_paths_or_times(t):
    t.write("some-odd-name", rows(100))
    t.run("train", "-q", "-o", "m1", "some-odd-name")
    second = int(time.time())
    while True:  # until one was made in another second
        t.run("train", "-q", "-o", "m2", stdin=rows(100))
        equal(t.read("m1"), t.read("m2"))
        if int(time.time()) > second:
            break
    check(b"some-odd-name" not in t.read("m1"), "the path is in the model")


def test_failing_run_leaves_the_model_untouched(t):
    t.write("a", rows(50))
    t.write("bad", rows(50) + "1 1:oops\n")
    t.run("train", "-q", "-o", "m", "a")
    before = t.read("m")
    names = sorted(os.listdir(t.folder))
    t.refused("train", "-q", "-o", "m", "bad", status=1, says="bad:51:5: ")
    t.refused("train", "-q", "-i", "m", "-o", "m", "bad", status=1, says="bad:51:5: ")
    t.refused("train", "-q", "-o", "m", "a", "--test", "bad", status=1, says="bad:51:5: ")
    t.refused("train", "-q", "-o", "new", "bad", status=1, says="bad:51:5: ")
    equal(t.read("m"), before)
    equal(sorted(os.listdir(t.folder)), names, "files")


def test_run_that_learned_nothing_leaves_the_model(t):
    t.write("a", rows(50))
    t.write("bad", "1 1:oops\n" * 9)
    t.write("absent.vw", "1 0 |n a\n")  # importance 0: as if it were not there
    t.run("train", "-q", "-o", "m", "a")
    before = t.read("m")
    for command in (["-o", "m"], ["-o", "new"], ["--on-error", "skip", "-o", "m", "bad"], ["-o", "m", "absent.vw"], []):
        r = t.refused("train", "-qq", *command, status=1, says="no example was learned")
        check("--allow-empty" in r.err, r.err)
    equal(t.read("m"), before, "model")
    check(not t.exists("new"), "an empty model was saved")
    equal(trained(t, "-i", "m", "-o", "m")["examples"], 0)
    equal(t.read("m"), before, "model that learned nothing more")
    t.run("train", "-q", "--allow-empty", "-o", "m")
    equal(t.run("inspect", "--json", "m").json()["examples"], 0, "examples with --allow-empty")


def test_unwritable_model_is_refused_before_learning(t):
    t.write("a", rows(50) + "1 1:oops\n")  # learning would fail on this line: the complaint must come first
    os.mkdir(t.path("folder"))
    t.refused("train", "-o", "no/such/folder/m", "a", status=1, says=["no/such/folder/m", "No such file"])
    t.refused("train", "-o", "folder", "a", status=1, says=["folder", "directory"])
    t.refused("train", "-o", "-", "a", status=2, says="-o -")
    os.symlink("nowhere", t.path("dangling"))
    t.refused("train", "-o", "dangling", "a", status=1, says=["dangling", "does not exist"])
    if not is_root():
        os.chmod(t.path("folder"), 0o500)
        t.refused("train", "-o", "folder/m", "a", status=1, says="folder/m")


def test_full_disk_while_saving(t):
    t.write("a", rows(50))
    r = t.run("train", "-q", "-o", "/dev/full", "a", status=1)
    check("/dev/full" in r.err and "No space left" in r.err, r.err)


def test_run_whose_results_are_lost_saves_no_model(t):
    t.write("a", rows(50))
    t.run("train", "-q", "-o", "old", "a")
    before = t.read("old")

    def closed_pipe():
        reading, writing = os.pipe()
        os.close(reading)
        return os.fdopen(writing, "wb")

    for lost in (lambda: open("/dev/full", "wb"), closed_pipe):
        for options in (["-o", "new"], ["-i", "old", "-o", "old"], ["--json", "--final", "-o", "new"]):
            with lost() as out:
                t.run("train", "-q", *options, "a", status=1, stdout=out)
            equal(sorted(os.listdir(t.folder)), ["a", "old"], "files")
            equal(t.read("old"), before, "model")


def test_model_in_place_of_an_input_is_wrong_usage(t):
    text = rows(50)
    t.write("a", text)
    t.write("b", text)
    os.link(t.path("a"), t.path("hard"))
    os.symlink("a", t.path("soft"))
    for output in ("a", "./a", "hard", "soft"):
        t.refused("train", "-o", output, "b", "a", status=2, says=[f"-o {output}", "input"])
        t.refused("train", "-o", output, "b", "--test", "a", status=2, says=[f"-o {output}", "--test"])
    with open(t.path("a"), "rb") as stdin:
        p = t.start("train", "-o", "a", stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        equal(p.wait(), 2, "exit status with the file as standard input")
    equal(t.read("a").decode(), text)
    t.run("train", "-q", "--allow-empty", "-o", "/dev/null", "/dev/null")


def test_model_that_is_not_saved_is_said_so(t):
    t.write("a", rows(50))
    check("note: the model will not be saved" in t.run("train", "a").err, "no note")
    check("not be saved" not in t.run("train", "-o", "m", "a").err, "a note in spite of -o")


def test_model_may_go_to_the_null_device(t):
    t.write("a", rows(50))
    t.run("train", "-q", "-o", "/dev/null", "a")
    check(not os.path.isfile("/dev/null"), "the device was replaced")


def written(t, others):
    """Bytes in files that are not among the others; -1: there is none."""
    most = -1
    for name in set(os.listdir(t.folder)) - others:
        try:
            most = max(most, os.stat(t.path(name)).st_size)
        except FileNotFoundError:  # renamed meanwhile
            pass
    return most


def test_killing_a_run_that_saves_never_damages_the_model(t):
    t.run("synth", "sparse", "-P", "rows=4000", "-P", "dim=1000000", "-o", "a.bin")
    t.write("tiny", "1 1:1\n")
    t.run("train", "-q", "-o", "large", "a.bin")
    # a large model that learns one row: the run is little else than loading and saving
    command = ["train", "-q", "-i", "large", "-o", "m", "tiny"]
    t.run(*command)
    wanted = t.read("m")
    others = set(os.listdir(t.folder))
    # killed while it waits for input, and when the file that will be the model has grown to so many bytes
    p = t.start("train", "-q", "-i", "large", "-o", "m", stdin=subprocess.PIPE, stdout=subprocess.DEVNULL)
    p.kill()
    equal(p.wait(), -signal.SIGKILL, "exit status")
    for i in range(40):
        if i % 10 == 0:
            t.run("train", "-q", "-o", "m", "tiny")
        p = t.start(*command, stdout=subprocess.DEVNULL)
        while p.poll() is None and written(t, others) <= i * len(wanted) // 40:
            pass
        p.kill()
        p.wait()
        t.run("inspect", "m")
        for name in set(os.listdir(t.folder)) - others if i < 39 else ():
            os.remove(t.path(name))
    # a later run is not disturbed by what the killed ones left behind
    t.run(*command)
    equal(t.read("m"), wanted, "model of a later run")


def test_final_model_is_small_and_predicts_the_same(t):
    t.write("a", rows(2000))
    t.write("b", rows(300, seed=3))
    for name in ["ssol", "ftrl", "pa-1", "rda"]:
        t.run("train", "-q", "-a", name, "--bias", 1, "-o", "full", "a")
        t.run("train", "-q", "-a", name, "--bias", 1, "-o", "final", "--final", "a")
        equal(t.run("predict", "-m", "final", "b").out, t.run("predict", "-m", "full", "b").out, name)
        equal(t.run("inspect", "--weights", "final").out, t.run("inspect", "--weights", "full").out, name)
    t.run("synth", "sparse", "-P", "rows=2000", "-o", "wide")
    r = trained(t, "-a", "ssol", "-P", "lambda=3000", "-o", "full", "wide")
    trained(t, "-a", "ssol", "-P", "lambda=3000", "-o", "final", "--final", "wide")
    check(r["sparsity"] > 0.5 and 2 * len(t.read("final")) < len(t.read("full")), "the final model is not small")
    t.refused("train", "-i", "final", "a", status=2, says=["final", "predict-only"])
    t.refused("train", "--final", "a", status=2, says=["--final", "-o"])


def test_output_over_its_own_resumed_model(t):
    t.write("a", rows(60))
    t.run("train", "-q", "-o", "m", "a")
    t.run("train", "-q", "-i", "m", "-o", "m", "a")
    equal(t.run("inspect", "--json", "m").json()["examples"], 120)


def test_numbers_that_leave_the_range_fail_and_save_nothing(t):
    text = "".join(f"{(-1) ** i} 1:3e38 2:-3e38\n" for i in range(50))
    for name in t.learners():
        r = t.run("train", "-q", "-a", name, "-o", "m", status=None, stdin=text)
        check(r.status in (0, 1), str(r))
        if r.status == 1:
            check(not t.exists("m"), f"{name} saved a model")
        else:
            weights = t.run("inspect", "--weights", "m").out
            check("nan" not in weights and "inf" not in weights, f"{name}: {weights}")
            os.remove(t.path("m"))


def test_standard_output_is_never_replaced(t):
    t.write("a", "1 1:1\n")
    t.write("log", "keep\n")
    with open(t.path("log"), "a") as log:
        subprocess.run([t.sluice, "convert", "-q", t.path("a"), "-o", "/dev/stdout"], stdout=log, check=True)
    equal(t.read("log"), b"keep\n1 1:1\n")
    with open(t.path("results"), "w") as results:
        done = subprocess.run([t.sluice, "train", "-q", t.path("a"), "-o", "/dev/stdout"], stdout=results, stderr=subprocess.PIPE)
    equal(done.returncode, 2)
    equal(t.read("results"), b"")


def links(t, name):
    """Names that lead to one file: by another path, by a hard and by a symbolic link."""
    os.link(t.path(name), t.path(name + ".hard"))
    os.symlink(name, t.path(name + ".soft"))
    return name, "./" + name, t.path(name), name + ".hard", name + ".soft"


def test_no_output_replaces_an_input_a_model_or_another_output(t):
    t.write("a", rows(60))
    t.write("b", rows(60, seed=2))
    t.run("train", "-q", "-o", "m", "a")
    before = {name: t.read(name) for name in "abm"}
    data, held, model = links(t, "a"), links(t, "b"), links(t, "m")
    outputs = {"train": ["-o", "--trace", "--report"], "tune": ["-o", "--report"], "sweep": ["--csv", "--html"], "select": ["-o", "--report"]}
    needs = {"sweep": ["--lambda", "1"], "select": ["--features", "2"]}
    for command, options in outputs.items():
        start = [command, *needs.get(command, [])]
        for option in options:
            for name in data:
                t.refused(*start, option, name, "b", "a", status=2, says=[f"{option} {name}", "replace an input"])
            for name in held if command != "tune" else []:
                t.refused(*start, option, name, "--test", "b", "a", status=2, says=[f"{option} {name}", "replace the --test file"])
            for name in held if command == "train" else []:
                t.refused(*start, option, name, "--calibrate", "b", "a", status=2, says="replace the --calibrate file")
            for name in model if command == "train" and option != "-o" else []:
                t.refused(*start, "-i", "m", option, name, "a", status=2, says="replace the -i file")
            t.refused(*start, option, "-", "a", status=2, says="standard output is for the results")
            for other in options:
                if other != option:
                    t.refused(*start, option, "x", other, "./x", "a", status=2, says="the same file")
    for name in before:
        equal(t.read(name), before[name], name)
    check(not t.exists("x"), "a file was written")
    t.run("train", "-q", "-i", "m", "-o", "m", "b")
    t.run("convert", "a", "-o", "a")


def test_results_are_not_appended_to_a_file_that_is_read(t):
    t.write("a", rows(30))
    t.run("train", "-q", "-o", "m", "a")
    before = t.read("a"), t.read("m")
    for command, name in [(["convert", "a"], "a"), (["convert"], "a"), (["train", "a"], "a"), (["predict", "-m", "m", "a"], "a"),
                          (["test", "-m", "m", "a"], "m"), (["inspect", "m"], "m"), (["train", "-i", "m", "a"], "m"),
                          (["sweep", "--lambda", "1", "--test", "a", "m"], "a")]:
        with open(t.path(name), "ab") as out, open(t.path("a"), "rb") as data:
            p = t.start(*command, stdin=data, stdout=out, stderr=subprocess.PIPE)
            err = p.communicate()[1].decode()
        equal(p.returncode, 2, f"{command}: exit status")
        check("standard output goes to" in err, err)
    equal((t.read("a"), t.read("m")), before)


def test_one_pipe_is_not_read_by_two(t):
    t.write("a", rows(30))
    for option in "--test", "--calibrate":
        t.refused("train", option, "-", stdin=rows(9), status=2, says=f"{option} -: standard input")
        t.refused("train", option, "/dev/stdin", stdin=rows(9), status=2, says=f"{option} /dev/stdin: it is already the input")
    t.refused("train", "--test", "-", "--calibrate", "-", "a", stdin=rows(9), status=2, says="cannot both read standard input")
    t.run("train", "-q", "--test", "/dev/stdin", "a", stdin=rows(9))


def test_a_full_disk_leaves_the_old_file_whichever_it_is(t):
    """The limit on the size of a file stands for the disk. A trace is not here: it is written as the run goes on."""
    t.write("a", rows(300))
    files = {"a"}
    for command, name in [
        (["train", "-o", "m", "a"], "m"), (["train", "--report", "p", "a"], "p"), (["tune", "--grid", "eta=1,2", "-o", "m", "a"], "m"),
        (["sweep", "--lambda", "0.1..10:20", "--csv", "c", "a"], "c"), (["sweep", "--lambda", "1", "--html", "p", "a"], "p"),
        (["tune", "--grid", "eta=1,2", "--report", "p", "a"], "p"), (["select", "--features", "2", "--report", "p", "a"], "p"),
        (["select", "--features", "10,20,30,40", "-o", "s", "a"], "s"), (["convert", "a", "-o", "b"], "b"),
        (["synth", "sparse", "-P", "rows=200", "-o", "b"], "b"),
    ]:
        t.write(name, "old\n")
        files.add(name)
        done = subprocess.run(["sh", "-c", "ulimit -f 1; exec \"$@\"", "sh", t.sluice, *command, "-qq"],
                              cwd=t.folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        equal((done.returncode, t.read(name)), (1, b"old\n"), f"{command}: {done.stderr}")
        check(b"cannot write: File too large" in done.stderr, done.stderr)
        equal(set(os.listdir(t.folder)), files, f"{command}: files")
        t.run(*command)
        check(len(t.read(name)) > 1024, f"{command}: too short to test anything")


def test_a_plain_model_keeps_that_its_negative_label_was_written_0(t):
    key = b"reader.negative\x010"  # in the file: the key, the length of its value, the value
    ones, zeros, minus = "1 1:1\n" * 5, "0 2:1\n" * 5, "-1 2:1\n" * 5
    absent = "0 0 | a\n"
    for name, text in (("ones", ones), ("zeros", zeros), ("minus", minus)):
        t.write(name, text)

    def kept(*inputs):
        t.run("train", "-q", "-a", "arow", "-o", "m", *inputs)
        return key in t.read("m")

    equal(kept("ones", "zeros"), True, "0 after 1")
    equal(kept("zeros", "minus"), True, "0, then -1")
    equal(kept("minus", "zeros"), False, "-1, then 0")
    equal(kept("ones"), False, "1 alone")
    t.write("absent.vw", absent + "-1 | b\n1 | c\n")
    equal(kept("absent.vw"), False, "a 0 of importance 0 is absent")
    t.write("words", "0 1:1\n2 2:1\n")
    equal(kept("words"), False, "0 and 2 are classes of their own")
    equal(kept("zeros", "words"), False, "until 2 came the model was plain")
    t.run("train", "-q", "-a", "arow", "--classes", "ovr", "-o", "m", "ones", "zeros")
    equal(key in t.read("m"), False, "several classes")
    for first, second in (("ones", "zeros"), ("zeros", "minus"), ("minus", "zeros"), ("zeros", "words")):
        more = [second] if second == "words" else [second, "ones"]
        t.run("train", "-q", "-a", "arow", "-o", "m1", first, *more)
        t.run("train", "-q", "-a", "arow", "-o", "m2", first)
        t.run("train", "-q", "-i", "m2", "-o", "m2", *more)
        equal(t.read("m1"), t.read("m2"), f"{first}, resumed on {second}")
    t.run("train", "-q", "-a", "arow", "--final", "-o", "f", "ones", "zeros")
    equal(key in t.read("f"), True, "a predict-only model")
