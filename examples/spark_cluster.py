#!/usr/bin/python3
"""Learns files with a cluster of Spark on this machine, two executors with a core each, and predicts with the model.

    scripts/python_env.sh spark                      an environment with pyspark; prints its interpreter
    PYTHONPATH=python/src build/spark-env/bin/python examples/spark_cluster.py [FILE.svm...]

Without files it makes one. The package must be built (scripts/python_build.sh) or installed (pip install './python[spark]').
"""
import os
import random
import sys
import tempfile

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")

from pyspark.sql import SparkSession

from sluiceway.spark import SluiceClassifier


def make_file(path, rows=20000):
    """A rule of ten features among a thousand, with noise."""
    draw = random.Random(1)
    with open(path, "w") as f:
        for _ in range(rows):
            label = draw.random() < 0.5
            ids = {draw.randrange(1, 1000) for _ in range(15)} | {2000 + 2 * draw.randrange(5) + (label != (draw.random() < 0.05))}
            f.write(f"{1 if label else -1} " + " ".join(f"{i}:1" for i in sorted(ids)) + "\n")


def session():
    """Python packages of this process are those of the executors, which are processes of the same machine."""
    made = SparkSession.builder.master("local-cluster[2,1,1024]").appName("sluice")
    for name, value in {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1",
                        "spark.executor.memory": "700m", "spark.ui.enabled": "false",
                        "spark.executorEnv.PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path if p)}.items():
        made = made.config(name, value)
    return made.getOrCreate()


def main():
    spark = session()
    spark.sparkContext.setLogLevel("ERROR")
    with tempfile.TemporaryDirectory() as folder:
        paths = sys.argv[1:]
        if not paths:
            paths = [os.path.join(folder, "rows.svm")]
            make_file(paths[0])
        model = SluiceClassifier(learner="ssol", features_col="value", timeout=600).fit_files(paths)
        facts = model.facts()
        print(f"{facts['examples']:,} examples, {facts['mistakes']:,} mistakes, {facts['nonzeros']:,} weights")
        lines = spark.read.text(paths).limit(1000)
        predicted = model.transform(lines).select("value", "prediction", "probability").collect()
        right = sum((row.value.split(" ", 1)[0] in ("1", "+1")) == (row.prediction > 0) for row in predicted)
        print(f"{right} of the first {len(predicted)} lines are predicted right")
        for row in predicted[:3]:
            print(f"{row.prediction:+.0f}  probability {row.probability[1]:.3f}  {row.value[:60]}...")
        model.save_file(os.path.join(folder, "spark.sluice"))  # sluice predict, train -i and serve take this file
    spark.stop()


if __name__ == "__main__":
    main()
