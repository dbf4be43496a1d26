"""Looks at a page that sweep wrote: fails unless it is well-formed and stands alone."""

import re
import xml.etree.ElementTree as xml
from html.parser import HTMLParser

from harness import check, equal

VOID = {"meta", "link", "br"}


class Page(HTMLParser):
    def __init__(self):
        super().__init__(convert_charrefs=True)
        self.open, self.ids, self.words, self.scripts = [], [], [], 0
        self.points, self.legend = [], []

    def handle_starttag(self, tag, attributes):
        for name, value in attributes:
            if name == "id":
                self.ids.append(value)
            check(name != "src", f"{tag} loads {value}")
            check(name != "href" or value == "data:,", f"{tag} refers to {value}")
            check(not name.startswith("on"), f"{tag} has {name}")
        self.scripts += tag == "script"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag, attributes):
        self.handle_starttag(tag, attributes)
        self.handle_endtag(tag)

    def handle_endtag(self, tag):
        check(self.open and self.open[-1] == tag, f"</{tag}> where {self.open[-3:]} is open")
        self.open.pop()

    def handle_data(self, data):
        if not {"script", "style"} & set(self.open):
            self.words.append(data)

    @property
    def text(self):
        return "".join(self.words)


def look_at_chart(page, chart):
    for element in chart.iter():
        for name, value in element.attrib.items():
            check(not re.search(r"nan|inf", value.replace("hidden", "")), f"{element.tag} {name}={value}")
    for g in chart.iter("g"):
        if g.get("class") == "point":
            page.points.append((g.findtext("title"), sum(e.get("class") == "bar" for e in g)))
            x, y = map(float, re.fullmatch(r"translate\((\S+) (\S+)\)", g.get("transform")).groups())
            width, height = map(float, chart.get("viewBox").split()[2:])
            check(0 <= x <= width and 0 <= y <= height, f"a point outside of the picture: {x} {y}")
    page.legend = [e.text for e in chart.iter("text") if e.get("class") == "legend"]


def look(text):
    page = Page()
    page.feed(text)
    page.close()
    equal(page.open, [], "open elements")
    equal(len(page.ids), len(set(page.ids)), "ids are unique")
    check(text.startswith("<!DOCTYPE html>"), "no doctype")
    check(not re.search(r"https?:|//[a-z]|@import|url\(", text.split("<body>")[0] + text.split("<script>")[-1]), "refers to elsewhere")
    pictures = re.findall(r"<svg.*?</svg>", text, re.S)
    check(pictures, "no picture")
    for picture in pictures:
        xml.fromstring(picture)
    look_at_chart(page, xml.fromstring(pictures[0]))
    return page
