"""Help, versions, options, exit statuses: what all commands share."""

import os
import re
import subprocess

from harness import check, equal, on_a_terminal, rows

COMMANDS = ["train", "predict", "test", "inspect", "tune", "sweep", "select", "serve", "learners", "synth", "convert",
            "merge", "diff", "export", "import", "completion", "check"]


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
    equal([line.split(": ")[0] for line in lines[1:]], ["compiler", "kernels", "compressed input", "OpenBLAS", "libraries"])
    check(lines[2].split(": ")[1] in ("portable", "avx2", "avx512", "neon"), lines[2])
    libraries = lines[5].split(": ")[1].split(", ")
    for codec, library in [("bzip2", "bzip2"), ("xz", "lzma"), ("zstd", "zstd")]:
        equal(library in libraries, codec in lines[3], lines)
    equal("openblas" in libraries, "loaded" in lines[4], lines)


def test_options_that_a_format_does_not_have(t):
    t.write("a", "1 1:1\n-1 2:1\n")
    for option in ["--label", "y"], ["--weight", "w"], ["--separator", ";"], ["--no-header"]:
        for form in "libsvm", "vw", "bin", "text", "url":
            t.refused("train", "-f", form, *option, "a", status=2, says=[option[0] + " is for csv and jsonl", f"-f {form}"])
    for option in ["--ngrams", 2], ["--chars", 3], ["--stop-words", "english"], ["--min-length", 2], ["--tf", "log"]:
        for form in "libsvm", "url":
            t.refused("train", "-f", form, *option, "a", status=2, says=[option[0] + " is for text", f"-f {form}"])
    t.run("train", "-qq", "-f", "csv", "--ngrams", 2, "--text", "b", "--label", "a", stdin="a,b\n1,x y\n0,z\n")


def test_a_closed_pipe_is_no_news(t):
    """As `| head -1` closes it: the run ends with status 1 and without a message."""
    t.write("a", rows(20000))
    t.run("train", "-qq", "-a", "perceptron", "-o", "m", "a")
    for command in (["predict", "-m", "m", "a"], ["predict", "--json", "-m", "m", "a"], ["convert", "-q", "a"],
                    ["convert", "-q", "--to", "jsonl", "a"], ["synth", "-q", "sparse", "-P", "rows=20000"]):
        p = t.start(*command, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        p.stdout.readline()
        p.stdout.close()
        err = p.stderr.read()
        p.stderr.close()
        equal([p.wait(), err], [1, b""], command)


def test_unknown_command_suggests_the_nearest(t):
    t.refused("trian", status=2, says=["unknown command 'trian'", "train"])
    t.refused("--wersion", status=2, says="unknown option '--wersion'")


def test_unknown_option_is_named_and_the_nearest_suggested(t):
    t.refused("train", "--pases", "2", status=2, says=["--pases", "--passes"])
    t.refused("train", "--pases=2", status=2, says=["--pases", "--passes"])
    for prefix, whole in [("--pass", "--passes"), ("--cost-m", "--cost-missed"), ("--on-e", "--on-error"), ("--NORM", "--normalize")]:
        t.refused("train", prefix, status=2, says=f"did you mean {whole}?")
    t.refused("predict", "-Z", status=2, says="-Z")
    for command, option, owner in [("tune", "--trace", "train"), ("sweep", "--measure", "tune"), ("train", "--html", "sweep")]:
        t.refused(command, option, "x", status=2, says=f"unknown option {option}; it belongs to sluice {owner}")
    for command, option in [("inspect", "-m"), ("export", "--model"), ("diff", "-m"), ("merge", "--model=x")]:
        t.refused(command, option, "x", status=2, says=[f"unknown option {option.split('=')[0]}; ", f"sluice {command} MODEL"])
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
    check(re.search(r"\r\x1b\[K\[#*\.*\] +\d+ %  \d+:\d\d left  [\d,]+ examples, window error 0\.\d{3}", shown), shown[-400:])
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
    t.write("a", rows(40) + "1 what\n")
    t.run("train", "-q", "-a", "pa-1", "--on-error", "skip", "-o", "m", "a")
    skipped, unsaved = "warning: input: 1 malformed line skipped:\nsluice:   1 ", "note: the model will not be saved"
    for command, says in [
        (["train", "--on-error", "skip", "a"], [skipped, unsaved]),
        (["predict", "--on-error", "skip", "-m", "m", "a"], [skipped]),
        (["test", "--on-error", "skip", "-m", "m", "a"], [skipped]),
        (["tune", "--on-error", "skip", "--choose", "best", "--grid", "eta=1,2,4,8,16", "a"], [skipped, "note: the best eta"]),
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
        t.refused("train", quiet, "a", status=1, says="sluice: a:41:3: ")
        t.refused("train", quiet, "--passes", 0, "a", status=2, says="--passes 0")


# controls as ASCII, as UTF-8 and as bytes, overrides and isolates of direction, zero-width, invisible, not UTF-8
NASTY = [b"\x1b[31mred", b"\x07bell", b"\x7fdel", "\u009b31mred".encode(), b"\x9b31mraw", "\u202egnp".encode(), "\u2066iso".encode(),
         "a\u200bb".encode(), "\u00adsoft".encode(), "\U000e0041tag".encode(), b"caf\xe9", "\u2028line".encode()]
HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u00ad\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\U000e0000-\U000e0fff]")


def check_clean(output, what):
    text = output.decode()  # not UTF-8: an exception
    check(not HIDDEN.search(text), f"{what}: {text!r}")


def test_names_of_features_reach_a_terminal_escaped(t):
    names = [n for n in NASTY if b"\x07" not in n] + [b"back\\slash", "caf\u00e9".encode()]
    t.write("a.vw", b"".join(b"%d | %s:%d\n" % (1 if i % 2 else -1, n, i + 1) for i, n in enumerate(names)) * 20)
    t.run("train", "-qq", "-a", "perceptron", "-o", "m", "a.vw")
    for command in (["inspect", "m"], ["inspect", "--json", "m"], ["inspect", "--weights", "m"], ["train", "-a", "perceptron", "--top", 20, "a.vw"],
                    ["train", "-a", "perceptron", "--top", 20, "--json", "a.vw"], ["select", "--features", 20, "-o", "list", "a.vw"],
                    ["select", "--features", 20, "--json", "a.vw"]):
        r = t.run(*command)
        check_clean(r.out_bytes + r.err_bytes, command)
    check_clean(t.read("list"), "list")
    shown = [line.split(b"\t")[0] for line in t.run("inspect", "--weights", "m").out_bytes.splitlines()]
    exact = [re.sub(rb"\\x(..)", lambda m: bytes.fromhex(m[1].decode()), name) for name in shown]
    equal(sorted(exact), sorted(names), "names from --weights")
    check("caf\u00e9".encode() in shown, "ordinary characters are shown as they are")
    said = {x["name"] for x in t.run("inspect", "--json", "--top", 20, "m").json()["top"]}
    equal(said, {n.decode("utf-8", "replace") for n in names}, "names in JSON")


def test_what_a_model_keeps_reaches_a_terminal_escaped(t):
    label = "\u202e\x1b[31mlabel\u009b"
    t.write("a.csv", f"{label},a\n1,2\n-1,3\n")
    t.run("train", "-q", "--label", label, "-o", "m", "a.csv")
    out = t.run("inspect", "-v", "m").out_bytes
    check_clean(out, "inspect")
    check(b"label=\\xe2\\x80\\xae\\x1b[31mlabel\\xc2\\x9b\n" in out, out)
    equal(t.run("inspect", "--json", "m").json()["settings"]["label"], label)
    check_clean(t.run("inspect", "--json", "m").out_bytes, "inspect --json")


def test_messages_show_paths_and_arguments_escaped(t):
    t.write("a", rows(60))
    t.run("train", "-q", "-o", "m", "a")
    for text in [n for n in NASTY if b"\xe9" not in n and b"\x9b3" not in n]:
        text = text.decode()
        bad = t.write(text, "1 1:x\n")
        os.mkdir(t.path(text + ".d"))
        for command, status in [
            (["train", text], 1), (["train", "no" + text], 1), (["train", "-i", text, "a"], 1), (["train", "-o", text + ".d", "a"], 1),
            (["train", "-o", f"{text}/x", "a"], 1), (["train", "--test", text, "a"], 1), (["train", "-a", text, "a"], 2),
            (["train", "-P", text, "a"], 2), (["train", "-P", f"eta={text}", "a"], 2), (["train", f"--{text}", "a"], 2), ([text], 2),
            (["train", "--passes", text, "a"], 2), (["tune", "--grid", text, "a"], 2), (["tune", "--grid", f"eta={text}", "a"], 2),
            (["inspect", text], 1), (["predict", "-m", text, "a"], 1), (["predict", "-m", "m", text], 1), (["learners", text], 2),
            (["convert", "a", "-o", f"{text}/x"], 1), (["convert", "--to", text, "a"], 2), (["synth", text], 2), (["train", "-f", text, "a"], 2),
            (["train", "-o", text, text], 2), (["select", "--features", text, "a"], 2), (["train", "--help", "-a", text], 0),
            (["train", "--on-error", "skip", "--test", text, "a"], 0), (["train", "--label", text, "-f", "csv", "a"], 1),
        ]:
            r = t.run(*command, status=status)
            check_clean(r.err_bytes + r.out_bytes, command)
        os.remove(t.path(bad))


def test_a_command_line_to_copy_is_safe_to_show_and_names_the_same_file(t):
    for name in "a\x1b[31m'b\\c", "\u202ex y", "plain name":
        t.write(name, rows(60))
        out = t.run("tune", "-q", "--grid", "eta=1,2", name).out_bytes
        check_clean(out, "tune")
        line = out.decode().splitlines()[-1].split(": ", 1)[1].replace("sluice", f"'{t.sluice}'", 1).replace("MODEL", "m2")
        subprocess.run(["bash", "-c", line + " -q"], cwd=t.folder, check=True, stdout=subprocess.DEVNULL)
        t.run("train", "-q", "-a", "ssol", "-P", re.search(r"-P (\S+)", line)[1], "-o", "m1", name)
        equal(t.read("m2"), t.read("m1"), name)
        t.write("b", rows(20))
        for command in (["sweep", "-q", "--lambda", "1", "--test", name, "b"], ["select", "-q", "--features", 2, "--test", name, "b"]):
            check_clean(t.run(*command).out_bytes, command)


def test_a_model_is_replaced_by_a_model_alone(t):
    t.write("a", rows(50))
    t.run("train", "-q", "a", "-o", "m")
    model = t.read("m")
    os.symlink("m", t.path("link"))
    for name in "m", "link":
        for command in [
            ["convert", "a", "-o", name],
            ["synth", "effective", "-P", "rows=10", "-o", name],
            ["select", "a", "--features", "2", "-o", name],
            ["sweep", "a", "--csv", name],
            ["train", "a", "--report", name],
            ["train", "a", "--trace", name],
        ]:
            r = t.run(*command, status=2)
            check(f"{name}: the " in r.err and "would replace a model" in r.err, r.err)
            equal(t.read("m"), model, "model")
    t.run("train", "-q", "a", "a", "-o", "m")
    check(t.read("m") != model, "a model may replace a model")
