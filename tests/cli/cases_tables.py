"""Tables: separators, columns and keys that are features, text in columns, cells that say that a value is missing."""

import gzip
import json
import subprocess

from harness import check, equal, rows

TABLE = "id;label;age;note;town\n" + "".join(
    f'{i};{i % 2};{"NA" if i % 5 == 0 else i % 7};"{"Good, dog" if i % 2 else "bad; cat"}";{"Bonn" if i % 3 else "null"}\n'
    for i in range(60))


def refused_for_good(t, *command, says, stdin=b""):
    """Refused, and leaving lines out is not suggested."""
    r = t.refused(*command, status=1, says=says, stdin=stdin)
    check("on-error" not in r.err, r.err)


def rows_of(t, *command):
    return [json.loads(line) for line in t.run("convert", "-q", *command, "--to", "jsonl").out.splitlines()]


def test_separators_are_guessed_or_given(t):
    t.write("a.csv", TABLE)
    want = rows_of(t, "a.csv", "--ignore", "note")
    equal(want[0], {"label": 0, "id": 0})
    equal(want[1], {"label": 1, "id": 1, "age": 1, "town=Bonn": 1})
    for name, separator in ("tab", "\t"), ("bar", "|"), (":", ":"), ("\\t", "\t"), ("semicolon", ";"):
        t.write("b.csv", TABLE.replace(";", separator))
        equal(rows_of(t, "b.csv", "--ignore", "note", "--separator", name), want, name)
        if name != ":":
            equal(rows_of(t, "b.csv", "--ignore", "note"), want, name)
    t.write("a.tsv", TABLE)  # .tsv says that it has tabs
    refused_for_good(t, "convert", "a.tsv", "--to", "jsonl", says=["a single column", "--separator ';'"])
    equal(rows_of(t, "a.tsv", "--separator", ";", "--ignore", "note"), want)
    for wrong in "x", "space", "ab", ".":
        t.refused("convert", "a.csv", "--to", "jsonl", "--separator", wrong, status=2, says="tab, comma, semicolon, bar")


def test_a_model_remembers_separator_and_columns(t):
    t.write("a.csv", TABLE.replace(";", ":"))
    options = ["--separator", ":", "--ignore", "id,t*", "--text", "note", "--ngrams", 2]
    t.run("train", "-q", "-a", "arow", *options, "a.csv", "-o", "m")
    names = t.run("inspect", "--weights", "m").out
    check("note=good dog" in names and "town" not in names and "id" not in names, names)
    settings = t.run("inspect", "--json", "m").json()["settings"]
    equal((settings["separator"], settings["ignore"], settings["text"], settings["columns"]), (":", "id,t*", "note", None))
    equal(t.run("test", "-m", "m", "--json", "a.csv").json()["mistakes"], 0)
    t.write("b.csv", TABLE)  # another separator, for this run alone
    equal(t.run("predict", "-m", "m", "--separator", ";", "b.csv").out, t.run("predict", "-m", "m", "a.csv").out)
    t.run("train", "-q", "-i", "m", "-o", "m2", "a.csv")
    t.write("twice.csv", TABLE.replace(";", ":") + TABLE.replace(";", ":").split("\n", 1)[1])
    t.run("train", "-q", "-a", "arow", *options, "--threads", 3, "twice.csv", "-o", "once")
    equal(t.read("m2"), t.read("once"), "resumed")
    t.run("train", "-q", "-i", "m", "-o", "m3", "--text", "note", "a.csv")
    equal(t.read("m3"), t.read("m2"), "the same again")
    t.refused("train", "-i", "m", "--ignore", "id", "a.csv", status=2, says=["--ignore id", "goes on with its own"])
    t.run("train", "-q", "-a", "arow", "--separator", ":", "--text", "note", "--ngrams", 2, "a.csv", "-o", "all")
    t.refused("merge", "m", "all", "-o", "c", status=1, says="--ignore")


def test_only_the_columns_that_are_named(t):
    t.write("a.csv", TABLE)
    equal(rows_of(t, "a.csv", "--columns", "a*,town")[1], {"label": 1, "age": 1, "town=Bonn": 1})
    equal(rows_of(t, "a.csv", "--columns", "a*,town", "--ignore", "*n")[1], {"label": 1, "age": 1})
    t.write("a.jsonl", "".join('{"label": %d, "id": %d, "m": {"a": 1, "b": "x y"}}\n' % (i % 2, i) for i in range(4)))
    equal(rows_of(t, "a.jsonl", "--columns", "m", "--ignore", "m.a", "--text", "m.*", "--tf", "count")[1],
          {"label": 1, "m.b=x": 0.70710677, "m.b=y": 0.70710677})


def test_names_that_no_input_has_are_refused(t):
    t.write("a.csv", TABLE)
    t.write("b.csv", "label,note,extra\n1,x,2\n")
    t.write("a.jsonl", '{"label": 1, "m": {"a": 1}}\n' * 3)
    refused_for_good(t, "train", "-q", "a.csv", "--ignore", "agee",
                     says="a.csv:1:1: ignore: there is no column 'agee'; did you mean 'age'? There are 'id', 'label', 'age'")
    t.refused("check", "a.csv", "--text", "nota", status=1, says="did you mean 'note'")
    t.refused("train", "-q", "a.jsonl", "--columns", "m.a,m.b", status=1, says="no input has the column or key 'm.b'; did you mean 'm.a'?")
    equal(len(rows_of(t, "a.csv", "b.csv", "--ignore", "extra,note,age")), 61)  # each is in one of the inputs
    equal(len(rows_of(t, "b.csv", "a.csv", "--ignore", "extra,id")), 61)
    t.refused("train", "-q", "b.csv", "a.csv", "--ignore", "extra,idd", status=1, says="a.csv:1:1: ignore: there is no column 'idd'")
    equal(len(rows_of(t, "a.csv", "--ignore", "x*")), 60)  # a pattern need not match
    t.write("empty.csv", "")
    t.run("check", "-q", "empty.csv", "--ignore", "x")
    t.write("a.svm", "1 1:1\n")
    t.refused("train", "-q", "a.svm", "--ignore", "1", status=1, says="for csv and jsonl; this is libsvm")
    t.refused("train", "-q", "a.csv", "--ignore", "a,,b", status=2, says="a name is missing")
    t.refused("train", "-q", "a.csv", "--ignore", "x" * 5000, status=2, says="use patterns")
    t.run("train", "-q", "a.csv", "--ignore", "id", "-o", "m")
    t.run("predict", "-m", "m", "b.csv")  # a model's names need not be in every input


def test_missing_columns_are_told_with_those_there_are(t):
    t.write("a.csv", TABLE)
    refused_for_good(t, "train", "-q", "--label", "labl", "a.csv",
                     says="a.csv:1:1: there is no column 'labl' for the label; did you mean 'label'? There are 'id', 'label', 'age', 'note', 'town'")
    t.refused("train", "-q", "--weight", "zzz", "a.csv", status=1, says="for the weight; there are 'id'")
    t.write("wide.csv", "label," + ",".join(f"column{i}" for i in range(3000)) + "\n")
    t.refused("train", "-q", "--label", "colum7", "wide.csv", status=1, says=["did you mean 'column7'?", "more"])
    t.write("a.jsonl", '{"Label": 1, "a": 2}\n')
    t.refused("train", "-q", "a.jsonl", status=1, says="there is no key 'label' for the label; did you mean 'Label'? There are 'Label', 'a'")


def test_columns_that_match_nothing_are_refused(t):
    t.write("a.csv", TABLE)
    t.write("a.jsonl", '{"label": 1, "a": 2}\n')
    t.refused("train", "-q", "--separator", ";", "--columns", "zz*,y?", "a.csv", status=1, says=["columns: there is no column 'zz*'", "here are"])
    t.refused("train", "-q", "--columns", "zz*", "a.jsonl", status=1, says="columns: no input has the column or key 'zz*'")
    t.run("check", "-q", "--columns", "zz*,a", "a.jsonl")
    t.run("check", "-q", "--ignore", "zz*", "a.jsonl")


def test_check_takes_the_same_options(t):
    t.write("a.csv", TABLE)
    plain = t.run("check", "-q", "--json", "a.csv").json()
    split = t.run("check", "-q", "--json", "--ignore", "id", "--text", "note", "--separator", ";", "a.csv").json()
    equal((plain["features"], split["features"]), (5, 6))  # id, age, two notes, a town; age, four words, a town
    equal(split["malformed"], 0)


def test_formats_that_are_not_read_are_answered_with_a_command_that_helps(t):
    t.write("a.csv", TABLE)
    text = open(t.path("a.csv"), encoding="utf-8").read()
    for code, name in ("utf-16", "UTF-16"), ("utf-16-le", "UTF-16LE"), ("utf-16-be", "UTF-16BE"):
        t.write("b.csv", text.encode(code))
        refused_for_good(t, "check", "b.csv", says=f"b.csv:1:1: this text is UTF-16, which is not read: iconv -f {name} -t UTF-8 b.csv > new.csv")
        out = subprocess.run(["iconv", "-f", name, "-t", "UTF-8", t.path("b.csv")], capture_output=True, check=True).stdout
        equal(out.decode().removeprefix("\ufeff"), text, name)
    for code in "utf-32", "utf-32-le", "utf-32-be":
        t.write("b.csv", text.encode(code))
        r = refused_for_good(t, "check", "b.csv", says=f"b.csv:1:1: this text is UTF-32, which is not read: iconv -f {code.upper().replace('32-', '32')}")
    t.write("b.csv", "label,a\r1,2\r0,3\r")
    refused_for_good(t, "check", "b.csv", says="b.csv:1:8: a carriage return within the header: where lines end with CR alone, tr '\\r' '\\n' makes")
    items = [{"label": i % 2, "a": i} for i in range(9)]
    for array in json.dumps(items), json.dumps(items, indent=1):
        for name in "a.json", "noending":
            t.write(name, array)
            refused_for_good(t, "check", name, says=f"{name}:1:1: this is a JSON array; JSON Lines are one object a line: jq -c '.[]' {name} > new.jsonl")
    t.write("new.jsonl", json.dumps(items))  # what it reads is not what it writes
    refused_for_good(t, "check", "new.jsonl", says="jq -c '.[]' new.jsonl > other.jsonl")
    t.write("a.json.gz", gzip.compress(json.dumps(items).encode()))  # which jq does not take
    refused_for_good(t, "check", "a.json.gz", says="jq -c '.[]' FILE > new.jsonl")
    t.write("b.json", json.dumps(items[0], indent=2))
    refused_for_good(t, "check", "b.json", says="b.json:1:1: this object has several lines; JSON Lines are one object a line: jq -c . b.json")
    t.write("lines", "".join(json.dumps(x) + "\n" for x in items))
    refused_for_good(t, "check", "lines", says="this looks like JSON Lines, and is read as libsvm: say -f jsonl")
    equal(t.run("check", "-q", "--json", "-f", "jsonl", "lines").json()["rows"], 9)
    for text, form in [("label,a,b\n1,2,3\n", "csv"), ("a;b\n1;2\n", "csv"), ("y\ta\tb\n1\t2\t3\n", "csv"), ("1,first name\n", "csv"),
                       ("spam\tfree prize at 12:30\n", "text"), ("1\thttp://x.org/\n", "url")]:
        refused_for_good(t, "train", says=["<stdin>:1:1: this looks like", f"read as libsvm: say -f {form}; if it is"], stdin=text)
        t.run("check", "-q", "-f", "libsvm", stdin=text)
    for text in "a,b 1:2\n", "1\n", "1\t1:2\n", "x # a, b\n", "# a,b\n1 1:2\n", "1\tqid:2\n":
        equal(t.run("check", "-q", "--json", stdin=text).json()["malformed"], 0, text)
    for begin, says in ((b"PAR1\x15\x04", ["Parquet", "read_parquet('a b')"]), (b"ARROW1\0\0", ["Arrow", "read_feather"]),
                        (b"PK\3\4\x14", ["zip archive", "unzip -p"])):
        t.write("x.dat", begin + bytes(100))
        refused_for_good(t, "check", "x.dat", says=[part.replace("a b", "x.dat") for part in says])
        t.write("a b", begin + bytes(100))
        refused_for_good(t, "check", "a b", says=[part.replace("a b", "FILE") for part in says])
    t.write("x.xlsx", b"PK\3\4\x14" + bytes(100))
    refused_for_good(t, "check", "x.xlsx", says="read_excel('x.xlsx')")
