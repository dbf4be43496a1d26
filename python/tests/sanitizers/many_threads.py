"""Many threads predict with one model, then one learns meanwhile; run by python_sanitizers.sh under ThreadSanitizer.

    many_threads.py ROUNDS
"""
from __future__ import annotations

import sys
import threading

import numpy as np
from sluiceway import _sluice

THREADS, ROWS, COLUMNS, EACH = 6, 200, 300, 8


def main() -> None:
    rounds = int(sys.argv[1])
    random = np.random.default_rng(1)
    indptr = np.arange(0, EACH * (ROWS + 1), EACH, dtype=np.int32)
    indices = np.concatenate([np.sort(random.choice(COLUMNS, EACH, replace=False)) for _ in range(ROWS)]).astype(np.int32)
    values = random.standard_normal(EACH * ROWS).astype(np.float32)
    labels = np.where(random.random(ROWS) < 0.5, -1, 1).astype(np.float32)
    codes = random.integers(0, 3, ROWS).astype(np.uint32)
    words = (b"one", b"two", b"three")
    event = {f"word {i}": 1.0 for i in range(10)}

    plain = _sluice.Model("arow", (), {})
    several = _sluice.Model("pa-1", (), {"classes": 1})
    auto = _sluice.Model("auto", (), {})
    named = _sluice.Model("ssol", (), {})
    for model in (plain, auto):
        model.learn_csr(indptr, indices, values, labels, None, None, None, None)
    several.learn_csr(indptr, indices, values, codes, None, words, None, None)
    named.learn_one(event, 1.0, 1.0)

    def answers() -> tuple:
        margins, of_auto, best, wide = np.zeros(ROWS), np.zeros(ROWS), np.zeros(ROWS, dtype=np.uint32), np.zeros((ROWS, 3))
        plain.margins_csr(indptr, indices, values, None, margins)
        auto.margins_csr(indptr, indices, values, None, of_auto)
        several.classify_csr(indptr, indices, values, None, best, wide, None)
        return margins, of_auto, best, wide, named.margin_one(event), plain.facts()["examples"], plain.to_bytes()

    alone = answers()
    wrong = []

    def predict(check: bool) -> None:
        for _ in range(rounds):
            now = answers()
            if check and not all(np.array_equal(a, b) for a, b in zip(alone, now)):
                wrong.append(now)

    def learn() -> None:
        for _ in range(rounds):
            plain.learn_csr(indptr, indices, values, labels, None, None, None, None)
            auto.learn_csr(indptr, indices, values, labels, None, None, None, None)
            several.learn_csr(indptr, indices, values, codes, None, words, None, None)
            named.learn_one(event, 1.0, 1.0)

    for others in ([], [threading.Thread(target=learn)]):
        threads = [threading.Thread(target=predict, args=(not others,)) for _ in range(THREADS)] + others
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    if wrong:
        raise SystemExit(f"{len(wrong)} answers of a thread differ from those of one thread alone")
    print(f"{THREADS} threads, {2 * rounds} rounds: the same answers")


if __name__ == "__main__":
    main()
