"""import: models of LIBLINEAR and Vowpal Wabbit, and tables of weights."""

from harness import check, equal, near, rows

LIBLINEAR = """solver_type L2R_L2LOSS_SVC
nr_class 2
label 7 3
nr_feature 3
bias 2
w
0.5 
0 
-1.25 
0.75 
"""
VW = """Version 9.11.9
Id 
Min label:-1
Max label:1
bits:18
lda:0
0 ngram:
0 skip:
options:{options}
Checksum: 2704463348
:1
initial_t 0
norm normalizer 5
sd::oec.weighted_labeled_examples 0
current_pass 0
{weights}"""


def weights(t, model="m"):
    return {k: float(w) for k, w in (line.split("\t") for line in t.run("inspect", "--weights", model).out.splitlines())}


def test_liblinear_margins_and_labels(t):
    t.write("l", LIBLINEAR)
    r = t.run("import", "l", "-o", "m", "--json").json()
    equal([r["predict_only"], r["nonzeros"]], [True, 3])
    equal(weights(t), {"bias": 0.75, "1": 0.5, "3": -1.25})
    out = t.run("predict", "-qq", "-m", "m", stdin="7 1:2\n3 3:4\n7 1:2 3:2 2:9\n").out
    equal(out, "7\t2.5\n3\t-3.5\n3\t0\n", "the first label is the positive one, ties go to the other")
    t.refused("train", "-i", "m", "-o", "m2", status=2, says="predict-only", stdin="7 1:1\n")


def test_logistic_regression_has_probabilities(t):
    t.write("l", LIBLINEAR.replace("L2R_L2LOSS_SVC", "L2R_LR").replace("label 7 3", "label 1 -1"))
    t.run("import", "-q", "l", "-o", "m")
    label, margin, probability = t.run("predict", "-qq", "--proba", "-m", "m", stdin="1 1:1\n").out.split("\t")
    equal([label, margin], ["1", "2"])
    near(float(probability), 0.880797, 1e-6)


def test_what_export_writes_is_read_again(t):
    data = rows(200)
    t.write("data", data)
    t.run("train", "-qq", "-a", "arow", "--bias", 1, "-o", "first", "data")
    wanted = t.run("predict", "-qq", "-m", "first", "data").out
    for to in ["liblinear", "tsv"]:
        t.run("export", "-q", "--to", to, "first", "-o", "file")
        t.run("import", "-q", "file", "-o", "m")
        equal(t.run("predict", "-qq", "-m", "m", "data").out, wanted, to)
    t.run("train", "-qq", "-a", "perceptron", "-f", "jsonl", "-o", "first", stdin=r'{"label":1,"bias":1,"a\tb":2,"c\\d":3,"17":4}')
    t.run("export", "-q", "--to", "tsv", "first", "-o", "file")
    t.run("import", "-q", "file", "-o", "m")
    equal(t.run("inspect", "--weights", "m").out, t.run("inspect", "--weights", "first").out)


def test_learning_goes_on_from_the_weights(t):
    """perceptron with the same weights makes the same steps, whoever made them."""
    one, two = rows(100, seed=1), rows(100, seed=2)
    for learner in ["perceptron", "pa", "arow", "cw"]:
        t.run("train", "-qq", "-a", learner, "-o", "first", stdin=one)
        t.run("export", "-q", "--to", "tsv", "first", "-o", "file")
        t.run("import", "-q", "-a", learner, "file", "-o", "m")
        equal(weights(t), weights(t, "first"), learner)
        t.run("train", "-qq", "-i", "m", "-o", "m", stdin=two)
        if learner in ["perceptron", "pa"]:
            t.run("train", "-qq", "-i", "first", "-o", "first", stdin=two)
            equal(weights(t), weights(t, "first"), learner)
    equal(t.run("inspect", "--json", "m").json()["examples"], 100)
    t.write("l", LIBLINEAR)
    t.run("import", "-q", "-a", "pa", "-P", "margin=2", "l", "-o", "m", status=None)
    for learner in ["ftrl", "rda", "ssol", "olsf", "arow-full", "bcw", "auto"]:
        t.refused("import", "-a", learner, "file", "-o", "n", status=1, says=[learner, "cannot begin with weights"])
    check(not t.exists("n"), "a model was written")


def test_vw_indices_and_names(t):
    t.write("v", VW.format(options="", weights="3:0.5 16 2\n116060:-0.25 4 1\n50664:1e-05 4 1\n"))
    t.run("import", "-q", "v", "-o", "m")
    equal(weights(t), {"bias": -0.25, "3": 0.5, "50664": 1e-05})
    t.write("v", VW.format(options=" --noconstant --hash all", weights="a:b:50664:0.5\nns^c:7:1.5\nConstant:116060:2\n"))
    t.run("import", "-q", "v", "-o", "m", "--positive", "spam", "--negative", "ham")
    equal(weights(t), {"a:b": 0.5, "ns^c": 1.5, "Constant": 2})
    equal(t.run("predict", "-qq", "-m", "m", "-f", "vw", stdin="|ns c\n| x\n").out, "spam\t1.5\nham\t0\n")
    for options in [" --quadratic ab", " --oaa 3", " -q ::", " --ngram 2"]:
        t.write("v", VW.format(options=options, weights="3:0.5\n"))
        t.refused("import", "v", "-o", "n", status=1, says=["v:9: ", "options"])


def test_tables(t):
    t.write("tsv", "bias\t2\n5\t1\r\n18446744073709551615\t-1e-3")
    t.run("import", "-q", "tsv", "-o", "m")
    equal(weights(t), {"bias": 2, "5": 1, "18446744073709551615": -1e-3})
    t.write("tsv", "feature\tweight\n05\t1\n\\x41\\x5c\t3\n")
    t.run("import", "-q", "tsv", "-o", "m")
    equal(weights(t), {"05": 1, "A\\x5c": 3})


def test_malformed_files_are_refused_with_their_line(t):
    for content, says in [(LIBLINEAR.replace("0.5", "x"), "l:7: a weight is no number"),
                          (LIBLINEAR.replace("0.5", "1e99"), "l:7: a weight is no number"),
                          (LIBLINEAR.replace("0.75 \n", ""), "cut short"),
                          (LIBLINEAR + "1\n", "l:11: there are more weights"),
                          (LIBLINEAR.replace("0.5", "0.5 1"), "l:7: there is not one weight"),
                          (LIBLINEAR.replace("nr_class 2", "nr_class 3"), "l:2: models of more than two classes"),
                          (LIBLINEAR.replace("L2R_L2LOSS_SVC", "L2R_L2LOSS_SVR"), "solver"),
                          (LIBLINEAR.replace("label 7 3", "label 7"), "l:3: there are not two labels"),
                          (LIBLINEAR.replace("label 7 3", "label 7 7.0"), "one class"),
                          (LIBLINEAR.replace("nr_feature 3", "nr_feature 99999999999"), "l:4: nr_feature"),
                          (LIBLINEAR.replace("bias 2\n", ""), "lacks one of"),
                          ("Version 9\nbits:18\n", "the head is cut short"),
                          (VW.format(options="", weights="300000:1\n"), "beyond the bits"),
                          (VW.format(options="", weights="3:1\na:4:1\n"), "some weights have names"),
                          ("a\t1\nb\t1\na\t2\n", "l:3: this feature has a weight already, in line 1"),
                          ("1\t1\n1\t2\n", "l:2: this feature"), ("bias\t1\nbias\t2\n", "l:2: this feature"),
                          (LIBLINEAR.replace("L2R_L2LOSS_SVC", "L9R_NEW"), "solver_type is none of LIBLINEAR's"), ("a\n", "l:1: there are not two columns"),
                          ("a\\b\t1\n", "l:1: a backslash"), ("a\tnan\n", "l:1: a weight is no number"),
                          ("a\t1\0\n", "NUL byte")]:
        t.write("l", content)
        t.refused("import", "l", "-o", "n", status=None, says=says)
    check(not t.exists("n"), "a model was written")


def test_files_without_weights_are_refused(t):
    """They are cut short, or something else than a model."""
    for content in ["", "feature\tweight\n", VW.format(options="", weights=""),
                    VW.format(options="", weights="").split("initial_t")[0], LIBLINEAR.split("w\n")[0]]:
        t.write("l", content)
        t.refused("import", "l", "-o", "n", status=1, says="sluice: l:")
    t.refused("import", "-", "-o", "n", stdin="", status=1, says="<stdin>: there are no weights in it")
    check(not t.exists("n"), "a model was written")


def test_a_feature_called_bias_is_not_the_constant_one(t):
    t.run("train", "-qq", "-a", "perceptron", "--bias", 2, "-f", "jsonl", "-o", "first",
          stdin='{"label":1,"bias":3,"a":1}\n{"label":1,"a":-9}\n')
    listed = t.run("inspect", "--weights", "first").out
    check("\\x62ias\t3\n" in listed and "bias\t" in listed, listed)
    t.run("import", "-q", "-", "-o", "m", stdin=listed)
    equal(t.run("inspect", "--weights", "m").out, listed)
    told = t.run("predict", "-qq", "-m", "first", "-f", "jsonl", "--explain", 3, stdin='{"bias":1}\n').out
    check("\t\\x62ias:3" in told and "\tbias:" in told, told)


def test_wrong_calls(t):
    t.write("l", LIBLINEAR)
    t.refused("import", "-o", "m", status=2, says="which file?")
    t.refused("import", "l", status=2, says="-o")
    t.refused("import", "l", "-o", "m", "-P", "C=1", status=2, says="-P is for the learner")
    t.refused("import", "l", "-o", "m", "--positive", "a", status=2, says="go together")
    t.refused("import", "l", "-o", "m", "--positive", "a", "--negative", "b", status=2, says="labels of its own")
    t.refused("import", "missing", "-o", "m", status=1, says="missing: cannot open")
    t.refused("import", "--from", "svm", "l", "-o", "m", status=2, says="svm")
