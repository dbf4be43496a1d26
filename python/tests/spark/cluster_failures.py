"""In a cluster of two executors: the model is the same after one of them was killed, and where slow tasks run twice.
Run by test_fit.py, with a folder for marks."""

import os
import signal
import sys
import time

from spark_session import lines_of, make_rows
from pyspark import TaskContext
from pyspark.sql import SparkSession
from sluiceway.spark import SluiceClassifier

folder = sys.argv[1]
builder = SparkSession.builder.master("local-cluster[2,1,1024]")
for name, value in {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
                    "spark.executor.memory": "700m", "spark.driver.memory": "700m", "spark.speculation": "true",
                    "spark.speculation.interval": "200ms", "spark.speculation.multiplier": "1.2",
                    "spark.speculation.quantile": "0.5", "spark.speculation.minTaskRuntime": "500ms",
                    "spark.executorEnv.PYTHONPATH": os.environ.get("PYTHONPATH", "")}.items():
    builder = builder.config(name, value)
spark = builder.getOrCreate()
spark.sparkContext.setLogLevel("OFF")


def first_time(name):
    """Whether this is called for the first time, in any process."""
    try:
        os.close(os.open(os.path.join(folder, name), os.O_CREAT | os.O_EXCL))
        return True
    except FileExistsError:
        return False


def parent_of(pid):
    with open(f"/proc/{pid}/stat") as f:
        return int(f.read().rsplit(")", 1)[1].split()[1])


def kills_its_executor(batches):
    for batch in batches:
        yield batch
    if TaskContext.get().partitionId() == 2 and first_time("killed"):
        pid = os.getpid()
        while os.path.basename(os.readlink(f"/proc/{pid}/exe")) != "java":
            pid = parent_of(pid)
        os.kill(pid, signal.SIGKILL)
        time.sleep(30)


def is_slow_once(batches):
    for batch in batches:
        yield batch
    if TaskContext.get().partitionId() == 3 and first_time("slow"):
        time.sleep(60)


# cut without a shuffle, from which rows may come in another order when they are read again
rows = spark.createDataFrame(spark.sparkContext.parallelize([(line,) for line in lines_of(make_rows(1200))], 4), "value string")
classifier = SluiceClassifier(learner="rda", features_col="value", classes=[-1, 1])
wanted = classifier.fit(rows)
for name, misbehaves in [("killed", kills_its_executor), ("slow", is_slow_once)]:
    began = time.monotonic()
    found = classifier.fit(rows.mapInArrow(misbehaves, rows.schema))
    assert os.path.exists(os.path.join(folder, name)), "it did not happen"
    assert found.to_bytes() == wanted.to_bytes(), f"{name}: other bytes"
    print("killed: same bytes" if name == "killed" else "speculation: same bytes", flush=True)
print("examples:", wanted.facts()["examples"])
spark.stop()
