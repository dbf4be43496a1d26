"""Runs one peer in this process and prints the seconds of its work, without the start of Python and the imports.

    peer.py vw ARGUMENTS...    one pass of Vowpal Wabbit over the file that -d names
    peer.py sklearn FILE       load_svmlight_file, then one pass of SGDClassifier
    peer.py xlearn FILE        one pass of xLearn's linear model with FTRL
    peer.py hashing FILE       lines label<TAB>text: HashingVectorizer, then one epoch of SGDClassifier
    peer.py pandas.read_csv|polars.read_csv|duckdb.read_csv|polars.read_ndjson FILE       reading alone
"""
import os
import sys
import time

peer, arguments = sys.argv[1], sys.argv[2:]
if peer == "vw":
    import vowpalwabbit
    start = time.perf_counter()
    vowpalwabbit.Workspace(arg_list=arguments).finish()  # a workspace with -d learns the whole file when it is created
elif peer == "sklearn":
    from sklearn.datasets import load_svmlight_file
    from sklearn.linear_model import SGDClassifier
    start = time.perf_counter()
    x, y = load_svmlight_file(arguments[0])
    x.indices, x.indptr = x.indices.astype("int32"), x.indptr.astype("int32")  # SGDClassifier takes no others
    SGDClassifier(loss="hinge", max_iter=1, tol=None).fit(x, y)
elif peer == "xlearn":
    os.environ.setdefault("USER", "bench")  # xLearn names its log by it and crashes without it
    import xlearn
    copy = arguments[0] + ".bin"  # xLearn writes a binary copy next to the text and would read that one the next time
    if os.path.exists(copy):
        os.remove(copy)
    start = time.perf_counter()
    model = xlearn.create_linear()
    model.setTrain(arguments[0])
    model.setQuiet()
    model.fit({"task": "binary", "opt": "ftrl", "epoch": 1, "lambda": 0.002, "lr": 0.2}, "/dev/null")
elif peer == "hashing":
    from sklearn.feature_extraction.text import HashingVectorizer
    from sklearn.linear_model import SGDClassifier
    start = time.perf_counter()
    with open(arguments[0], encoding="utf-8") as f:
        labels, texts = zip(*(line.rstrip("\n").split("\t", 1) for line in f))
    x = HashingVectorizer(n_features=1 << 22, alternate_sign=False).transform(texts)
    SGDClassifier(loss="hinge", max_iter=1, tol=None).fit(x, labels)
elif peer in ("pandas.read_csv", "polars.read_csv", "polars.read_ndjson"):
    module = __import__(peer.split(".")[0])
    start = time.perf_counter()
    getattr(module, peer.split(".")[1])(arguments[0])
elif peer == "duckdb.read_csv":
    import duckdb
    start = time.perf_counter()
    duckdb.sql(f"create table t as select * from read_csv('{arguments[0]}')")
else:
    sys.exit(f"unknown peer {peer}")
print("peer.py:", time.perf_counter() - start, "s")
