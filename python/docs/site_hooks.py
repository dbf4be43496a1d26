"""What the site has beside its written pages: pictures, and the page of learners from the library's table."""
from __future__ import annotations

import math
import os
import re
import sys

from mkdocs.structure.files import File

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import make_pictures  # noqa: E402

PICTURE = re.compile(r"!\[([^]]*)\]\(((?:\.\./)*)pictures/([\w-]+)\.svg\)")


def on_files(files, config):
    """Adds what is made by programs."""
    files.append(File.generated(config, "reference/learners.md", content=learners_page()))
    for name, picture in make_pictures.all_pictures():
        files.append(File.generated(config, f"pictures/{name}.svg", content=picture))
    return files


def on_page_markdown(markdown, page, config, files):
    """A picture is shown in the colours of the page: there are two of each. The table of classes is filled in."""
    def both(found):
        text, up, name = found.groups()
        return "".join(f"![{text}]({up}pictures/{name}-{kind}.svg#only-{kind})" for kind in ("light", "dark"))
    return PICTURE.sub(both, markdown).replace("<!-- classes of single learners -->", heads_table())


def heads_table():
    """The classes of single learners."""
    from sluiceway import _table
    from sluiceway._heads import HEADS

    lines = ["| class | learner | what |", "|---|---|---|"]
    for name, learner in HEADS.items():
        lines.append(f"| `{name}` | [`{learner}`](learners.md#{learner}) | {_table.find(learner).summary} |")
    return "\n".join(lines)


def number(value):
    """A default or a limit, short."""
    if isinstance(value, str):
        return f'`"{value}"`'
    if math.isinf(value):
        return ""
    return f"{value:g}" if isinstance(value, float) else str(value)


def params_table(learner):
    """The parameters of a learner, as a table."""
    lines = ["| parameter | default | range | what |", "|---|---|---|---|"]
    for p in learner.params:
        if p.choices is not None:
            limits = ", ".join(f'`"{c}"`' for c in p.choices)
        else:
            low, high = number(p.minimum), number(p.maximum)
            limits = f"{low} to {high}" if low and high else f"from {low}" if low else f"to {high}" if high else ""
        lines.append(f"| `{p.key}` | {number(p.default)} | {limits} | {p.help.replace('|', chr(92) + '|')} |")
    return "\n".join(lines) if learner.params else "It has no parameters."


def learners_page():
    """Every learner with its parameters, as the library declares them."""
    from sluiceway import _table

    parts = ["""# Learners

<!-- written by site_hooks.py from the library's table -->

Every name below is a value of `learner=` in `SluiceClassifier`, `StreamClassifier`, `train`, `tune`, `sweep` and
`select`; the parameters are keyword arguments. The default learner is `auto`.

| learner | what | probabilities | merges | bytes a feature |
|---|---|---|---|---|"""]
    table = _table.learners()
    for learner in table.values():
        chances = "by the rule" if learner.flags & _table.PROBABILITY else "calibrated"
        merges = "yes" if learner.flags & _table.MERGES else ""
        size = learner.bytes_per_feature or ""
        parts.append(f"| [`{learner.name}`](#{learner.name}) | {learner.summary} | {chances} | {merges} | {size} |")
    for learner in table.values():
        parts.append(f"\n## {learner.name} {{#{learner.name}}}\n\n{learner.summary[:1].upper()}{learner.summary[1:]}.\n")
        if learner.paper:
            parts.append(f"{learner.paper}\n")
        parts.append(params_table(learner))
    return "\n".join(parts) + "\n"
