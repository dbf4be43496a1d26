#!/usr/bin/env python3
"""learn_one and predict_one of dicts: sluiceway's StreamClassifier beside river, in one run on one machine.

Two streams, drawn with a seed and cycled: `rule` (5,000 events of 20 out of 2,000 names, a noisy linear rule) and `many`
(500 events of 20 out of 100,000 names, random labels). Processor time of the process in microseconds an event, the loop
over the events included, the best of --rounds, in every round every classifier. Of auto the first thousand events and
those from the ten thousandth on are measured apart: it begins with 30 candidates. `ovr` is one against the rest from the
start. Needs sluiceway and river.

    python bench/python_streams.py --rounds 5
"""
import argparse
import json
import platform
import random
import time

from sluiceway import StreamClassifier, _sluice

VALUES = 20


def rule_events(events=5000, names=2000, seed=1):
    drawn = random.Random(seed)
    weights = [drawn.uniform(-1, 1) for _ in range(names)]
    for _ in range(events):
        keys = drawn.sample(range(names), VALUES)
        x = {f"f{k}": drawn.random() for k in keys}
        yield x, sum(weights[k] * v for k, v in zip(keys, x.values())) + drawn.uniform(-0.5, 0.5) > 0


def many_events(events=500, names=100_000, seed=2):
    drawn = random.Random(seed)
    for _ in range(events):
        yield {f"name{k}": drawn.random() for k in drawn.sample(range(names), VALUES)}, drawn.random() < 0.5


def learn(model, events, n):
    """Microseconds an event to learn n of them."""
    start = time.process_time()
    for _ in range(n // len(events)):
        for x, y in events:
            model.learn_one(x, y)
    for x, y in events[: n % len(events)]:
        model.learn_one(x, y)
    return (time.process_time() - start) / n * 1e6


def predict(model, events, n):
    """Microseconds an event to predict n of them."""
    start = time.process_time()
    for _ in range(n // len(events)):
        for x, _ in events:
            model.predict_one(x)
    return (time.process_time() - start) / n * 1e6


def measure(make, events, n):
    """(first thousand events, the later ones, predicting)"""
    model = make()
    first = learn(model, events, 1000) if len(events) > 1000 else float("nan")
    learn(model, events, 10_000)
    return first, learn(model, events, n), predict(model, events, n)


def classifiers():
    from river import linear_model

    yield "river LogisticRegression", linear_model.LogisticRegression
    yield "river PAClassifier", linear_model.PAClassifier
    for learner in ("auto", "pa-1", "ssol", "arow", "ftrl"):
        yield f"sluice {learner}", lambda learner=learner: StreamClassifier(learner)
    for learner in ("auto", "ssol", "ftrl"):
        yield f"sluice {learner}, ovr", lambda learner=learner: StreamClassifier(learner, multiclass="ovr")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--events", type=int, default=100_000, help="events of a measurement")
    parser.add_argument("--json", action="store_true")
    args = parser.parse_args()
    import river

    results = {}
    for stream, made in (("rule", rule_events), ("many", many_events)):
        events = list(made())
        for _ in range(args.rounds):
            for name, make in classifiers():
                found = measure(make, events, args.events)
                best = results.get((stream, name), found)
                results[stream, name] = tuple(min(a, b) for a, b in zip(found, best))
    if args.json:
        print(json.dumps([{"stream": s, "classifier": c, "first": t[0], "learn_one": t[1], "predict_one": t[2]}
                          for (s, c), t in results.items()]))
        return
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, river {river.__version__}, "
          f"sluice {_sluice.version()}; us of processor time an event of {VALUES} names")
    for stream in ("rule", "many"):
        base = results[stream, "river LogisticRegression"]
        print(f"\n{stream:<26}{'first 1,000':>12}{'learn_one':>11}{'of river LR':>13}{'predict_one':>13}{'of river LR':>13}")
        for (of, name), (first, learned, predicted) in results.items():
            if of == stream:
                print(f"{name:<26}{first:12.2f}{learned:11.2f}{learned / base[1]:13.2f}{predicted:13.2f}"
                      f"{predicted / base[2]:13.2f}")


if __name__ == "__main__":
    main()
