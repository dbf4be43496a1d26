"""read_svm and write_svm: matrices from and to LIBSVM files."""

import bz2
import doctest
import gzip
import io
import lzma
import os
import shutil
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

sparse = pytest.importorskip("scipy.sparse")

import sluiceway
from sluiceway import _sluice, read_svm, svm, write_svm


def random_rows(rows=300, columns=500, seed=0):
    """A sparse matrix of floats and labels of -1 and 1."""
    rng = np.random.default_rng(seed)
    X = sparse.random(rows, columns, density=0.02, format="csr", dtype=np.float32, random_state=rng)
    return X, rng.choice([-1.0, 1.0], rows)


def same(A, B):
    return (
        A.shape == B.shape
        and (A.indptr == B.indptr).all()
        and (A.indices == B.indices).all()
        and (A.data == B.data).all()
    )


def test_what_is_written_reads_back(tmp_path):
    X, y = random_rows()
    write_svm(tmp_path / "a.svm", X, y)
    Z, z = read_svm(tmp_path / "a.svm", n_features=X.shape[1])
    assert same(X, Z) and (y == z).all()
    assert Z.dtype == np.float32 and Z.indices.dtype == np.int32 and z.dtype == np.float64


def displaced(array):
    """The same array one byte beside the places of its type."""
    room = np.zeros(array.nbytes + 1, np.uint8)[1:].view(array.dtype)
    room[:] = array
    assert not room.flags.aligned
    return room


def test_arrays_that_are_not_aligned_are_written(tmp_path):
    X, y = random_rows()
    X.indptr, X.indices, X.data = displaced(X.indptr), displaced(X.indices), displaced(X.data)
    write_svm(tmp_path / "a.svm", X, displaced(y))
    Z, z = read_svm(tmp_path / "a.svm", n_features=X.shape[1])
    assert same(X, Z) and (y == z).all()


def test_several_files_are_one_matrix(tmp_path):
    X, y = random_rows()
    write_svm(tmp_path / "a.svm", X[:100], y[:100])
    write_svm(tmp_path / "b.svm", X[100:], y[100:])
    Z, z = read_svm([tmp_path / "a.svm", str(tmp_path / "b.svm")], n_features=X.shape[1])
    assert same(X, Z) and (y == z).all()


@pytest.mark.parametrize("compress", [gzip.compress, bz2.compress, lzma.compress], ids=["gzip", "bzip2", "xz"])
def test_compressed_files_are_recognised_by_content(tmp_path, compress):
    X, y = random_rows()
    write_svm(tmp_path / "a.svm", X, y)
    (tmp_path / "packed").write_bytes(compress((tmp_path / "a.svm").read_bytes()))
    Z, z = read_svm(tmp_path / "packed", n_features=X.shape[1])
    assert same(X, Z) and (y == z).all()


@pytest.mark.skipif(not shutil.which("zstd"), reason="there is no zstd to compress with")
def test_zstd_is_recognised_by_content(tmp_path):
    X, y = random_rows()
    write_svm(tmp_path / "a.svm", X, y)
    subprocess.run(["zstd", "-q", tmp_path / "a.svm", "-o", tmp_path / "packed"], check=True)
    assert same(X, read_svm(tmp_path / "packed", n_features=X.shape[1])[0])


def test_equals_scikit_learn(tmp_path):
    datasets = pytest.importorskip("sklearn.datasets")
    X, y = random_rows(seed=3)
    write_svm(tmp_path / "a.svm", X, y)
    theirs, labels = datasets.load_svmlight_file(str(tmp_path / "a.svm"), dtype=np.float32, zero_based=False)
    ours, own = read_svm(tmp_path / "a.svm")
    assert same(ours, theirs) and (own == labels).all()


def test_file_objects_and_iterables_of_lines():
    lines = ["1 1:0.5 3:2", "0 2:1"]
    want, y = read_svm(lines)
    for source in (
        iter(lines),
        io.StringIO("\n".join(lines)),
        io.BytesIO("\n".join(lines).encode()),
        (l.encode() for l in lines),
    ):
        got, z = read_svm(source)
        assert same(want, got) and (y == z).all()


def test_explicit_zeros_stay():
    X, _ = read_svm(["1 1:0 2:3"])
    assert X.nnz == 2 and X.data.tolist() == [0, 3]


def test_zero_based_ids():
    with pytest.raises(ValueError, match=r"<lines>:2: id 0.*zero_based=True"):
        read_svm(["1 1:1", "0 0:1"])
    X, _ = read_svm(["1 1:1", "0 0:1"], zero_based=True)
    assert X.toarray().tolist() == [[0, 1], [1, 0]]


def test_ids_beyond_31_bits_make_a_matrix_of_64_bit_columns():
    X, _ = read_svm(["1 1:1", "0 7:1 5000000000:2"])
    assert X.shape == (2, 5_000_000_000) and X.indices.dtype == np.int64 and X.indices.tolist() == [0, 6, 4_999_999_999]
    with pytest.raises(ValueError, match=":1: an id that is too large for a column of a matrix"):
        read_svm(["1 18446744073709551615:1"])


def test_labels_as_written():
    assert read_svm(["0 1:1", "-1 1:1", "1 1:1"])[1].tolist() == [0, -1, 1]
    assert read_svm(["0.1 1:1", "1 1:1", "3 1:1"])[1].tolist() == [0.1, 1, 3]
    words = read_svm(["spam 1:1", "1 1:1", "-1 1:1", "ham 1:1", "spam 1:1"])[1]
    assert words.tolist() == ["spam", "1", "-1", "ham", "spam"]


@pytest.mark.parametrize("y", [["a", "b", "a"], [3, 1, 2], [0.25, 1, 7.0], [True, False, True]])
def test_labels_of_any_kind_are_written(tmp_path, y):
    X, _ = random_rows(3)
    write_svm(tmp_path / "a", X, y)
    assert read_svm(tmp_path / "a")[1].tolist() == y


def test_malformed_lines_have_their_place(tmp_path):
    path = tmp_path / "bad.svm"
    path.write_text("1 1:1\n0 2:x\n1 3:1\n")
    with pytest.raises(ValueError, match=r"bad\.svm:2:\d+: "):
        read_svm(path)
    X, y = read_svm(path, on_error="skip")
    assert X.shape == (2, 3) and y.tolist() == [1, 1]


@pytest.mark.parametrize("line", ["1 1:nan", "1 1:inf", "1 1:1e39", "1 1:1 1:2", "nan 1:1", "1 -1:1"])
def test_what_is_no_data_is_a_value_error(line):
    with pytest.raises(ValueError, match="<lines>:1:"):
        read_svm([line, "1 1:1"])


def test_wrong_arguments(tmp_path):
    with pytest.raises(FileNotFoundError):
        read_svm(tmp_path / "none.svm")
    with pytest.raises(TypeError, match="line of text"):
        read_svm([3])
    with pytest.raises(ValueError, match="n_features is 2"):
        read_svm(["1 1:1 3:1"], n_features=2)
    with pytest.raises(ValueError, match="names"):
        read_svm(["1 | a b"], format="vw")
    with pytest.raises(ValueError, match="on_error"):
        read_svm(["1 1:1"], on_error="no")
    X, y = random_rows()
    with pytest.raises(ValueError, match="rows"):
        write_svm(tmp_path / "a.svm", X, y[1:])
    with pytest.raises(ValueError, match="NaN"):
        write_svm(tmp_path / "a.svm", X[:2], [1, np.nan])
    with pytest.raises(OSError):
        write_svm(tmp_path / "no" / "folder", X, y)
    assert list(tmp_path.iterdir()) == []


def test_a_closed_stream():
    stream = io.StringIO("1 1:1")
    stream.close()
    with pytest.raises(ValueError, match="closed"):
        read_svm(stream)
    reader = _sluice.Reader(b"1 1:1\n", {})
    reader.close()
    with pytest.raises(ValueError, match="closed"):
        next(reader)


def test_an_exception_of_the_lines_comes_through():
    def lines():
        yield "1 1:1"
        raise KeyError("gone")

    with pytest.raises(KeyError, match="gone"):
        read_svm(lines())


def test_the_iterable_is_interrupted_at_once():
    def lines():
        yield "1 1:1"
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        read_svm(lines())


def test_lines_that_give_no_rows_are_interrupted():
    class Stop(Exception):
        pass

    def stop(signum, frame):
        raise Stop

    lines, whole = b"1 x\n" * (1 << 21), 0
    while whole < 1:  # a second for all of them
        lines += lines
        start = time.monotonic()
        assert sum(b.rows for b in _sluice.Reader(lines, {"skip_errors": True})) == 0
        whole = time.monotonic() - start
    before = signal.signal(signal.SIGALRM, stop)
    try:
        start = time.monotonic()
        signal.setitimer(signal.ITIMER_REAL, whole / 20)
        with pytest.raises(Stop):
            list(_sluice.Reader(lines, {"skip_errors": True}))
        assert time.monotonic() - start < whole / 2
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def test_waiting_for_a_pipe_is_interrupted(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    code = (
        "import os, signal, sys, threading\n"
        "import sluiceway\n"
        "def interrupt():\n"
        "    with open(sys.argv[1], 'w') as pipe:  # returns when the reader has opened it\n"
        "        pipe.write('1 1:1\\n')\n"
        "        pipe.flush()\n"
        "        os.kill(os.getpid(), signal.SIGINT)\n"
        "        done.wait()\n"
        "done = threading.Event()\n"
        "threading.Thread(target=interrupt, daemon=True).start()\n"
        "try:\n"
        "    sluiceway.read_svm(sys.argv[1])\n"
        "except KeyboardInterrupt:\n"
        "    print('interrupted')\n"
        "done.set()\n"
    )
    done = subprocess.run([sys.executable, "-c", code, tmp_path / "pipe"], capture_output=True, text=True, timeout=60)
    assert done.stdout == "interrupted\n", done.stderr


def test_a_batch_is_made_by_readers_alone():
    with pytest.raises(TypeError):
        _sluice.Batch()


def test_an_empty_input():
    X, y = read_svm(io.StringIO(""))
    assert X.shape == (0, 0) and len(y) == 0


def test_reader_gives_batches():
    reader = _sluice.Reader(b"1 | a:2 b\nno | c\n", {"format": "vw"})
    batches = list(reader)
    assert [b.rows for b in batches] == [2] and batches[0].has_names and batches[0].nonzeros == 3
    assert batches[0].labels() == [1.0, "no"] and batches[0].weights() == [1, 1]
    assert batches[0].row(0) == [("a", 2.0), ("b", 1.0)] and reader.format() == "vw"
    with pytest.raises(IndexError):
        batches[0].row(2)
    with pytest.raises(TypeError, match="no option"):
        _sluice.Reader(b"", {"nothing": 1})


def test_a_model_of_the_matrix_is_that_of_the_file(tmp_path):
    X, y = random_rows()
    write_svm(tmp_path / "a.svm", X, y)
    settings = {}
    one, two = _sluice.Model("ssol", ["lambda=0"], settings), _sluice.Model("ssol", ["lambda=0"], settings)
    Z, z = read_svm(tmp_path / "a.svm")
    one.learn_csr(Z.indptr, Z.indices, Z.data, z, None, None, None, None)
    for batch in _sluice.Reader((str(tmp_path / "a.svm").encode(),), {}):
        two.learn_batch(batch)
    assert one.to_bytes() == two.to_bytes()
    out = np.empty(X.shape[0])
    from_batch = np.concatenate([margins(two, b) for b in _sluice.Reader((str(tmp_path / "a.svm").encode(),), {})])
    one.margins_csr(Z.indptr, Z.indices, Z.data, None, out)
    assert (out == from_batch).all()


def test_the_classifier_fitted_on_the_matrix_is_the_programs_model(tmp_path):
    pytest.importorskip("sklearn")
    X, y = random_rows()
    for labels in (y, (y > 0) * 1, np.where(y > 0, "yes", "no")):
        write_svm(tmp_path / "a.svm", X, labels)
        Z, z = read_svm(tmp_path / "a.svm")
        sluiceway.SluiceClassifier("arow").fit(Z, z).save(tmp_path / "mine")
        command = [sluiceway.program(), "train", "-qq", "-a", "arow", "-o", tmp_path / "theirs", tmp_path / "a.svm"]
        subprocess.run(command, check=True, stdout=subprocess.DEVNULL)
        assert (tmp_path / "mine").read_bytes() == (tmp_path / "theirs").read_bytes()


def margins(model, batch):
    out = np.empty(batch.rows)
    model.margins_batch(batch, out)
    return out


def test_examples_in_the_documentation():
    assert doctest.testmod(svm).failed == 0
    assert sluiceway.read_svm is svm.read_svm


def test_a_reader_whose_function_failed_goes_on_failing():
    pieces = iter([b"1 1:1\n" * 10])

    def give():
        try:
            return next(pieces)
        except StopIteration:
            raise KeyError("gone") from None

    reader = _sluice.Reader(give, {"format": "libsvm"})
    got, errors = 0, []
    while len(errors) < 3:
        try:
            got += next(reader).rows
        except (KeyError, RuntimeError) as error:
            errors.append(type(error))
    assert errors == [KeyError, RuntimeError, RuntimeError]
    with pytest.raises(RuntimeError, match="the function that gives the bytes has failed"):
        reader.read_matrix(False)


def test_a_reader_that_met_a_bad_line_goes_on_failing():
    reader = _sluice.Reader(b"1 1:1\n1 x:\n1 1:1\n", {"format": "libsvm"})
    assert next(reader).rows == 1
    for _ in range(3):
        with pytest.raises(ValueError, match=":2:"):
            next(reader)


def test_threads_that_share_a_reader_get_every_row_once():
    lines = [" ".join(f"{k + i}:1" for k in range(1, 400, 8)) for i in range(7)]
    rows = 60000
    reader = _sluice.Reader("".join(f"w{i % 50} {lines[i % 7]}\n" for i in range(rows)).encode(), {"format": "libsvm"})
    counts = []

    def read():
        got = 0
        while True:
            try:
                got += next(reader).rows
            except StopIteration:
                return counts.append(got)
            except RuntimeError as error:
                assert "in use in another thread" in str(error)

    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(counts) == 4 and sum(counts) == rows


def test_numbers_that_are_one_label_are_refused(tmp_path):
    with pytest.raises(ValueError, match="which cannot tell these numbers apart"):
        svm.write_svm(tmp_path / "a.svm", np.eye(2), [2**53, 2**53 + 1])
    svm.write_svm(tmp_path / "a.svm", np.eye(2), np.array([2**63, 2**63 + 4096], np.uint64))
    assert (tmp_path / "a.svm").read_text().split()[::2] == ["9223372036854775808", "9223372036854779904"]
