"""What shells and man get: candidates for a command line that is being typed, completion scripts, pages of the manual."""

import os
import shutil
import subprocess

from harness import check, equal

FORMATS = ["libsvm", "vw", "jsonl", "bin", "csv", "text", "url"]


def candidates(t, *words):
    return [line.split("\t")[0] for line in t.run("--complete", *words).out.splitlines()]


def test_commands_are_candidates_with_what_they_do(t):
    lines = t.run("--complete", "tr").out
    equal(lines, "train\tlearn from a stream of labelled examples\n")
    all_commands = candidates(t, "")
    for name in ("train", "serve", "completion", "help", "--version"):
        check(name in all_commands, name)
    equal(candidates(t, "help", "tu"), ["tune"])
    equal(candidates(t, "nosuch", ""), [])


def test_options_of_the_command_and_of_all_commands(t):
    equal(candidates(t, "train", "--lear"), ["--learner"])
    check("--seed" in candidates(t, "convert", "--"), "--seed")
    check("--learner" not in candidates(t, "predict", "--"), "predict has no --learner")


def test_values_that_are_known(t):
    learners = candidates(t, "train", "-a", "")
    check({"ssol", "fsol", "pa-1", "stsd"} <= set(learners), learners)
    equal(candidates(t, "learners", "ftr"), ["ftrl"])
    equal(candidates(t, "tune", "-a", "pa,adam"), [])
    equal(candidates(t, "tune", "-a", "pa,ftr"), ["pa,ftrl"])
    equal(candidates(t, "train", "-f", ""), FORMATS)
    equal(candidates(t, "train", "--on-error", ""), ["stop", "skip"])
    equal(candidates(t, "train", "-P", "lamb"), ["lambda="])
    equal(candidates(t, "train", "--seed", ""), [])


def test_values_behind_an_equals_sign(t):
    equal(candidates(t, "train", "--on-error=s"), ["--on-error=stop", "--on-error=skip"])
    equal(candidates(t, "train", "--on-error", "=", "sk"), ["skip"])  # as bash splits it
    equal(candidates(t, "train", "--on-error", "="), ["stop", "skip"])
    equal(candidates(t, "train", "--quiet=x"), [])


def test_files_where_files_are_due(t):
    for words in (["train", ""], ["train", "-o", ""], ["predict", "-m", "x"], ["train", "--test=x"], ["merge", "a", ""]):
        equal(candidates(t, *words), [":files"], words)
    equal(candidates(t, "completion", ""), ["bash", "zsh", "fish"])


def test_script_for_an_unknown_shell(t):
    t.refused("completion", status=2, says="bash, zsh or fish")
    t.refused("completion", "csh", status=2, says="'csh'")


def shell_prints(t, program, command, text):
    """What the shell prints for a script; None where there is no such shell. sluice is on its PATH."""
    shell = shutil.which(program)
    if not shell:
        print(f"skipped: {program} is not installed")
        return None
    folder = os.path.dirname(os.path.abspath(t.sluice))
    env = {**os.environ, "PATH": f"{folder}:{os.environ['PATH']}", "HOME": t.folder}
    r = subprocess.run([shell, *command, text], capture_output=True, text=True, env=env, timeout=120)
    equal(r.stderr, "", f"stderr of {program}")
    return r.stdout.split()


def test_bash_completes(t):
    def complete(*words):
        quoted = " ".join(f"'{w}'" for w in words)
        return shell_prints(t, "bash", ["--norc", "-c"], f"""
            source <(sluice completion bash); compopt() {{ echo "compopt $*"; }}
            COMP_WORDS=({quoted}); COMP_CWORD={len(words) - 1}; _sluice; echo "${{COMPREPLY[@]}}" """)

    equal(complete("sluice", "tra"), ["train"])
    equal(complete("sluice", "train", "--on-error", "=", "st"), ["stop"])
    equal(complete("sluice", "train", "-P", "lamb"), ["compopt", "-o", "nospace", "lambda="])
    equal(complete("sluice", "train", "-o", ""), ["compopt", "-o", "default"])


def test_fish_completes(t):
    printed = shell_prints(t, "fish", ["--no-config", "-c"], "sluice completion fish | source; complete -C 'sluice train --on-error s'")
    if printed is not None:
        equal(printed, ["skip", "stop"])


def test_zsh_completes(t):
    printed = shell_prints(t, "zsh", ["-f", "-c"], """
        autoload -Uz compinit; compinit -u -d $HOME/dump; source <(sluice completion zsh)
        _describe() { print -l ${(P)2}; }
        words=(sluice train --on-error s); CURRENT=4; _sluice""")
    if printed is not None:
        equal(printed, ["stop:", "skip:"])


def test_pages_of_the_manual_have_every_option(t):
    overview = t.run("--man").out
    for command in candidates(t, "help", ""):
        check(f"sluice\\-{command} (1)" in overview, f"{command} in sluice(1)")
        page = t.run("--man", command).out
        check(page.startswith(f".TH SLUICE-{command.upper()} 1"), page[:60])
        for option in candidates(t, command, "--"):
            check("\\fB" + option.replace("-", "\\-") + "\\fR" in page, f"{option} in the page of {command}")
    t.refused("--man", "trian", status=2, says=["'trian'", "train"])


def test_man_reads_the_pages(t):
    man = shutil.which("groff")
    if not man:
        print("skipped: groff is not installed")
        return
    for command in [None, *candidates(t, "help", "")]:
        page = t.run("--man", *([command] if command else [])).out
        r = subprocess.run([man, "-man", "-Tutf8", "-ww"], input=page, capture_output=True, text=True)
        equal(r.stderr, "", command or "the overview")
