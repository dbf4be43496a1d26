#!/usr/bin/env python3
"""Whether what Grafana and Prometheus are told to ask for is there: watched_metrics.py PROGRAM, with count_requests.c as the program.

Every metric of the dashboard and of the alerts is one of /metrics, with the labels that are asked for; every expression can be
parsed (promtool), and every alert comes when it should (alerts.yml). Status 77 where there is no promtool.
"""
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
PACKAGING = os.path.join(HERE, "..", "..", "packaging")
sys.path.insert(0, os.path.join(HERE, "..", "serve"))
sys.dont_write_bytecode = True
from prometheus_text import read  # noqa: E402

samples, types = read(subprocess.run([sys.argv[1]], stdout=subprocess.PIPE, check=True, timeout=300).stdout.decode())
labels = {}
for name, what in samples:
    labels.setdefault(name, set()).update(key for key, _ in what)
wrong = []


def check(where, expression):
    """Names and labels."""
    found = re.findall(r"\b((?:sluice|process)_[a-z0-9_]+)(?:\{([^}]*)\})?", expression)
    for name, what in found:
        if name not in labels:
            wrong.append(f"{where}: there is no metric {name}")
            continue
        for key in re.findall(r"([a-z_]+)\s*(?:=~|!~|!=|=)", what or ""):
            if key not in labels[name] | {"job", "instance"}:
                wrong.append(f"{where}: {name} has no label {key}")
    return [name for name, _ in found]


with open(os.path.join(PACKAGING, "grafana", "sluice.json"), encoding="utf-8") as f:
    dashboard = json.load(f)
with open(os.path.join(PACKAGING, "prometheus-rules.yml"), encoding="utf-8") as f:
    rules = f.read()
expressions, asked = [], set()
for panel in dashboard["panels"]:
    if panel["type"] != "row" and not panel["targets"]:
        wrong.append(f"{panel['title']} asks for nothing")
    if panel.get("datasource", {}).get("uid", "${datasource}") != "${datasource}":
        wrong.append(f"{panel['title']}: its source cannot be chosen")
    for target in panel.get("targets", []):
        asked.update(check(panel["title"], target["expr"]))
        expressions.append(target["expr"])
        for key in re.findall(r"\{\{(\w+)\}\}", target["legendFormat"]):
            if not any(key in labels[n] | {"instance"} for n in check(panel["title"], target["expr"])):
                wrong.append(f"{panel['title']}: no metric has the label {key} of the legend")
for annotation in dashboard["annotations"]["list"]:
    asked.update(check("annotations", annotation["expr"]))
    expressions.append(annotation["expr"])
for variable in dashboard["templating"]["list"]:
    if variable["type"] == "query":
        check("variables", variable["query"]["query"])
alerts = check("alerts", re.sub(r"#.*", "", rules))
places = [(p["gridPos"]["x"], p["gridPos"]["y"], p["gridPos"]["w"], p["gridPos"]["h"], p["title"]) for p in dashboard["panels"]]
for i, (x, y, w, h, title) in enumerate(places):
    for x2, y2, w2, h2, other in places[:i]:
        if x < x2 + w2 and x2 < x + w and y < y2 + h2 and y2 < y + h:
            wrong.append(f"{title} lies over {other}")
if len({p["id"] for p in dashboard["panels"]}) != len(places):
    wrong.append("two panels have one id")
if len(asked) < 40 or len(alerts) < 15:
    wrong.append(f"{len(asked)} metrics in the dashboard and {len(alerts)} in the alerts: that is too few to be all")

promtool = shutil.which("promtool")
if promtool:
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "rules.json")  # JSON is YAML
        plain = [e.replace("$__rate_interval", "1m").replace("$job", "x").replace("$instance", "x").replace("$model", "x") for e in expressions]
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"groups": [{"name": "dashboard", "rules": [{"record": f"x{i}", "expr": e} for i, e in enumerate(plain)]}]}, f)
        for command in (["check", "rules", path], ["test", "rules", os.path.join(HERE, "alerts.yml")]):
            done = subprocess.run([promtool, *command], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=300)
            if done.returncode:
                wrong.append(done.stdout.decode())
    tested = set(re.findall(r"alertname: (\w+)", open(os.path.join(HERE, "alerts.yml"), encoding="utf-8").read()))
    wrong += [f"nobody tries the alert {name}" for name in sorted(set(re.findall(r"alert: (\w+)", rules)) - tested)]
print("\n".join(wrong) or f"{len(expressions)} expressions of {len(asked)} metrics, {len(alerts)} in the alerts")
if not wrong and not promtool:
    print("skipped: no promtool (Debian: prometheus)")
sys.exit(1 if wrong else 0 if promtool else 77)
