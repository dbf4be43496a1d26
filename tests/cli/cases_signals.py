"""Signals: what they end, what is saved then, and what is left behind. Every wait is for an event, never for a time."""

import json
import os
import pty
import re
import signal
import subprocess

from harness import Failure, check, equal, rows

STOPS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]


class Live:
    """A run that reads standard input from the test."""

    def __init__(self, t, *command, **more):
        self.t = t
        self.err = ""
        self.p = t.start(*command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, **more)

    def feed(self, text):
        self.p.stdin.write(text.encode())
        self.p.stdin.flush()

    def until(self, part):
        """Reads messages until one has this part."""
        while part not in self.err:
            line = self.p.stderr.readline().decode()
            if not line:
                raise Failure(f"it ended without {part!r}: {self.err}")
            self.err += line

    def learn(self, text):
        """Feeds lines, a power of two in all so far, and waits until they are learned: a row of the progress table says so."""
        self.feed(text)
        self.fed = getattr(self, "fed", 0) + text.count("\n")
        self.until(f"\n{self.fed:12,}  ")

    def until_file(self, name):
        while not self.t.exists(name):
            check(self.p.poll() is None, f"it ended without the file {name}: {self.err}")

    def end(self, status):
        self.p.stdin.close()
        self.p.stdin = None
        out, err = self.p.communicate()
        self.out, self.err = out.decode(), self.err + err.decode()
        equal(self.p.returncode, status, f"exit status\n{self.err}")
        return self

    def stop(self, number):
        self.p.send_signal(number)
        self.p.wait()  # communicate() would close its input first, and the run might end for that
        out, err = self.p.communicate()
        self.out, self.err = out.decode(), self.err + err.decode()
        equal(self.p.returncode, 128 + number, f"exit status\n{self.err}")
        return self


def model_of(t, text, *command):
    t.run("train", "-q", *command, "-o", "wanted", stdin=text)
    model = t.read("wanted")
    os.remove(t.path("wanted"))
    return model


def test_a_signal_saves_what_was_learned(t):
    text = rows(64)
    wanted = model_of(t, text)
    for number in STOPS:
        for threads in 1, 3:
            run = Live(t, "train", "--json", "--threads", threads, "-o", "m")
            run.learn(text)
            run.feed("1 1:1 2:")  # half a line: no example
            run.stop(number)
            equal(t.read("m"), wanted, "model")
            equal(os.listdir(t.folder), ["m"], "files")
            said = f"sluice: {number.name}: 64 examples were learned, and the model is saved as m; to go on: -i m --skip 64"
            check(said in run.err, run.err)
            r = json.loads(run.out)
            equal(r["interrupted"], {"signal": number.name, "skip": 64})
            equal(r["examples"], 64)
            os.remove(t.path("m"))


def test_the_message_is_an_error_that_no_option_silences(t):
    text = rows(64)
    run = Live(t, "train", "-qq", "-o", "m", "--trace", "trace", "--trace-every", 64)
    run.feed(text)
    run.until_file("trace")
    while "\n64," not in t.read("trace").decode():
        pass
    run.stop(signal.SIGTERM)
    check(run.err.startswith("sluice: SIGTERM: 64 examples were learned") and run.err.count("\n") == 1, run.err)
    check("interrupted" in run.out and "SIGTERM" in run.out, run.out)


def test_a_signal_without_an_output_or_an_example(t):
    run = Live(t, "train")
    run.learn(rows(16))
    check("SIGINT: 16 examples were learned, and nothing is saved" in run.stop(signal.SIGINT).err, run.err)
    t.run("train", "-q", "-o", "m", stdin=rows(20))
    before = t.read("m")
    for command in ["-o", "m"], ["-o", "new"]:
        run = Live(t, "train", *command)
        run.until_file(f".{command[1]}.sluice-lock")
        check("SIGTERM: no example was learned, and nothing is saved" in run.stop(signal.SIGTERM).err, run.err)
    equal(t.read("m"), before, "model")
    equal(os.listdir(t.folder), ["m"], "files")


def test_what_was_learned_is_saved_even_where_nothing_can_be_printed(t):
    text = rows(64)
    run = Live(t, "train", "-o", "m", "--trace", "/dev/full")
    run.learn(text)
    check("/dev/full: cannot write" in run.stop(signal.SIGTERM).err, run.err)
    equal(t.read("m"), model_of(t, text), "model")
    os.remove(t.path("m"))
    with open("/dev/full", "wb") as full:
        p = t.start("train", "-o", "m", stdin=subprocess.PIPE, stdout=full, stderr=subprocess.PIPE)
        p.stdin.write(text.encode())
        p.stdin.flush()
        while f"{64:12d}  " not in p.stderr.readline().decode():
            pass
        p.send_signal(signal.SIGHUP)
        p.wait()
        p.communicate()
    equal(p.returncode, 128 + signal.SIGHUP, "exit status")
    equal(t.read("m"), model_of(t, text), "model")


def test_a_second_signal_stops_at_once(t):
    os.mkfifo(t.path("pipe"))  # nobody reads it: saving waits for ever
    run = Live(t, "train", "-o", "pipe")
    run.learn(rows(16))
    run.p.send_signal(signal.SIGTERM)
    while run.p.poll() is None:
        run.p.send_signal(signal.SIGINT)
    equal(run.p.returncode, 128 + signal.SIGINT, "exit status")


def test_the_wait_for_a_reader_of_results_ends(t):
    t.write("a", rows(50))
    os.mkfifo(t.path("pipe"))
    run = Live(t, "select", "-q", "--features", 2, "a", "-o", "pipe")
    while run.p.poll() is None:
        run.p.send_signal(signal.SIGTERM)
    check(run.p.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM), run.p.returncode)


def processor_ticks(pid):
    with open(f"/proc/{pid}/stat") as f:
        fields = f.read().rsplit(")", 1)[1].split()
    return int(fields[11]) + int(fields[12])


def test_a_signal_does_not_wait_for_the_rows_of_a_batch_that_are_slow_to_learn(t):
    """20 classes, each against each, in a race: ten milliseconds of processor time a row and more. Where signals are not
    looked at between rows the run goes on to the next row of the table, 128."""
    lines = [f"{i % 20} {row.split(' ', 1)[1]}\n" for i, row in enumerate(rows(400, dim=2000, nonzeros=60).splitlines())]
    t.write("a", "".join(lines))
    run = Live(t, "train", "--json", "--classes", "ovo", "-o", "m", "a")
    run.until(f"\n{64:12d}  ")
    ticks = processor_ticks(run.p.pid)
    while processor_ticks(run.p.pid) < ticks + 4:  # some rows later
        pass
    learned = json.loads(run.stop(signal.SIGINT).out)["examples"]
    check(64 <= learned < 400 and learned != 128, f"{learned} rows")
    equal(t.read("m"), model_of(t, "".join(lines[:learned]), "--classes", "ovo"), "model")


def test_the_advice_has_the_whole_path(t):
    folder = "/".join(["d" * 200] * 4)
    os.makedirs(t.path(folder))
    run = Live(t, "train", "-o", folder + "/m")
    run.learn(rows(16))
    run.stop(signal.SIGINT)
    check(f"-i {folder}/m --skip 16 " in run.err, run.err)


def test_signals_that_were_ignored_stay_ignored(t):
    text = rows(64)
    run = Live(t, "train", "-o", "m", preexec_fn=lambda: signal.signal(signal.SIGHUP, signal.SIG_IGN))  # as nohup does
    run.learn("".join(text.splitlines(True)[:32]))
    run.p.send_signal(signal.SIGHUP)
    run.learn("".join(text.splitlines(True)[32:]))
    run.end(0)
    equal(t.read("m"), model_of(t, text), "model")


def test_SIGUSR1_saves_now_even_while_the_input_is_waited_for(t):
    lines = rows(128).splitlines(True)
    for threads in 1, 3:
        run = Live(t, "train", "--threads", threads, "-o", "m")
        run.learn("".join(lines[:64]))
        run.p.send_signal(signal.SIGUSR1)
        run.until("SIGUSR1: the model is saved as m after 64 examples")
        equal(t.read("m"), model_of(t, "".join(lines[:64])), "checkpoint")
        run.p.send_signal(signal.SIGUSR1)
        run.until("SIGUSR1: there is nothing new to save after 64 examples")
        run.learn("".join(lines[64:]))
        run.end(0)
        equal(t.read("m"), model_of(t, "".join(lines)), "model")
        os.remove(t.path("m"))
    run = Live(t, "train")
    run.learn(lines[0])
    run.p.send_signal(signal.SIGUSR1)
    run.until("warning: SIGUSR1: there is no -o MODEL")
    run.end(0)


def test_an_interrupted_run_is_not_tested_or_made_final_and_its_trace_and_page_are_whole(t):
    text = rows(64)
    t.write("b", rows(30, seed=5))
    run = Live(t, "train", "--json", "-o", "m", "--final", "--test", "b", "--calibrate", "b", "--trace", "trace", "--trace-every", 50,
               "--report", "page.html")
    run.learn(text)
    r = json.loads(run.stop(signal.SIGTERM).out)
    check("test" not in r, r)
    equal(t.read("m"), model_of(t, text), "full model")
    trace = t.read("trace").decode().splitlines()
    equal([line.split(",")[0] for line in trace], ["examples", "50", "64"], "trace")
    page = t.read("page.html").decode()
    check("A signal ended the run" in page and page.rstrip().endswith("</html>"), page[-200:])


def test_a_signal_while_testing_saves_the_model_that_was_learned(t):
    text = rows(64)
    t.write("a", text)
    for option in "--test", "--calibrate":
        run = Live(t, "train", "--json", "-a", "bcw", "-o", "m", "a", option, "-")
        run.until(f"\n{64:12d}  ")
        run.until("learning a batch")
        r = json.loads(run.stop(signal.SIGTERM).out)
        check("test" not in r, r)
        # the signal may have come before the batch was learned: then it is open
        if r["waiting"]:
            t.run("train", "-q", "-i", "m", "-o", "m", stdin="")
        equal(t.read("m"), model_of(t, text, "-a", "bcw"), f"model after {option}")
        os.remove(t.path("m"))


def leftovers(t, *kept):
    return sorted(set(os.listdir(t.folder)) - set(kept))


def test_convert_and_synth_leave_the_old_file_and_nothing_else(t):
    for number in STOPS:
        t.write("out", "old")
        run = Live(t, "convert", "-o", "out")
        run.feed(rows(1000))
        while not leftovers(t, "out"):
            check(run.p.poll() is None, "it ended")
        run.stop(number)
        equal(leftovers(t, "out"), [], f"files after {number.name}")
        equal(t.read("out"), b"old")
        run = Live(t, "synth", "sparse", "-P", "rows=1000000000", "-o", "out")
        while not leftovers(t, "out"):
            check(run.p.poll() is None, "it ended")
        run.stop(number)
        equal(leftovers(t, "out"), [], f"files after {number.name}")
        equal(t.read("out"), b"old")


def test_convert_stops_while_it_writes_what_it_held(t):
    t.run("synth", "sparse", "-P", "rows=3000", "-o", "a.bin")
    os.mkfifo(t.path("pipe"))
    p = t.start("convert", "--shuffle", 1, "a.bin", "-o", "pipe")
    with open(t.path("pipe"), "rb") as pipe:
        check(pipe.read(1), "nothing was written")
        p.send_signal(signal.SIGTERM)
        got = pipe.read()
    equal(p.wait(), 128 + signal.SIGTERM, "exit status")
    check(got.count(b"\n") < 3000, "all rows were written")


def test_predict_stops_behind_a_line(t):
    t.run("train", "-q", "-o", "m", stdin=rows(50))
    for number in STOPS:
        run = Live(t, "predict", "-m", "m")
        run.feed("1 1:1\n")
        first = run.p.stdout.readline().decode()
        run.feed("1 2:1")
        run.stop(number)
        equal(run.out, "")
        check(first.count("\t") == 1, first)


def test_other_commands_stop_at_once(t):
    t.write("b", rows(50))
    t.run("train", "-q", "-o", "m", stdin=rows(50))
    for number in signal.SIGINT, signal.SIGTERM:
        for command in ["test", "-m", "m"], ["tune"], ["tune", "-o", "best"], ["sweep", "--test", "b"], ["select", "--features", "5"]:
            before = sorted(os.listdir(t.folder))
            read, write = os.pipe()
            p = t.start(*command, stdin=read, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
            os.close(read)
            text = (rows(200) * 20).encode()
            for _ in range(40):  # more than a pipe holds: when all is written, it reads
                os.write(write, text)
            p.send_signal(number)
            equal(p.wait(), 128 + number, f"exit status of {command}")
            os.close(write)
            equal(sorted(os.listdir(t.folder)), before, f"files after {command}")


def test_tune_keeps_the_points_that_are_done(t):
    """The live line shows that some are; all of them would take long."""
    t.write("a", rows(300))
    columns = ["--grid", "eta=1..8:300", "--grid", "r=1..8:300"]
    for number, mode in (signal.SIGINT, []), (signal.SIGTERM, ["--progressive"]), (signal.SIGINT, ["--folds", "forward"]):
        for more in ["-o", "m", "--report", "p"], []:
            master, slave = pty.openpty()
            p = t.start("tune", "--json", "--threads", 2, *columns, *mode, *more, "a", stdout=subprocess.PIPE, stderr=slave)
            os.close(slave)
            shown = b""
            while not [n for n in re.findall(rb"([\d,]+) of [\d,]+,000 models", shown) if int(n.replace(b",", b"")) > 600]:
                shown += os.read(master, 4096)
            p.send_signal(number)
            out = p.stdout.read()
            equal(p.wait(), 128 + number, "exit status")
            while True:
                try:
                    shown += os.read(master, 65536)
                except OSError:
                    break
            os.close(master)
            r = json.loads(out)
            n = len(r["points"])
            check(0 < n < 90000, f"{n} points")
            equal(r["interrupted"], {"signal": number.name, "points_left": 90000 - n})
            means = [round(q["mean"], 12) for q in r["points"]]
            check(means[1:] == sorted(means[1:]), "all have results, in their order")
            said = f"sluice: {number.name}: {n:,} of 90,000 points were done, and the best of these is"
            check(said in re.sub(r"\s+", " ", shown.decode()), shown.decode()[-600:])
            if not more:
                continue
            t.run(*[x if x != "m" else "same" for x in r["best"]["command"].split()[1:]])
            equal(t.read("m"), t.read("same"), "the model")
            page = t.read("p").decode()
            check(f"{number.name}: {n:,} of 90,000 points were done" in page, "the page does not say it")


def test_tune_without_any_point_done_keeps_nothing(t):
    run = Live(t, "tune", "-o", "m", "--json")
    for _ in range(40):  # more than a pipe holds: when all is written, it reads
        run.feed(rows(200) * 20)
    run.stop(signal.SIGTERM)
    equal((run.out, os.listdir(t.folder)), ("", []))
    check("SIGTERM: no point was done, and nothing is saved" in run.err, run.err)


def test_a_model_has_one_writer_at_a_time(t):
    text = rows(64)
    t.write("a", text)
    run = Live(t, "train", "-o", "m")
    run.learn(text)
    os.symlink("m", t.path("link"))
    for command in ["train", "-o", "m", "a"], ["train", "-o", "./m", "a"], ["tune", "-a", "pa", "-o", "m", "a"]:
        t.refused(*command, status=1, says=["m: another run that will write this file is under way"])
    t.run("train", "-q", "-o", "other", "a")
    run.end(0)
    equal(t.read("m"), model_of(t, text), "model")
    run = Live(t, "train", "-i", "m", "-o", "m")
    run.learn(text)
    t.refused("train", "-i", "m", "-o", "link", "a", status=1, says="another run")
    t.run("predict", "-m", "m", "a")  # reading is free
    run.p.kill()
    run.p.wait()
    check(t.exists(".m.sluice-lock"), "a lock that no process holds")
    t.run("train", "-q", "-i", "m", "-o", "m", "a")
    check(not t.exists(".m.sluice-lock"), "the lock was left")
