"""Raw data: texts and URLs, from the line to the weights by name."""

import random

from harness import check, equal


def mail(n, seed=1):
    """Texts of words that say nothing, and one that gives the class away."""
    draw = random.Random(seed)
    lines = []
    for _ in range(n):
        words = [f"w{draw.randrange(200)}" for _ in range(8)]
        spam = draw.random() < 0.5
        words.insert(draw.randrange(8), "Offer" if spam else "Meeting")
        lines.append(f"{'+1' if spam else '-1'}\t{' '.join(words)}.\n")
    return "".join(lines)


def test_words_that_tell_get_the_largest_weights(t):
    t.write("mail", mail(2000))
    r = t.run("train", "-q", "--json", "-f", "text", "-o", "m", "mail").json()
    check(r["error_rate"] < 0.05, f"error rate {r['error_rate']}")
    equal(r["features_seen"], 203, "features and the bias of auto")
    heaviest = t.run("inspect", "m", "--top", "2").out
    check("offer" in heaviest and "meeting" in heaviest, heaviest)


def test_the_endings_choose_the_reader(t):
    t.write("a.text.tsv", "1\tgood day\n")
    t.write("a.url.tsv", "1\thttp://example.org/\n")
    equal(t.run("train", "-q", "--json", "-a", "ssol", "a.text.tsv").json()["features_seen"], 2, "words")
    check(t.run("train", "-q", "--json", "a.url.tsv").json()["features_seen"] > 8, "features of a URL")


def test_runs_of_words_and_their_values(t):
    t.write("a", "1\ta b a\n")
    for more, features in [((), 2), (("--ngrams", "2"), 4), (("--ngrams", "3", "--tf", "binary"), 5)]:
        r = t.run("train", "-q", "--json", "-a", "ssol", "-f", "text", *more, "a").json()
        equal(r["features_seen"], features, f"features with {more}")


def test_lines_without_a_label_have_a_place(t):
    t.write("bad", "1\ta\nno tab\n\tc\n-1\td\n")
    for form in ["text", "url"]:
        t.refused("train", "-f", form, "bad", status=1, says=["sluice: bad:2:1: there is no tab behind 'no tab'", "label<TAB>"])
        r = t.run("train", "-q", "--json", "-f", form, "--on-error", "skip", "bad").json()
        equal((r["examples"], r["skipped"], r["skipped_reasons"]), (2, 2, {"label": 2}), "skipped")


def test_the_number_of_threads_does_not_matter(t):
    t.write("mail", mail(5000, seed=2))
    models = []
    for threads in [1, 2, 5]:
        t.run("train", "-q", "-f", "text", "--ngrams", "2", "--threads", threads, "-o", "m", "mail")
        models.append(t.read("m"))
    check(models[0] == models[1] == models[2], "models differ")


def test_bad_labels_that_are_only_counted(t):
    # their message is not made, and must not be read either
    for name in ("text", "url"):
        t.write("a", "\tabc def\n1\tok\n" * 2000)
        r = t.run("train", "-q", "-f", name, "--on-error", "skip", "--json", "a")
        check('"label": 2000' in r.out, r.out)


SETTINGS = ["-f", "text", "--ngrams", 2, "--chars", "1-4", "--min-length", 2, "--stop-words", "stop"]


def told(t, *settings):
    """A model of texts and of these settings, and texts to read with it."""
    t.write("stop", "# words of our own\nThe  of # and so on\nw7\n\nDON'T\n")
    t.write("mail", mail(300))
    t.write("new", "".join(line.replace("\t", "\tw7 ") for line in mail(50, seed=3).splitlines(True)))
    t.run("train", "-q", *settings, "-o", "m", "mail")


def test_runs_of_characters_beside_words_and_instead_of_them(t):
    t.write("a", "1\tAb ab!\n")

    def names(*options):
        r = t.run("train", "-q", "-a", "pa", "-f", "text", *options, "-o", "m", "a") and t.run("inspect", "m", "--weights")
        return sorted(line.split("\t")[0] for line in r.out.splitlines() if not line.startswith("#"))
    equal(names("--chars", "2"), sorted(["ab", "~_a", "~ab", "~b_", "~b!", "~!_"]))
    equal(names("--chars", "3-4", "--ngrams", "2"), sorted(["ab", "ab ab", "~_ab", "~_ab_", "~ab_", "~_ab!", "~ab!", "~ab!_", "~b!_"]))
    equal(names("--chars", "5", "--ngrams", "0"), ["~_ab!_", "~_ab_"])


def test_a_model_keeps_how_its_text_was_read(t):
    told(t, "-a", "pa", *SETTINGS)
    by_model = t.run("predict", "-m", "m", "new").out
    stated = t.run("inspect", "-v", "m").out
    check("ngrams=2 chars=1-4 min-length=2 stop-words=4 format=text" in stated, stated)
    settings = t.run("inspect", "--json", "m").json()["settings"]
    equal([settings["ngrams"], settings["chars"], settings["min_length"], settings["stop_words"]], [2, "1-4", 2, "The of w7 DON'T"])
    t.write("stop", "nothing of the kind\n")  # the model has the list, not the file
    equal(t.run("predict", "-m", "m", "new").out, by_model)
    t.run("convert", "--model", "m", "new", "-o", "new.jsonl")
    lines = t.read("new.jsonl").decode()
    check('"w7":' not in lines and '"~_w7_":' in lines, lines[:500])
    t.run("train", "-q", "-a", "pa", "--final", *SETTINGS[:-2], "-o", "f", "mail")
    check(t.run("predict", "-m", "f", "new").out != by_model, "words that were left out made no difference")


def test_going_on_with_a_model_that_reads_text_in_its_own_way(t):
    told(t, *SETTINGS)
    t.write("more", mail(100, seed=9))
    t.run("train", "-q", *SETTINGS, "-o", "whole", "mail", "more")
    t.run("train", "-q", "-i", "m", "-o", "m", "more")
    equal(t.read("m") == t.read("whole"), True, "resumed")
    t.run("train", "-q", "-i", "m", "-o", "m", *SETTINGS, "more")  # said again
    for other in [("--ngrams", 3), ("--chars", 3), ("--min-length", 1), ("--stop-words", "english"), ("--tf", "count")]:
        t.refused("train", "-i", "m", "-f", "text", *other, "more", status=2, says=[other[0], "another setting"])


def test_all_threads_read_runs_of_characters_alike(t):
    t.write("mail", mail(3000, seed=2))
    models = []
    for threads in [1, 3]:
        t.run("train", "-q", "-f", "text", "--chars", "2-5", "--stop-words", "english", "--threads", threads, "-o", "m", "mail")
        models.append(t.read("m"))
    check(models[0] == models[1], "models differ")


def test_stop_words_that_cannot_be_had(t):
    t.write("a", "1\ta\n-1\tb\n")
    t.write("none", " \n# the\n")
    t.write("nul", b"a\0b\n")
    t.write("much", "word " * 300000)
    for name, says in [("missing", "missing: cannot be opened"), ("none", "none: there are no stop words"), ("nul", "nul: a NUL byte"),
                       ("much", "much: a list of stop words has less than 1048576 bytes"), (".", ".: cannot be opened: Is a directory")]:
        t.refused("train", "-f", "text", "--stop-words", name, "a", status=1, says=says)
    t.refused("train", "-f", "text", "--stop-words", "none", "-o", "none", "a", status=2, says="none")


def test_settings_of_text_that_make_no_sense(t):
    t.write("a", "1\ta\n")
    for chars in ["0", "9", "3-2", "1-9", "two", "2-", "1-2-3"]:
        t.refused("train", "-f", "text", "--chars", chars, "a", status=2, says=["--chars", "from 1 to 8", "2-5"])
    t.refused("train", "-f", "text", "--ngrams", 0, "a", status=2, says=["--ngrams 0", "--chars"])
    t.refused("train", "-f", "text", "--min-length", 17, "a", status=2, says=["--min-length", "16"])
    t.refused("train", "-f", "text", "--min-length", 0, "a", status=2, says="--min-length")


def test_searches_show_the_settings_of_text(t):
    told(t, *SETTINGS)
    r = t.run("tune", "-q", "--json", "-a", "ssol", "--grid", "eta=1,4", "--folds", 2, *SETTINGS, "-o", "tuned", "mail").json()
    command = r["best"]["command"]
    check("--ngrams 2 --chars 1-4 --min-length 2 --stop-words stop" in command, command)
    by_tune = t.read("tuned")
    t.run(*command.split()[1:], "-q")
    equal(t.read("tuned") == by_tune, True, command)


def test_models_of_other_stop_words_do_not_merge(t):
    told(t, "-a", "pa", "-f", "text", "--stop-words", "stop")
    t.run("train", "-q", "-a", "pa", "-f", "text", "-o", "b", "mail")
    t.refused("merge", "m", "b", "-o", "c", status=1, says=["b: ", "without --stop-words", "with --stop-words, a list of"])
