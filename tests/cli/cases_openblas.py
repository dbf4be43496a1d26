"""OpenBLAS where it is missing or is something else: learners that need it say so, all others work."""

import ctypes.util
import os
import shutil

from harness import check, equal, rows


def another_library():
    """A shared library that is not OpenBLAS; None where none is found."""
    for folder in ["/lib/x86_64-linux-gnu", "/usr/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/usr/lib64", "/usr/lib", "/lib"]:
        name = ctypes.util.find_library("z")
        if name and os.path.exists(os.path.join(folder, name)):
            return os.path.join(folder, name)
    return None


def with_library(t, content):
    """The environment in which this file is taken for OpenBLAS."""
    os.makedirs(t.path("lib"), exist_ok=True)
    place = t.path("lib/libopenblas.so.0")
    if isinstance(content, bytes):
        with open(place, "wb") as f:
            f.write(content)
    else:
        shutil.copy(content, place)
    return {"SLUICE_OPENBLAS": t.path("lib/libopenblas.so.0")}


def missing_is_said(t, env):
    t.write("a", rows(50))
    r = t.refused("train", "-q", "-a", "bcw", "-o", "m", "a", status=1, says=["OpenBLAS", "cannot be loaded", "install it"], env=env)
    check(not t.exists("m"), "a model was saved")
    equal(r.out, "", "stdout")
    t.refused("tune", "-q", "-a", "bcw", "--grid", "C=1,2", "--folds", 2, "a", status=1, says="OpenBLAS", env=env)
    # one that needs no matrix works: the message tells of it in the docs, and scripts may rely on it
    t.run("train", "-q", "-a", "sbcw", "-o", "m", "a", env=env)
    check(t.exists("m"), "sbcw saved no model")
    r = t.run("learners", "bcw", env=env)
    check("bcw" in r.out, r.out)


def test_a_library_that_cannot_be_loaded(t):
    missing_is_said(t, with_library(t, b""))


def test_a_library_that_is_not_openblas(t):
    other = another_library()
    if other:
        missing_is_said(t, with_library(t, other))


def test_models_that_were_learned_with_it_predict_without(t):
    t.write("a", rows(50))
    if t.run("train", "-q", "-a", "bcw", "-o", "m", "a", status=None).status != 0:
        return  # there is none on this machine, or the build has none
    with_it = t.run("predict", "-m", "m", "a").out
    equal(t.run("predict", "-m", "m", "a", env=with_library(t, b"")).out, with_it)


def test_only_the_systems_folders_are_searched(t):
    t.write("a", rows(50))
    if t.run("train", "-q", "-a", "bcw", "-o", "m", "a", status=None).status != 0:
        return  # there is none on this machine, or the build has none
    with_library(t, b"")
    t.run("train", "-q", "-a", "bcw", "-o", "again", "a", env={"LD_LIBRARY_PATH": t.path("lib")})
    equal(t.read("again"), t.read("m"), "the model")


def test_a_relative_path_is_refused(t):
    t.write("a", rows(50))
    with_library(t, b"")
    t.refused("train", "-q", "-a", "bcw", "-o", "m", "a", status=1, says=["SLUICE_OPENBLAS", "absolute path"],
              env={"SLUICE_OPENBLAS": "lib/libopenblas.so.0"})
