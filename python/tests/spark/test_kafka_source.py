"""Streams from Kafka: a broker of the tests' own, Spark's source, and a driver that is killed."""

import subprocess
import sys
from pathlib import Path

import pytest
from stream_from_kafka import run_stream
from spark_session import kafka_broker, kafka_jars, lines_of, make_rows
from sluiceway.spark import SluiceClassificationModel
from sluiceway.spark.streaming import learned_epochs


@pytest.fixture(scope="module")
def bootstrap(tmp_path_factory):
    """A broker; topics are made by their first message, with two partitions."""
    properties = {"auto.create.topics.enable": "true", "num.partitions": 2}
    try:
        broker = kafka_broker.Broker(tmp_path_factory.mktemp("kafka"), properties)
    except kafka_broker.Missing as why:
        pytest.skip(f"streams from Kafka: {why}")
    if not kafka_jars()[0]:
        pytest.skip(f"streams from Kafka: {kafka_jars()[1]}")
    with broker:
        yield broker.bootstrap


def produce(spark, bootstrap, transactions):
    """Sends lines to two partitions in turns, in transactions of (lines, whether it is committed)."""
    kafka = spark._jvm.org.apache.kafka
    settings = spark._jvm.java.util.HashMap()
    for name, value in {"bootstrap.servers": bootstrap, "transactional.id": "rows", "max.block.ms": "120000"}.items():
        settings[name] = value
    texts = [kafka.common.serialization.StringSerializer() for _ in range(2)]
    producer = kafka.clients.producer.KafkaProducer(settings, *texts)
    try:
        producer.initTransactions()
        for lines, is_committed in transactions:
            producer.beginTransaction()
            for place, line in enumerate(lines):
                producer.send(kafka.clients.producer.ProducerRecord("events", place % 2, None, line))
            producer.flush()
            producer.commitTransaction() if is_committed else producer.abortTransaction()
    finally:
        producer.close()


def test_a_stream_from_kafka_whose_driver_is_killed_is_learned_once(spark, bootstrap, tmp_path):
    lines = lines_of(make_rows(600))
    produce(spark, bootstrap, [(lines[:250], True), (lines[:150], False), (lines[250:600], True)])
    killed, whole = tmp_path / "killed", tmp_path / "whole"
    ran = subprocess.run([sys.executable, Path(__file__).with_name("stream_from_kafka.py"), bootstrap, killed],
                         capture_output=True, text=True, timeout=600)
    assert ran.returncode == -9, ran.stderr[-3000:]
    saved = (killed / "m.sluice").read_bytes()
    model = SluiceClassificationModel.from_bytes(saved)
    assert 0 < model.facts()["examples"] < 600 and learned_epochs(model.model) == {"events": 1}

    calls = []

    def notes(learn, epoch):
        learn()
        calls.append((epoch, (killed / "m.sluice").read_bytes() == saved))

    run_stream(spark, bootstrap, killed, notes)
    assert calls[0] == (1, True) and [epoch for epoch, _ in calls] == list(range(1, len(calls) + 1)) and len(calls) > 1
    model = SluiceClassificationModel.load_file(killed / "m.sluice")
    assert model.facts()["examples"] == 600  # those of the transaction that was taken back are not among them
    run_stream(spark, bootstrap, whole)
    assert (killed / "m.sluice").read_bytes() == (whole / "m.sluice").read_bytes()
