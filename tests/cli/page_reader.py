"""Looks at a page that sluice wrote: fails unless it is well-formed and stands alone."""

import re
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from harness import check, equal

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    """points: [(what shows on pointing, bars)] of all charts; charts: the same by the chart's id, titles alone;
    tables: by caption, else by number: rows of cells."""

    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.words, self.scripts = [], [], [], 0
        self.points, self.legend, self.charts = [], [], {}
        self.tables, self.caption, self.headings = {}, None, []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            check(name != "src", f"{tag} loads {value}")
            check(name != "href" or value == "data:,", f"{tag} refers to {value}")
            check(not name.startswith("on"), f"{tag} has {name}")
        self.scripts += tag == "script"
        if tag == "table":
            self.caption = len(self.tables)
            self.tables[self.caption] = []
        elif tag == "caption":
            self.tables[""] = self.tables.pop(self.caption)
            self.caption = ""
        elif tag == "tr":
            self.tables[self.caption].append([])
        elif tag in ("td", "th"):
            self.tables[self.caption][-1].append("")
        elif tag == "h2":
            self.headings.append("")
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> where {self.open[-3:]} is open")
        self.open.pop()

    def handle_data(self, data):
        if {"script", "style"} & set(self.open):
            return
        self.words.append(data)
        if "caption" in self.open:
            self.tables[self.caption + data] = self.tables.pop(self.caption)
            self.caption += data
        elif {"td", "th"} & set(self.open):
            self.tables[self.caption][-1][-1] += data
        elif "h2" in self.open:
            self.headings[-1] += data

    @property
    def text(self):
        return "".join(self.words)

    def rows(self, caption):
        """A table of names and values."""
        return dict(self.tables[caption])


def look_at_chart(page, chart):
    width, height = map(float, chart.get("viewBox").split()[2:])
    for element in chart.iter():
        for name, value in element.attrib.items():
            check(not re.search(r"nan|inf", value.replace("hidden", "")), f"{element.tag} {name}={value}")
        x, y = float(element.get("cx", 0)), float(element.get("cy", 0))
        if place := re.fullmatch(r"translate\((\S+) (\S+)\)", element.get("transform", "")):
            x, y = map(float, place.groups())
        check(0 <= x <= width and 0 <= y <= height, f"a point outside of the picture: {x} {y}")
    titles = page.charts[chart.get("id")] = []
    for g in chart.iter("g"):
        if "point" in g.get("class", "").split():
            titles.append(g.findtext("title"))
            check(titles[-1], "a point says nothing")
            page.points.append((titles[-1], sum(e.get("class") == "bar" for e in g)))
    page.legend += [e.text for e in chart.iter("text") if e.get("class") == "legend"]


def look(text):
    page = Page()
    page.feed(text)
    page.close()
    equal(page.open, [], "open elements")
    equal(len(page.ids), len(set(page.ids)), "ids are unique")
    check(text.startswith("<!DOCTYPE html>"), "no doctype")
    check(not re.search(r"https?:|//[a-z]|@import|url\(", text.split("<body>")[0] + text.split("<script>")[-1]), "refers to elsewhere")
    for picture in re.findall(r"<svg.*?</svg>", text, re.S):
        drawn = xml.fromstring(picture)
        if drawn.get("id"):
            look_at_chart(page, drawn)
    return page
