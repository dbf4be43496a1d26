#!/usr/bin/env python3
"""Opens the page of `sluice serve` in chromium while the server learns and answers, and looks at it.

    live_page.py --sluice PATH --chromium PATH [--keep FOLDER] [CASE...]

--keep leaves a picture of each page there, in each width and colour scheme.
"""

import argparse
import contextlib
import os
import random
import re
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
sys.dont_write_bytecode = True
sys.path[:0] = [HERE, os.path.join(HERE, "..", "cli"), os.path.join(HERE, "..", "serve")]
from chromium import Browser  # noqa: E402
from harness import Context, Failure, check, equal  # noqa: E402
from recorded_page import Recorded  # noqa: E402
from serve_process import Served, until  # noqa: E402

LOOKS = [(width, scheme) for width in (1280, 400) for scheme in ("light", "dark")]
HOSTILE = ["<script>throw_1</script>", "\"onmouseover=throw_2", "'&amp;", "a\u202eb\u05d0", "x" * 300, "supercalifragilistic" * 5,
           "</script><img/src=x>", "\u2028\u2029\x7f"]
WORDS = "price offer winner free login account invoice meeting lunch minutes report budget train weather garden school".split()

CASES = {}


def case(function):
    CASES[function.__name__] = function
    return function


# ---- streams ---------------------------------------------------------------------------------------------------------


def two_classes(n, seed, turned=False):
    """Lines of VW text, with names that are odd now and then; `turned`: the labels mean the opposite."""
    r, lines = random.Random(seed), []
    for _ in range(n):
        bad = r.random() < 0.5
        half = WORDS[:8] if bad == (r.random() < 0.85) else WORDS[8:]
        names = [r.choice(half) for _ in range(3)] + [f"word{r.randrange(300)}"]
        if r.random() < 0.3:
            names.append(r.choice(HOSTILE).replace(":", "_").replace("|", "_").replace(" ", "_"))
        lines.append(f"{1 if bad != turned else -1} |w " + " ".join(dict.fromkeys(names)))
    return "\n".join(lines) + "\n"


def classes(n, labels, seed):
    """Text lines of several classes; one in five is taken for its neighbour."""
    r, lines = random.Random(seed), []
    for i in range(n):
        c = i % len(labels) if i < len(labels) else r.randrange(len(labels))
        said = c if r.random() < 0.8 else (c + 1) % len(labels)
        lines.append(f"{labels[c]}\tabout{said} {r.choice(WORDS)} {r.choice(WORDS)}\n")
    return "".join(lines)


class Traffic:
    """Learns and asks until the block ends, so that the page has something to show each second."""

    def __init__(self, server, learn, ask, **headers):
        self.server, self.learn, self.ask, self.headers = server, learn, ask, headers
        self.ends, self.problem = threading.Event(), None
        self.thread = threading.Thread(target=self.run, daemon=True)

    def run(self):
        client = self.server.client()
        try:
            for i in range(10**9):
                if self.ends.is_set():
                    break
                for path, body in ("/learn", self.learn), ("/predict", self.ask):
                    if body and client.post(path, body(i), **self.headers).status != 200:
                        raise Failure(f"{path} was refused")
                self.ends.wait(0.1)
        except Exception as e:  # told by whoever waits
            self.problem = e
        finally:
            client.close()

    def __enter__(self):
        self.thread.start()
        return self

    def __exit__(self, kind, *_):
        self.ends.set()
        self.thread.join()
        if self.problem and not kind:
            raise Failure(f"the traffic ended: {self.problem}")


# ---- looking ---------------------------------------------------------------------------------------------------------


class Page:
    """The page in a tab, and what is asked of it."""

    def __init__(self, browser, url, keep):
        self.tab, self.keep, self.url = browser.open(url + "/"), keep, url
        with open(os.path.join(HERE, "look.js"), encoding="utf-8") as f:
            self.look = f.read()
        self.tab.evaluate(self.look)
        self.forgiven = None

    def text(self, selector="body"):
        return self.tab.evaluate(f"document.querySelector({selector!r})?.innerText ?? ''")

    def count(self, selector):
        return self.tab.evaluate(f"[...document.querySelectorAll({selector!r})].filter(e => e.getClientRects().length).length")

    def shows(self, selector, pattern):
        """Waits until it does."""
        try:
            until(f"{selector} has {pattern}", lambda: re.search(pattern, self.text(selector)))
        except Failure as e:
            raise Failure(f"{e}; it has {self.text(selector)[:500]!r}") from None

    def live(self):
        self.shows("#state", r"^\s*live$")

    def inspect(self, name, drawn=()):
        """That nothing is cut off, overlaps or is hard to read, in every width and scheme; and that these charts have lines."""
        wrong = []
        for width, scheme in LOOKS:
            self.tab.show(width, scheme=scheme)
            what = f"{name}-{width}-{scheme}"
            for question in "look.layout(8)", "look.contrast()":
                wrong += [f"{what}: {found}" for found in self.tab.evaluate(question)]
            lines = self.tab.evaluate("look.drawn()")
            wrong += [f"{what}: {chart} is empty" for chart in drawn if not lines.get(chart)]
            if (sum(self.tab.evaluate("look.paper()")) < 120) != (scheme == "dark"):
                wrong.append(f"{what}: the paper is {self.tab.evaluate('look.paper()')}")
            if self.keep:
                height = self.tab.evaluate("document.documentElement.scrollHeight")
                with open(os.path.join(self.keep, what + ".png"), "wb") as f:
                    f.write(self.tab.picture(0, 0, width, height, 1))
        check(not wrong, "\n".join(sorted(set(wrong))[:30]))

    def forgive(self, text):
        """What the browser says about answers that failed, where it has this text."""
        self.forgiven = text

    def close(self):
        """Nothing in it was run or fetched that is not its own."""
        found = [f for f in self.tab.complaints(asks_for=[self.url + "/events"]) if '"canceled": true' not in f]  # by the page itself
        if self.forgiven is not None:
            found = [f for f in found if not ("/events" in f or f.startswith("cannot load")) or self.forgiven not in f]
        check(not found, "\n".join(found[:10]))
        self.tab.close()


def unharmed(page):
    """No name became an element."""
    equal(page.tab.evaluate("document.querySelectorAll('main script, main img, main [onmouseover]').length"), 0)


# ---- cases -----------------------------------------------------------------------------------------------------------


@case
def a_stream_with_odd_names_and_drift(t, open_page):
    """Two classes; the labels turn round, and the page marks where."""
    with Served(t, "-m", "mail=m", "-f", "vw", "-a", "arow", "--drift", "adwin,window=2000") as s:
        with open_page(s.url) as page, Traffic(s, lambda i: two_classes(400, i, turned=20 <= i < 60), lambda i: two_classes(50, -i)):
            page.live()
            page.shows("#notes", "drift at example")
            page.shows("#mistakes", "predicted -?1, was -?1")
            page.shows("#heaviest", "winner|garden|school|lunch")
            until("three points", lambda: page.tab.evaluate("points.length >= 3"))
            unharmed(page)
            check(page.count("#error .alarm") >= 1, "no drift mark")
            check(page.count("#newest li") == 16, "not 16 newest features")
            page.shows("#mistakes", re.escape("<script>throw_1</script>"))
            page.inspect("mail", ("error", "rate", "nonzeros", "memory"))


@case
def three_classes_with_odd_names(t, open_page):
    labels = ["<b onclick=throw_3>bold</b>", "a\u202eb\u05d0 & co", "y" * 150]
    with Served(t, "-m", "odd=m", "-f", "text", "-a", "pa-1", "--classes", "ovr") as s:
        with open_page(s.url) as page, Traffic(s, lambda i: classes(200, labels, i), lambda i: classes(50, labels, -i)):
            page.live()
            page.shows("#mistakes", "predicted")
            page.shows("#classes", "bold")
            until("three tables", lambda: page.count("#heaviest table") == 3)
            unharmed(page)
            page.inspect("three")


@case
def hundreds_of_classes(t, open_page):
    labels = [f"topic {i:03} of the long list" for i in range(300)]
    with Served(t, "-m", "topics=m", "-f", "text", "-a", "pa-1", "--classes", "matrix") as s:
        with open_page(s.url) as page, Traffic(s, lambda i: classes(600, labels, i), lambda i: classes(300, labels, -i)):
            page.live()
            page.shows("#mistakes", "predicted")
            page.shows("#classes", "283 others")
            page.inspect("hundreds")


@case
def a_race(t, open_page):
    with Served(t, "-m", "race=m", "-f", "vw") as s:
        with open_page(s.url) as page, Traffic(s, lambda i: two_classes(200, i), lambda i: two_classes(20, -i)):
            page.live()
            page.shows("#facts", r"auto\s+its leader\s+[a-z]+[^\n]*,")
            page.shows("#heaviest", "winner")
            page.inspect("race")


@case
def an_empty_model(t, open_page):
    with Served(t, "-m", "new=m") as s, open_page(s.url) as page:
        page.live()
        for place, says in ("#heaviest", "No feature has a weight yet"), ("#newest", "No feature was seen yet"), \
                ("#mistakes", "No example was predicted wrong yet"):
            page.shows(place, says)
        check("NaN" not in page.text() and "undefined" not in page.text() and "null" not in page.text(), page.text())
        page.inspect("empty")


@case
def predictions_alone(t, open_page):
    """Nothing is learned: neither labels nor mistakes come."""
    t.write("in", two_classes(2000, 1))
    t.run("train", "-qq", "-f", "vw", "-a", "arow", "-o", "m", "in")
    with Served(t, "-m", "fixed=m", "-f", "vw", "--no-learning") as s:
        with open_page(s.url) as page, Traffic(s, None, lambda i: two_classes(50, i)):
            page.live()
            page.shows("#notes", "It does not learn: ")
            page.shows("#heaviest", "word")
            until("points of latency", lambda: page.tab.evaluate("points.filter(p => p[7]).length > 3"))
            check("NaN" not in page.text() and "undefined" not in page.text(), page.text())
            page.inspect("fixed", ("latency",))


@case
def the_token_is_asked_for(t, open_page):
    t.write("token", "a-token-of-many-letters\n")
    os.chmod(t.path("token"), 0o600)
    with Served(t, "-m", "m", "--predict-token-file", "token") as s, open_page(s.url) as page:
        page.shows("#state", "a token is needed")
        check(page.count("main") == 0 and page.count("#denied") == 0, "figures without a token, or refused at once")
        page.inspect("token")
        for token, selector, says in ("wrong", "#denied", "does not take this token"), ("a-token-of-many-letters", "#state", "^\\s*live$"):
            page.tab.evaluate(f"document.querySelector('#token').value = '{token}'; document.querySelector('#ask').requestSubmit()")
            page.shows(selector, says)
        check(page.count("#ask") == 0 and page.count("main") == 1, "it still asks")
        check("many-letters" not in page.tab.evaluate("location.href + document.documentElement.outerHTML"), "the token is in the page")
        page.forgive("401")


@case
def the_server_goes_and_comes(t, open_page):
    with Served(t, "-m", "m", "-a", "arow") as s:
        port = s.port
        with open_page(s.url) as page:
            equal(s.post("/learn", "1 1:1\n-1 2:1\n").status, 200)
            page.live()
            page.shows("#facts", "version\\s*2")
            s.end()
            page.shows("#state", "next try in")
            page.inspect("gone")
            with Served(t, "-m", "m", listen=f"127.0.0.1:{port}") as again:
                page.live()
                equal(again.post("/learn", "1 1:1\n").status, 200)
                page.shows("#facts", "version\\s*3")
            page.forgive("")


@case
def another_model_is_chosen(t, open_page):
    with Served(t, "-m", "first=1", "-m", "second=2", "-m", "a" * 64 + "=3", "-a", "arow") as s:
        equal(s.post("/learn?model=second", "1 1:1\n-1 2:1\n1 1:1\n").status, 200)
        with open_page(s.url) as page:
            page.live()
            equal(page.tab.evaluate("model"), "a" * 64)
            page.tab.evaluate("document.querySelector('#model').value = 'second'; document.querySelector('#model').dispatchEvent(new Event('change'))")
            page.shows("#facts", "version\\s*3")
            page.shows("#cards", "3 examples")
            page.inspect("models")


@case
def an_hour_of_troubles(t, open_page):
    """The events of a real server, with an hour's history, drift, Kafka that lags, and a disk that is full."""
    with Served(t, "-m", "mail=m", "-f", "vw", "-a", "arow") as s:
        equal(s.post("/learn", two_classes(3000, 1)).status, 200)
        with Recorded(s) as recorded, open_page(recorded.url) as page:
            page.live()
            page.shows("#notes", "It learns no more: ")
            page.shows("#notes", "No space left on device")
            page.shows("#notes", "drift at example")
            page.shows("#facts", "1,234,567 to come")
            check(page.count("#error .alarm") == 3, "not three drift marks")
            page.inspect("hour", ("error", "rate", "latency", "nonzeros", "queue", "memory"))


# ---- running ---------------------------------------------------------------------------------------------------------


def run_case(function, options, browser):
    with tempfile.TemporaryDirectory(prefix="sluice-live-", ignore_cleanup_errors=True) as folder:
        @contextlib.contextmanager
        def open_page(url):
            page = Page(browser, url, options.keep)
            yield page
            page.close()

        function(Context(os.path.abspath(options.sluice), folder), open_page)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sluice", required=True)
    parser.add_argument("--chromium", required=True)
    parser.add_argument("--keep", metavar="FOLDER")
    parser.add_argument("cases", nargs="*")
    options = parser.parse_args()
    if options.keep:
        os.makedirs(options.keep, exist_ok=True)
    failed = 0
    with tempfile.TemporaryDirectory(prefix="sluice-browser-", ignore_cleanup_errors=True) as profile, \
            Browser(options.chromium, profile) as browser:
        for name in options.cases or CASES:
            began = time.monotonic()
            try:
                run_case(CASES[name], options, browser)
            except (Failure, RuntimeError) as problem:
                failed += 1
                print(f"{name}: {problem}")
            else:
                print(f"{name}: as it should be ({time.monotonic() - began:.0f} s)")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
