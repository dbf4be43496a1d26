#!/usr/bin/env python3
"""What /metrics says against what was counted: metrics_counted.py PROGRAM [--promtool | --prometheus-client], with
count_requests.c as the program.

With --promtool it asks `promtool check metrics` (Debian: prometheus), with --prometheus-client the parser of that package
for Python; status 77 where there is none.
"""
import math
import subprocess
import sys

sys.dont_write_bytecode = True
from prometheus_text import complaints, promtool, read, value  # noqa: E402

if "--promtool" in sys.argv and not promtool():
    print("skipped: no promtool (Debian: prometheus)")
    sys.exit(77)
if "--prometheus-client" in sys.argv:
    try:
        from prometheus_client.parser import text_string_to_metric_families as families
    except ImportError as missing:
        print(f"skipped: the parser of prometheus_client ({missing})")
        sys.exit(77)
run = subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True, timeout=300)
text = run.stdout.decode()
if "--promtool" in sys.argv:
    said = complaints(text)
    print(said)
    sys.exit(bool(said))

samples, types = read(text)
TURNS = 20 * 3000
wrong = []


def without_bounds(key):
    """Bounds of buckets are numbers, which others may write in another way."""
    name, what = key
    return name, frozenset((k, float(v) if k == "le" else v) for k, v in what)


if "--prometheus-client" in sys.argv:
    theirs = {without_bounds((s.name, frozenset(s.labels.items()))): s.value for f in families(text) for s in f.samples}
    ours = {without_bounds(key): v for key, v in samples.items()}
    for key in theirs.keys() | ours.keys():
        a, b = theirs.get(key), ours.get(key)
        if a is None or b is None or not (a == b or math.isnan(a) and math.isnan(b)):
            wrong.append(f"{key}: {b}, which prometheus_client reads as {a}")
    print("\n".join(wrong) or f"{len(theirs)} samples")
    sys.exit(bool(wrong))


def expect(wanted, name, **what):
    try:
        found = value(samples, name, **what)
    except KeyError:
        found = None
    if found is None or not (found == wanted or math.isnan(wanted) and math.isnan(found) or math.isclose(found, wanted, rel_tol=1e-9)):
        wrong.append(f"{name} {what}: {found}, expected {wanted}")


for status, n in ("200", 3), ("429", 1), ("other", 1):
    expect(n * TURNS, "sluice_http_requests_total", route="predict", status=status)
expect(2 * TURNS, "sluice_http_requests_total", route="infer", status="200")
expect(TURNS, "sluice_http_requests_total", route="none", status="404")
expect(15 * TURNS, "sluice_http_rows_total", route="predict")
for bound, n in ("1e-05", 1), ("2.5e-05", 2), ("0.001", 2), ("0.005", 3), ("5", 3), ("10", 4), ("+Inf", 5):
    found = [v for (name, what), v in samples.items() if name == "sluice_http_request_duration_seconds_bucket"
             and dict(what)["route"] == "predict" and float(dict(what)["le"]) == float(bound)]
    if found != [n * TURNS]:
        wrong.append(f"up to {bound}: {found}, expected {n * TURNS}")
expect(5 * TURNS, "sluice_http_request_duration_seconds_count", route="predict")
expect((1e-5 + 1.1e-5 + 0.003 + 9.9 + 100) * TURNS, "sluice_http_request_duration_seconds_sum", route="predict")
expect(0, "sluice_http_request_duration_seconds_count", route="learn")
FIGURES = dict(
    model_version=1000, model_learned_version=1234, model_saved_version=900, examples_total=234, mistakes_total=17, updates_total=99,
    features=5000, nonzero_features=321, evicted_features_total=12, refused_examples_total=2, model_memory_bytes=1 << 20,
    error_window_examples=1000, drift_alarms_total=3, snapshot_age_seconds=0.5, snapshot_cost_seconds=0.015,
    saved_age_seconds=20, save_cost_seconds=0.25, saves_total=8, save_failures_total=1, save_failing=1, rollbacks_total=2, reloads_total=5,
    queue_rows=7, queue_capacity_rows=10000, queue_refused_rows_total=70, learning_stopped=0, kafka_up=1, kafka_lag_messages=333,
    kafka_messages_total=11, kafka_tombstones_total=1, kafka_skipped_messages_total=6, kafka_dead_letters_total=2)
for name, wanted in FIGURES.items():
    expect(wanted, "sluice_" + name, model="spam.v2")
expect(0, "sluice_save_failing", model="classes")
if any(name.startswith("sluice_kafka") and ("model", "classes") in what for name, what in samples):
    wrong.append("a model without topics has figures of Kafka")
for over, wanted in ("all", 0.0726), ("window", 0.25), ("fading", 0.125):
    expect(wanted, "sluice_progressive_error_ratio", model="spam.v2", over=over)
    expect(math.nan, "sluice_progressive_error_ratio", model="classes", over=over)
CLASSES = [dict([("class", c)]) for c in ('a"b\\c\nd', "\ufffd", "\ufffd", "x\ufffdy", "\u05d0\u202e<b>")]
for i in 1, 2, 3:
    CLASSES[i]["number"] = i
for i, what in enumerate(CLASSES):
    expect(i + 1, "sluice_predictions_total", model="classes", **what)
expect(0, "sluice_predictions_total", model="spam.v2", **{"class": "ham"})
for number, what, n in ((63, {"class": "63"}, 63), (64, {"class": "", "number": 64}, 6464), (5, {"class": "x" * 198, "number": 5}, 55)):
    expect(n, "sluice_predictions_total", model="many", **what)
if sum(name == "sluice_predictions_total" and ("model", "many") in what for name, what in samples) != 65:
    wrong.append("not 64 classes and the rest of 70")
LABELS = dict(labels_waiting=5, labels_unsaved=1, labels_remembered_total=100, labels_unknown_total=9, label_store_failures_total=2)
HTTP = dict(http_connections=8, http_event_streams=2, http_connections_total=77, http_refused_connections_total=3,
            http_request_bytes_total=1000, http_response_bytes_total=2000)
for name, wanted in {**LABELS, **HTTP}.items():
    expect(wanted, "sluice_" + name)
for outcome, n in ("labelled", 60), ("expired", 30), ("forgotten", 5):
    expect(n, "sluice_labels_total", outcome=outcome)
expect(1, "sluice_ready")
for name in "resident_memory_bytes", "virtual_memory_bytes", "open_fds", "max_fds", "start_time_seconds":
    if not value(samples, "process_" + name) > 0:
        wrong.append(f"process_{name} is {value(samples, 'process_' + name)}")
assert any(name == "sluice_build_info" for name, _ in samples)
print("\n".join(wrong) or f"{len(samples)} samples of {len(types)} families")
sys.exit(bool(wrong))
