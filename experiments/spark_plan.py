#!/usr/bin/python3
"""How learning on a cluster scales, on paper: seconds for a number of executors, from costs measured on this machine.

    PYTHONPATH=python/src build/spark-env/bin/python experiments/spark_plan.py [--features 1000000] [--examples 1e10]

Measured here: learning (lines of 40 features, one core), merging two models (parse, merge, write), and the tree of Spark for
32 models of that size on local-cluster[2,1,1024], per model and level. Assumed: a network of 1 Gbit/s for each machine, which
carries the broadcast of the start model and the models of the tree, and 0.5 s for Spark to launch the tasks of a stage
on an executor. An executor has one core.
"""
import argparse
import json
import math
import os
import sys
import time

import numpy as np

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

from sluiceway import _sluice

FAN = 8  # as in sluiceway.spark
NETWORK = 125e6  # bytes a second
LAUNCH = 0.5


def model_of(features, seed=1):
    """A model of ssol in which every feature was learned."""
    draw = np.random.default_rng(seed)
    model = _sluice.Model("ssol", [], {})
    step = 10000
    for first in range(0, features, step):
        ids = np.arange(first, min(features, first + step), dtype=np.int64)
        indptr = np.arange(0, len(ids) + 1, 40, dtype=np.int64)
        ids = ids[:indptr[-1]]
        labels = np.where(draw.random(len(indptr) - 1) < 0.5, -1.0, 1.0)
        model.learn_csr(indptr, ids, np.ones(len(ids)), labels, None, None, None, None)
    return model


def seconds_a_line(features):
    draw = np.random.default_rng(2)
    lines = [f"{1 if i % 3 else -1} " + " ".join(f"{j}:0.5" for j in sorted(set(draw.integers(1, features, 40).tolist())))
             for i in range(20000)]
    text = ("\n".join(lines) + "\n").encode()
    model = _sluice.Model("ssol", [], {})
    for _ in range(2):
        began = time.perf_counter()
        for batch in _sluice.Reader(text, {"format": "libsvm", "threads": 1}):
            model.learn_batch(batch)
        took = time.perf_counter() - began
    return took / len(lines)


def merge_seconds(model):
    one = model.to_bytes()
    best = math.inf
    for _ in range(3):
        began = time.perf_counter()
        whole, other = _sluice.Model.from_bytes(one), _sluice.Model.from_bytes(one)
        whole.merge(other)
        whole.to_bytes()
        best = min(best, time.perf_counter() - began)
    return best, len(one)


def tree_seconds(model, parts=32):
    """Of Spark's tree, for each model and level: what it costs beside the launch of stages."""
    from pyspark.sql import SparkSession
    from sluiceway.spark import _jobs, _part_models

    made = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
                        "spark.executor.memory": "700m", "spark.driver.memory": "2g",
                        "spark.executorEnv.PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path if p)}.items():
        made = made.config(name, value)
    spark = made.getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")

    def run(one):
        sent = spark.sparkContext.broadcast(one.to_bytes())
        start = spark.sparkContext.broadcast(_sluice.Model("ssol", [], {}).to_bytes())

        def give(part):
            return _part_models.PartModel(part, 1, _sluice.Model.from_bytes(sent.value).to_bytes())

        began = time.perf_counter()
        _jobs.merge_tree(spark.sparkContext.parallelize(range(parts), parts).map(give), start)
        return time.perf_counter() - began

    small = _sluice.Model("ssol", [], {})
    small.learn_one({1: 1.0}, 1.0)
    run(small)
    found = run(model) - run(small)
    spark.stop()
    return max(0.0, found) / parts


def plan(executors, examples, line, merge, size, tree):
    """(learning, sending the start, merging) in seconds, for one round."""
    learning = examples / executors * line
    sending = size / NETWORK * math.ceil(math.log2(executors + 1)) + LAUNCH
    levels = max(1, math.ceil(math.log(max(executors, 2), FAN)))
    merging = 0.0 if executors == 1 else levels * (min(FAN, executors) * (tree + size / NETWORK) + LAUNCH)
    return learning, sending, merging


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--features", type=int, default=1000000)
    parser.add_argument("--examples", type=float, default=1e10)
    a = parser.parse_args()
    line = seconds_a_line(a.features)
    model = model_of(a.features)
    merge, size = merge_seconds(model)
    tree = tree_seconds(model)
    costs = {"features": a.features, "model_bytes": size, "microseconds_a_line": round(line * 1e6, 2),
             "merge_seconds": round(merge, 3), "tree_seconds_a_model": round(tree, 3)}
    print(json.dumps(costs))
    print("executors  learning s  start s  merging s  total s  speed-up")
    alone = sum(plan(1, a.examples, line, merge, size, tree))
    for executors in (1, 10, 100, 1000):
        parts = plan(executors, a.examples, line, merge, size, tree)
        print(f"{executors:9} {parts[0]:11.0f} {parts[1]:8.1f} {parts[2]:10.1f} {sum(parts):8.0f} {alone / sum(parts):9.1f}")


if __name__ == "__main__":
    main()
