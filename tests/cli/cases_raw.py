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
