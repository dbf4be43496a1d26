"""The jars of Spark's Kafka source, for the tests of sluiceway.spark."""
import glob
import os

import broker


def jars(cache=broker.CACHE):
    """Their paths; broker.Missing, with the reason, where they cannot be had."""
    folder = broker.fetched("spark", os.path.join(broker.HERE, "spark-pom.xml"), cache)
    return sorted(glob.glob(os.path.join(folder, "jars", "*.jar")))
