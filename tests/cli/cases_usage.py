"""Help, versions, options, exit statuses: what all commands share."""

import os
import re

from harness import check, equal, on_a_terminal, rows

COMMANDS = ["train", "predict", "test", "inspect", "tune", "sweep", "select", "learners", "synth", "convert"]


def test_help_of_every_command_is_golden(t):
    for command in COMMANDS:
        r = t.run(command, "--help")
        equal(r.err, "", "stderr")
        t.golden(f"{command}.help.txt", r.out)
        equal(t.run(command, "-h").out, r.out, "-h")


def test_overview_is_golden_and_on_stdout(t):
    r = t.run("--help")
    t.golden("overview.txt", r.out)
    equal(t.run("-h").out, r.out, "-h")
    for command in COMMANDS:
        check(f"\n  {command} " in r.out, f"{command} is missing")


def test_without_arguments_the_overview_goes_to_stderr(t):
    r = t.run(status=2)
    equal(r.out, "", "stdout")
    equal(r.err, t.run("--help").out, "stderr")


def test_help_is_a_command_too(t):
    equal(t.run("help").out, t.run("--help").out)
    for command in COMMANDS:
        equal(t.run("help", command).out, t.run(command, "--help").out, command)
    equal(t.run("help", "train", "-a", "ftrl").out, t.run("train", "--help", "-a", "ftrl").out)
    t.refused("help", "trian", status=2, says=["'trian'", "train"])


def test_help_fits_80_columns(t):
    pages = [["--help"], ["learners"], ["synth"]] + [[c, "--help"] for c in COMMANDS]
    pages += [["train", "--help", "-a", name] for name in t.learners()]
    for page in pages:
        for line in t.run(*page).out.splitlines():
            check(len(line) < 80, f"{page}: {len(line)} characters: {line}")


def test_version_everywhere(t):
    version = t.run("--version").out
    equal(t.run("-V").out, version, "-V")
    check(re.fullmatch(r"sluice \d+\.\d+\.\d+\n", version), version)
    for command in COMMANDS:
        equal(t.run(command, "--version").out, version, command)
        equal(t.run(command, "-V").out, version, command)


def test_verbose_version_says_how_it_was_built(t):
    lines = t.run("--version", "--verbose").out.splitlines()
    equal(lines[0] + "\n", t.run("--version").out)
    equal([line.split(": ")[0] for line in lines[1:]], ["compiler", "kernels", "compressed input", "OpenBLAS"])
    check(lines[2].split(": ")[1] in ("portable", "avx2", "avx512", "neon"), lines[2])


def test_unknown_command_suggests_the_nearest(t):
    t.refused("trian", status=2, says=["unknown command 'trian'", "train"])
    t.refused("--wersion", status=2, says="unknown option '--wersion'")


def test_unknown_option_is_named_and_the_nearest_suggested(t):
    t.refused("train", "--pases", "2", status=2, says=["--pases", "--passes"])
    t.refused("train", "--pases=2", status=2, says=["--pases", "--passes"])
    for prefix, whole in [("--pass", "--passes"), ("--cost-m", "--cost-missed"), ("--on", "--on-error"), ("--NORM", "--normalize")]:
        t.refused("train", prefix, status=2, says=f"did you mean {whole}?")
    t.refused("predict", "-Z", status=2, says="-Z")
    for command, option, owner in [("tune", "--report", "train"), ("sweep", "--measure", "tune"), ("train", "--html", "sweep")]:
        t.refused(command, option, "x", status=2, says=f"unknown option {option}; it belongs to sluice {owner}")
    t.refused("tune", "--lambda", "1,2", status=2, says="write its values as --grid lambda=1,2")
    for command in COMMANDS:
        t.refused(command, "--no-such-option-at-all", status=2, says=["--no-such-option-at-all", f"sluice {command} --help"])


def test_option_without_its_value(t):
    t.refused("train", "-o", status=2, says=["--output", "MODEL"])
    t.refused("train", "--passes", status=2, says=["--passes", "N"])


def test_empty_value_is_wrong_usage_at_once(t):
    t.write("a", rows(5))
    for command in (["train", "-o", ""], ["train", "--output="], ["convert", "-o", ""], ["synth", "sparse", "-o", ""],
                    ["synth", "sparse", "-o", "x", "--test", ""]):
        t.refused(*command, *(["a"] if command[0] != "synth" else []), status=2, says="needs a value")
    equal(os.listdir(t.folder), ["a"], "files")


def test_threads_and_seed_are_checked_by_every_command(t):
    for command in COMMANDS:
        for option, value in [("--threads", "0"), ("--threads", "x"), ("--threads", "1025"), ("--seed", "-1"), ("--seed", "1.5")]:
            t.refused(command, option, value, status=2, says=[option, value])


def test_value_for_a_switch(t):
    t.refused("train", "--json=yes", status=2, says="--json takes no value")


def test_contradicting_repeats_are_refused(t):
    t.refused("train", "-a", "pa", "-a", "ssol", status=2, says=["given twice", "pa", "ssol"])
    t.run("train", "-q", "-q", "-a", "pa", "-a", "pa", stdin="1 1:1\n")


def test_all_spellings_of_options_mean_the_same(t):
    t.write("a", rows(50))
    spellings = [
        ["-a", "pa-1", "-P", "C=0.5", "-o", "m", "a"],
        ["-apa-1", "-PC=0.5", "-om", "a"],
        ["--learner=pa-1", "--param=C=0.5", "--output=m", "a"],
        ["--learner", "pa-1", "--param", "C=0.5", "--output", "m", "a"],
        ["a", "-qom", "-P", "C=0.5", "-a", "pa-1"],
    ]
    models = set()
    for s in spellings:
        t.run("train", "-q", *s)
        models.add(t.read("m"))
        os.remove(t.path("m"))
    equal(len(models), 1, "different models")


def test_options_stand_before_or_after_inputs(t):
    t.write("a", rows(20))
    before, after = t.run("train", "--json", "a").json(), t.run("train", "a", "--json").json()
    equal(before["mistakes"], after["mistakes"])


def test_two_dashes_end_the_options(t):
    t.write("-odd name", rows(20))
    equal(t.run("train", "--json", "--", "-odd name").json()["examples"], 20)
    t.refused("train", "--", "--json", status=1, says="--json")


def test_numbers_of_options_are_checked(t):
    for option, value in [("--passes", "0"), ("--passes", "-1"), ("--passes", "2x"), ("--passes", ""), ("--threads", "0"),
                          ("--threads", "many"), ("--dim", "0"), ("--dim", "1.5"), ("--hash", "0"), ("--hash", "31"),
                          ("--bias", "x"), ("--bias", "nan"), ("--bias", "inf"), ("--seed", "-3"),
                          ("--normalize", "l1"), ("--on-error", "ignore"), ("-f", "parquet")]:
        t.refused("train", option, value, status=2, says=value or option)


def test_common_options_are_taken_by_every_command(t):
    t.write("a", rows(30))
    t.run("train", "-q", "--threads", 1, "--seed", 5, "-o", "m", "a")
    common = ["-q", "--threads", "2", "--seed", "5"]
    t.run("predict", "-m", "m", "a", *common)
    t.run("test", "-m", "m", "a", *common)
    t.run("inspect", "m", *common)
    t.run("learners", *common)
    t.run("synth", "effective", "-P", "rows=2", *common)
    t.run("convert", "a", "-o", "b", *common)


def test_too_many_arguments(t):
    t.refused("inspect", "a", "b", status=2, says="'b'")
    t.refused("learners", "pa", "ssol", status=2, says="'ssol'")
    t.refused("synth", "sparse", "more", status=2, says="'more'")


def test_missing_model_option(t):
    t.refused("predict", status=2, says="-m")
    t.refused("test", status=2, says="-m")
    t.refused("inspect", status=2, says="MODEL")


def test_full_disk_under_stdout_is_an_error(t):
    t.write("a", rows(30))
    t.run("train", "-q", "-o", "m", "a")
    for command in (["--help"], ["learners"], ["train", "-q", "a"], ["test", "-m", "m", "a"], ["predict", "-m", "m", "a"],
                    ["inspect", "m"], ["inspect", "--weights", "m"], ["convert", "a"], ["synth", "effective", "-P", "rows=9"]):
        with open("/dev/full", "wb") as full:
            r = t.run(*command, status=1, stdout=full)
        check("No space left" in r.err, f"{command}: {r.err}")


def test_closed_pipe_ends_quietly(t):
    t.write("a", rows(3000))
    t.run("train", "-q", "-o", "m", "a")
    t.run("synth", "sparse", "-P", "rows=500", "-o", "wide")
    t.run("train", "-q", "-o", "wide model", "wide")
    for command in (["predict", "-m", "m", "a"], ["convert", "a"], ["synth", "sparse", "-P", "rows=3000"], ["learners"],
                    ["learners", "--json"], ["inspect", "--weights", "wide model"], ["train", "-qq", "a"], ["--help"]):
        reading, writing = os.pipe()
        os.close(reading)
        with os.fdopen(writing, "wb") as pipe:
            r = t.run(*command, status=1, stdout=pipe)
        equal(r.err, "", f"{command}: stderr")


def test_terminal_gets_a_live_line_that_is_erased(t):
    t.run("synth", "sparse", "-P", "rows=40000", "-o", "a")
    shown = on_a_terminal(t, "train", "a")
    check(re.search(r"\r\x1b\[K\[#*\.*\] +\d+ %  \d+:\d\d left  \d+ examples", shown), shown[-400:])
    last = shown.rsplit("\x1b[K", 1)[1]
    check("left" not in last, "the live line stays")
    check("\x1b" not in on_a_terminal(t, "train", "-q", "a"), "-q draws")


def test_live_line_fits_a_narrow_terminal(t):
    t.run("synth", "sparse", "-P", "rows=40000", "-o", "a")
    t.run("train", "-q", "-o", "m", "a")
    for columns in (40, 12, 1):
        for command in (["train", "-o", "m"], ["train", "-o", "m", "--passes", "2"], ["test", "-m", "m"], ["convert"]):
            shown = on_a_terminal(t, *command, "a", columns=columns)
            # what is drawn ends where the next drawing, or the erasing, begins
            drawn = [piece for piece in re.findall(r"\r\x1b\[K([^\r\n]*)", shown) if not re.search(r"\d\.\d{4} ", piece)]
            lines = [piece for piece in drawn if piece and not re.match(r" *examples ", piece)]
            check(columns == 1 or lines, f"{command}: no live line")
            for line in lines:
                check(len(line) < columns, f"{command}: {len(line)} of {columns} columns: {line!r}")
                check("#" not in line, f"a bar in {columns} columns")
            check(columns < 40 or any(" examples" in line for line in lines), f"cut too early: {lines[:3]}")
            check("left" not in shown.rsplit("\x1b[K", 1)[1], "the live line stays")


def test_reading_a_terminal_is_said_once(t):
    t.run("train", "-q", "-o", "m", stdin=rows(20))
    for command in (["train"], ["predict", "-m", "m"], ["test", "-m", "m"], ["convert"]):
        shown = on_a_terminal(t, *command, typed="1 1:1\n")
        equal(shown.count("sluice: reading standard input"), 1, f"{command} showed {shown!r}")
        check("reading" not in on_a_terminal(t, *command, "-q", typed="1 1:1\n"), f"{command} -q")
        check("reading" not in on_a_terminal(t, *command, "-", typed="1 1:1\n"), f"{command} -")
        check("reading" not in t.run(*command, stdin="1 1:1\n").err, f"{command} on a pipe")


def test_no_live_line_without_a_terminal(t):
    t.write("a", rows(5000))
    check("\r" not in t.run("train", "a").err, "stderr has a live line")


def test_q_hides_progress_and_qq_warnings_and_notes_too(t):
    t.write("a", rows(40) + "what\n")
    t.run("train", "-q", "-a", "pa-1", "--on-error", "skip", "-o", "m", "a")
    skipped, unsaved = "warning: input: 1 malformed line skipped:\nsluice:   1 ", "note: the model will not be saved"
    for command, says in [
        (["train", "--on-error", "skip", "a"], [skipped, unsaved]),
        (["predict", "--on-error", "skip", "-m", "m", "a"], [skipped]),
        (["test", "--on-error", "skip", "-m", "m", "a"], [skipped]),
        (["tune", "--on-error", "skip", "--grid", "eta=1,2,4,8,16", "a"], [skipped, "note: the best eta"]),
        (["sweep", "--on-error", "skip", "--lambda", "1", "a"], [skipped, "note: without --test"]),
        (["select", "--on-error", "skip", "--features", 2, "a"], [skipped]),
        (["convert", "--on-error", "skip", "a"], [skipped]),
        (["inspect", "--dim", 2, "m"], ["warning: --dim 2"]),
    ]:
        for quiet in [["-q"], ["--quiet"]]:
            r = t.run(*command, *quiet)
            for part in says:
                check(part in r.err, f"{command} {quiet}: {r.err}")
            check("examples/s" not in r.err, f"progress with {quiet}: {r.err}")
        for quiet in [["-qq"], ["-q", "-q"], ["-q", "--quiet"], ["-qqq"]]:
            r = t.run(*command, *quiet)
            equal(r.err, "", f"{command} {quiet}")
            check(r.out, "no results")
    for quiet in "-q", "-qq":
        t.refused("train", quiet, "a", status=1, says="sluice: a:41:1: ")
        t.refused("train", quiet, "--passes", 0, "a", status=2, says="--passes 0")
