#!/usr/bin/env python3
"""What a page that is opened late is told of the past hour: first_event.py PROGRAM, with watch_hour.c as the program."""
import json
import math
import subprocess
import sys


def event(*arguments):
    text = subprocess.run([sys.argv[1], *arguments], stdout=subprocess.PIPE, check=True, timeout=300).stdout.decode()
    assert text.startswith("data: {") and text.endswith("}\n\n") and text.count("\n") == 2 and "\r" not in text, text[:200]
    return json.loads(text[6:])


def near(found, wanted, off=1e-3):
    assert math.isclose(found, wanted, rel_tol=off), (found, wanted)


told = event()
points = told["history"]["model"]
assert told["model"] == "busy" and told["every"] == 5
assert len(points) == len(told["history"]["server"]) == 720
times = [p[0] for p in points]
assert times == sorted(times)
for time, error, window, learned, predicted, nonzeros, queued in points:
    near(error, 0.25)
    assert window in (0.5, 0.125) and nonzeros == 123456789012345
    near(learned, 100)
    near(predicted, 50)
queues = [p[6] for p in points]
assert queues[-1] >= 7195 and [b - a for a, b in zip(queues, queues[1:])] == [5] * 719, "not the last hour, or not every five seconds"
for time, median, p99, requests, resident in told["history"]["server"]:
    assert 0.0008 <= median <= 0.001, median  # of predictions alone: learning took 5 s
    assert 0.0008 <= p99 <= 1, p99
    near(requests, 200)
    assert resident > 0
busy = told["models"]["busy"]
near(busy["learned"], 100)
near(busy["predicted"], 50)
assert busy["examples"] == 720000 and busy["window_error"] == 0.5 and busy["drift_alarms"] == 49
quiet = told["models"]["quiet"]
assert quiet["error"] is None and quiet["learned"] == 0
details = told["details"]
assert details["model"] == "busy" and details["newest"] == [{"feature": "a\u2028b"}] and details["mistakes"] == []
assert [c[0] for c in details["classes"]] == ["ham", '<b>\ufffd"\n'] and details["classes"][1][1] == 144000
alarms = details["alarms"]
assert len(alarms) == 32 and [a[1] for a in alarms] == [100 * (s + 1) for s in range(4000, 7200, 100)], alarms[:3]
assert all(a[2:] == [0.1, 0.2] for a in alarms)

told = event("at once")
assert told["history"] == {"model": [], "server": []} and told["details"]["alarms"] == [] and told["models"]["busy"]["learned"] is None
