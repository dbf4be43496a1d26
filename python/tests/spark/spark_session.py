"""The session of Spark that all of these tests share, and their data."""

import os
import sys
from pathlib import Path

import pytest

pytest.importorskip("pyspark")
import numpy as np
from pyspark.sql import SparkSession

sys.path.insert(0, str(Path(__file__).resolve().parents[3] / "tests" / "kafka"))
import broker as kafka_broker
import spark_source

os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable


def kafka_jars():
    """The jars of Spark's Kafka source, or why they cannot be had."""
    try:
        return spark_source.jars(), ""
    except kafka_broker.Missing as why:
        return [], str(why)


def make_session(folder, master="local[2,4]"):
    """A session whose files are in a folder. local[2,4]: two cores; a task may fail three times."""
    jars, _ = kafka_jars()
    builder = SparkSession.builder.master(master).config("spark.jars", ",".join(jars))
    for name, value in {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
                        "spark.driver.memory": "1g", "spark.sql.shuffle.partitions": "2",
                        "spark.sql.warehouse.dir": str(folder)}.items():
        builder = builder.config(name, value)
    made = builder.getOrCreate()
    made.sparkContext.setLogLevel("OFF")
    return made


@pytest.fixture(scope="session")
def spark(tmp_path_factory):
    made = make_session(tmp_path_factory.mktemp("warehouse"))
    yield made
    made.stop()


def make_rows(n, seed=1):
    """(label, ids) of rows that a linear rule divides, with noise."""
    rng = np.random.default_rng(seed)
    rows = []
    for _ in range(n):
        label = 1 if rng.random() < 0.5 else -1
        ids = set(rng.integers(1, 60, 5).tolist())
        ids |= {100 + 2 * int(k) + (label > 0) for k in rng.integers(0, 15, 3)}
        rows.append((label if rng.random() < 0.95 else -label, sorted(ids)))
    return rows


def lines_of(rows):
    """Rows as LIBSVM text."""
    return [f"{label} " + " ".join(f"{i}:1" for i in ids) for label, ids in rows]


@pytest.fixture(scope="session")
def rows():
    return make_rows(1200)


@pytest.fixture(scope="session")
def lines(spark, rows):
    """The rows as a data frame of lines, in four partitions."""
    made = spark.createDataFrame([(line,) for line in lines_of(rows)], "value string").repartition(4).cache()
    made.count()
    return made


@pytest.fixture(scope="session")
def table(spark, rows):
    """The rows as vectors, arrays and maps, with labels of words and weights, in three partitions."""
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql import types as t

    schema = t.StructType([t.StructField("label", t.StringType()), t.StructField("number", t.IntegerType()),
                           t.StructField("weight", t.DoubleType()), t.StructField("vector", VectorUDT()),
                           t.StructField("array", t.ArrayType(t.FloatType())),
                           t.StructField("map", t.MapType(t.StringType(), t.DoubleType()))])
    found = []
    for place, (label, ids) in enumerate(rows):
        dense = [float(i + 1 in ids) for i in range(140)]
        vector = Vectors.dense(dense) if place % 4 == 0 else Vectors.sparse(140, [i - 1 for i in ids], [1.0] * len(ids))
        found.append(("yes" if label > 0 else "no", 7 if label > 0 else 3, 1.0 + place % 2, vector, dense,
                      {f"w{i}": 1.0 for i in ids}))
    made = spark.createDataFrame(found, schema).repartition(3).cache()
    made.count()
    return made
