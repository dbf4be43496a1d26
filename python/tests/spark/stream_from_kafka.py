"""A stream from Kafka into a model. Run by test_kafka_source.py as a program, which is killed in mid-batch: when batch 1 is
learned and saved, and Spark has not noted it as done."""

import os
import signal
import sys
from pathlib import Path

from spark_session import make_session
from sluiceway.spark import SluiceClassifier, StreamLearner


def run_stream(spark, bootstrap, folder, around=lambda learn, epoch: learn()):
    """Learns all that is in the topic, at most 250 offsets a batch; `around` is called with what learns a batch."""
    folder = Path(folder)
    classifier = SluiceClassifier(learner="rda", features_col="value", classes=[-1, 1])
    learner = StreamLearner(classifier, folder / "m.sluice", "events")
    options = {"kafka.bootstrap.servers": bootstrap, "subscribe": "events", "startingOffsets": "earliest",
               "kafka.isolation.level": "read_committed", "maxOffsetsPerTrigger": "250"}
    query = (spark.readStream.format("kafka").options(**options).load().writeStream
             .foreachBatch(lambda batch, epoch: around(lambda: learner(batch, epoch), epoch))
             .option("checkpointLocation", str(folder / "checkpoint")).trigger(availableNow=True).start())
    assert query.awaitTermination(300), "the stream has no end"


def dies_after_batch_1(learn, epoch):
    learn()
    if epoch == 1:
        os.kill(os.getpid(), signal.SIGKILL)


if __name__ == "__main__":
    run_stream(make_session(sys.argv[2], "local[2]"), sys.argv[1], sys.argv[2], dies_after_batch_1)
