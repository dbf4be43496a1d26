"""Reads what /metrics says, strictly: every sample belongs to a family that was declared before it, each once."""
import math
import re
import shutil
import subprocess

NAME = r"[a-zA-Z_:][a-zA-Z0-9_:]*"
SAMPLE = re.compile(rf'({NAME})(?:\{{(.*)\}})? (\S+)$', re.S)
LABEL = re.compile(r'([a-zA-Z_][a-zA-Z0-9_]*)="((?:[^"\\\n]|\\["\\n])*)"(,|$)')
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count")}


def labels(text):
    found, at = {}, 0
    while at < len(text or ""):
        m = LABEL.match(text, at)
        assert m, f"not labels: {text}"
        assert m.group(1) not in found, f"twice: {text}"
        found[m.group(1)] = re.sub(r'\\(.)', lambda e: "\n" if e.group(1) == "n" else e.group(1), m.group(2))
        at = m.end()
    return found


def read(text):
    """{(name, frozenset of labels): value}, {family: type}."""
    assert text.endswith("\n")
    samples, types, helps, family = {}, {}, {}, None
    for line in text[:-1].split("\n"):
        if line.startswith("# HELP "):
            family, what = line[7:].split(" ", 1)
            assert family not in helps and what, f"declared twice: {family}"
            helps[family] = what
        elif line.startswith("# TYPE "):
            name, kind = line[7:].split(" ")
            assert name == family and name not in types and kind in ("counter", "gauge", "histogram"), line
            types[name] = kind
        else:
            m = SAMPLE.match(line)
            assert m, f"not a sample: {line!r}"
            name = m.group(1)
            assert name == family or name in [family + s for s in SUFFIXES.get(types[family], ())], f"{name} in the family {family}"
            key = name, frozenset(labels(m.group(2)).items())
            assert key not in samples, f"twice: {line}"
            samples[key] = float(m.group(3))
    assert set(types) == set(helps)
    check_histograms(samples, types)
    return samples, types


def check_histograms(samples, types):
    series = {}
    for (name, what), value in samples.items():
        if name.endswith("_bucket") and types.get(name[:-7]) == "histogram":
            bound = float(dict(what)["le"])
            series.setdefault((name[:-7], what - {("le", dict(what)["le"])}), []).append((bound, value))
    for (name, what), buckets in series.items():
        buckets.sort()
        counts = [n for _, n in buckets]
        assert counts == sorted(counts) and math.isinf(buckets[-1][0]), (name, what)
        assert samples[name + "_count", what] == counts[-1], (name, what)


def value(samples, name, **what):
    return samples[name, frozenset((k, str(v)) for k, v in what.items())]


def promtool():
    return shutil.which("promtool")


def complaints(text):
    """What promtool says."""
    run = subprocess.run([promtool(), "check", "metrics"], input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=120)
    return run.stdout.decode() or ("" if run.returncode == 0 else f"status {run.returncode}")
