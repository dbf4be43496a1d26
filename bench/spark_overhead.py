#!/usr/bin/python3
"""What Spark adds: a stream of text learned by fit_files on local-cluster[2,1,1024] against two sluice processes, each with
one thread and half of it.

    PYTHONPATH=python/src build/spark-env/bin/python bench/spark_overhead.py --sluice build/release/bin/sluice [--gigabytes 3]

Prints one JSON object: seconds, and seconds of processor time, of the two processes side by side and of fits on a session
that has run one job before, by turns, and their ratios. The first fit has the workers import what they need. With --frames
also fits of data frames in memory, and what of that is Spark and Arrow alone, and what the conversion of columns.
"""
import argparse
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time

os.environ["PYSPARK_PYTHON"] = os.environ["PYSPARK_DRIVER_PYTHON"] = sys.executable
os.environ.setdefault("SPARK_LOCAL_IP", "127.0.0.1")


def make_halves(sluice, folder, size):
    """Two files of rows, each of half the size."""
    block = subprocess.run([sluice, "synth", "sparse", "-P", "rows=100000"], check=True, capture_output=True).stdout
    paths = [os.path.join(folder, f"half-{i}.svm") for i in range(2)]
    for path in paths:
        with open(path, "wb") as f:
            for _ in range(max(1, round(size / 2 / len(block)))):
                f.write(block)
    return paths


def session():
    from pyspark.sql import SparkSession

    made = SparkSession.builder.master("local-cluster[2,1,1024]")
    for name, value in {"spark.driver.bindAddress": "127.0.0.1", "spark.driver.host": "127.0.0.1", "spark.ui.enabled": "false",
                        "spark.executor.memory": "700m", "spark.driver.memory": "700m",
                        "spark.executorEnv.PYTHONPATH": os.pathsep.join(os.path.abspath(p) for p in sys.path if p)}.items():
        made = made.config(name, value)
    return made.getOrCreate()


def cpu_of_all():
    """Processor time of this process and all below it, those that have ended included."""
    parents, times = {}, {}
    for name in os.listdir("/proc"):
        if name.isdigit():
            try:
                with open(f"/proc/{name}/stat") as f:
                    fields = f.read().rsplit(")", 1)[1].split()
            except OSError:
                continue
            parents[int(name)], times[int(name)] = int(fields[1]), sum(map(int, fields[11:15]))
    mine = {os.getpid()}
    while True:
        more = {pid for pid, parent in parents.items() if parent in mine} - mine
        if not more:
            return sum(times[pid] for pid in mine if pid in times) / os.sysconf("SC_CLK_TCK")
        mine |= more


def measured(work):
    """Seconds, and seconds of processor time."""
    cpu, began = cpu_of_all(), time.monotonic()
    work()
    return round(time.monotonic() - began, 2), round(cpu_of_all() - cpu, 2)


def processes(sluice, paths, folder, learner):
    running = [subprocess.Popen([sluice, "train", "-qq", "--threads", "1", "-a", learner, "-o",
                                 os.path.join(folder, f"{i}.model"), path], stdout=subprocess.DEVNULL)
               for i, path in enumerate(paths)]
    if any(process.wait() for process in running):
        sys.exit("sluice train failed")


def drains(batches):
    """A task that takes what Arrow brings, and nothing else."""
    for _ in batches:
        pass
    return iter(())


def converts(kind):
    """A task that makes of columns what the library takes, and does not learn it."""
    def convert(batches):
        from sluiceway.spark import _rows

        for batch in batches:
            column = batch.column("features")
            if kind == _rows.LINES:
                _rows.text_of(column)
            else:
                _rows.rows_of(kind, column)
                batch.column("label").to_numpy(zero_copy_only=False)
        return iter(())

    return convert


def frames(spark, a, path, folder):
    """Data frames of the first lines of a file, in memory, in two partitions: of lines, vectors, arrays and maps."""
    from pyspark.ml.linalg import Vectors, VectorUDT
    from pyspark.sql import types as t
    from sluiceway.spark import SluiceClassifier

    with open(path, "rb") as f, open(os.path.join(folder, "rows-0.svm"), "wb") as half, \
            open(os.path.join(folder, "rows-1.svm"), "wb") as other:
        for place, line in zip(range(a.frames), f):
            (half if place % 2 else other).write(line)
    halves = [os.path.join(folder, f"rows-{i}.svm") for i in range(2)]
    lines = spark.read.text(halves).withColumnRenamed("value", "features").repartition(2).cache()
    found = {"rows": lines.count()}
    processes(a.sluice, halves, folder, a.learner)
    found["processes"] = measured(lambda: processes(a.sluice, halves, folder, a.learner))

    def columns(of, kind):
        def row(line):
            label, *words = line.features.split()
            pairs = [word.split(":") for word in words]
            return int(float(label)), of([(int(i), float(v)) for i, v in pairs])

        schema = t.StructType([t.StructField("label", t.LongType()), t.StructField("features", kind)])
        made = spark.createDataFrame(lines.rdd.map(row), schema).cache()
        made.count()
        return made

    kinds = {"lines": lines, "vectors": columns(lambda p: Vectors.sparse(1 << 30, [i - 1 for i, _ in p], [v for _, v in p]),
                                                VectorUDT()),
             "arrays": columns(lambda p: [v for _, v in p], t.ArrayType(t.DoubleType())),
             "maps": columns(lambda p: {str(i): v for i, v in p}, t.MapType(t.StringType(), t.DoubleType()))}
    for kind, frame in kinds.items():
        works = {"arrow": lambda: frame.mapInArrow(drains, "x long").count(),
                 "converted": lambda: frame.mapInArrow(converts(kind), "x long").count(),
                 "fit": lambda: SluiceClassifier(learner=a.learner, classes=[-1, 1]).fit(frame)}
        for work in works.values():
            work()
        times = {name: [] for name in works}
        for _ in range(a.repeat):
            for name, work in works.items():
                times[name].append(measured(work))
        found[kind] = {name: [round(statistics.median(one), 2) for one in zip(*times[name])] for name in works}
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--sluice", default="build/release/bin/sluice")
    parser.add_argument("--gigabytes", type=float, default=3)
    parser.add_argument("--learner", default="ssol")
    parser.add_argument("--repeat", type=int, default=5, help="turns")
    parser.add_argument("--frames", type=int, default=0, help="rows of data frames to learn, too")
    parser.add_argument("--folder", help="where the rows go; by default a temporary folder")
    a = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=a.folder) as folder:
        paths = make_halves(a.sluice, folder, a.gigabytes * 1e9)
        found = {"bytes": sum(os.path.getsize(p) for p in paths), "learner": a.learner, "load": os.getloadavg()[0]}
        processes(a.sluice, paths, folder, a.learner)  # the files are then in the page cache for both
        began = time.monotonic()
        spark = session()
        spark.sparkContext.setLogLevel("ERROR")
        spark.range(0, 4, 1, 2).mapInArrow(lambda batches: batches, "id long").count()
        found["spark_start_seconds"] = round(time.monotonic() - began, 2)
        from sluiceway.spark import SluiceClassifier

        classifier = SluiceClassifier(learner=a.learner, classes=[-1, 1])
        turns = {"processes": [], "fit_files": []}
        for _ in range(1 + a.repeat):
            turns["processes"].append(measured(lambda: processes(a.sluice, paths, folder, a.learner)))
            turns["fit_files"].append(measured(lambda: classifier.fit_files(paths, partitions=2)))
        found["turns"] = turns
        usual = {name: [statistics.median(one) for one in zip(*times[1:])] for name, times in turns.items()}
        found["ratio_first"] = round(turns["fit_files"][0][0] / usual["processes"][0], 2)
        found["ratio"], found["ratio_cpu"] = (round(usual["fit_files"][i] / usual["processes"][i], 2) for i in range(2))
        found["load_after"] = os.getloadavg()[0]
        if a.frames:
            found["frames"] = frames(spark, a, paths[0], folder)
        spark.stop()
    print(json.dumps(found))


if __name__ == "__main__":
    main()
