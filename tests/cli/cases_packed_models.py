"""Models in files that end in .zst: compressed when they are saved, recognised when they are loaded."""

import os
import struct
import subprocess

from harness import check, equal, rows

MARK = b"\x50\x2a\x4d\x18\x08\0\0\0sluice\x1a\n"  # a frame that is skipped
BLOCK = 1 << 17


def zeros(n):
    """A frame of zeros: blocks of 128 KiB in four bytes each."""
    blocks = n // BLOCK
    head = b"\x28\xb5\x2f\xfd" + bytes([0x00, 0x38])  # a window of 128 KiB, of unknown length
    body = b"".join(struct.pack("<I", (BLOCK << 3) | 2 | (i + 1 == blocks))[:3] + b"\0" for i in range(blocks))
    return head + body


def test_a_compressed_model_is_the_same_model(t):
    data = rows(300, dim=500)
    t.write("data", data)
    for options in [["-a", "ssol"], ["-a", "arow-full"], ["--classes", "ovr", "-a", "pa"], []]:
        t.run("train", "-qq", *options, "-o", "m", "data")
        t.run("train", "-qq", *options, "-o", "m.zst", "data")
        packed = t.read("m.zst")
        check(packed.startswith(MARK + b"\x28\xb5\x2f\xfd"), packed[:24])
        check(len(packed) < len(t.read("m")), "it is not smaller")
        for command in [["inspect", "--weights"], ["predict", "data", "-m"]]:
            equal(t.run(*command, "m.zst").out, t.run(*command, "m").out, command)
        t.run("train", "-qq", "-i", "m.zst", "-o", "m2.zst", "data")
        t.run("train", "-qq", "-i", "m", "-o", "m2", "data")
        t.run("train", "-qq", "-i", "m2.zst", "-o", "m2.plain", "--skip", 300, "data")
        equal(t.read("m2.plain"), t.read("m2"), "going on")
        t.run("train", "-qq", "-i", "m2", "-o", "m2.again.zst", "--skip", 300, "data")
        equal(t.read("m2.again.zst"), t.read("m2.zst"), "the same bytes")


def test_checkpoints_and_predict_only_models_too(t):
    t.write("data", rows(300))
    t.run("train", "-qq", "-a", "pa", "--save-every", 100, "--final", "-o", "m.zst", "data")
    equal(t.run("inspect", "--json", "m.zst").json()["predict_only"], True)
    equal([name for name in os.listdir(t.folder) if name not in ("data", "m.zst")], [], "nothing else is left")


def test_what_the_program_zstd_writes_loads(t):
    t.run("train", "-qq", "-a", "pa", "-o", "m", stdin=rows(300))
    try:
        for level in ["-1", "-19"]:
            subprocess.run(["zstd", "-q", "-f", level, t.path("m"), "-o", t.path("p")], check=True)
            equal(t.run("inspect", "p").out, t.run("inspect", "m").out)
        t.run("train", "-qq", "-a", "pa", "-o", "m.zst", stdin=rows(300))
        subprocess.run(["zstd", "-q", "-d", "-f", t.path("m.zst"), "-o", t.path("p")], check=True)
        equal(t.read("p"), t.read("m"))
    except FileNotFoundError:
        pass  # there is no such program here; the frames above are of its library


def test_damaged_and_hostile_files_are_refused(t):
    t.run("train", "-qq", "-a", "pa", "-o", "m.zst", stdin=rows(300))
    t.run("train", "-qq", "-a", "pa", "-o", "m", stdin=rows(300))
    packed = t.read("m.zst")
    for n in [1, 3, 10, 16, 20, len(packed) // 2, len(packed) - 1]:
        t.write("bad", packed[:n])
        t.refused("inspect", "bad", status=1, says="bad: ")
    for at in range(17, len(packed), max(1, len(packed) // 40)):
        t.write("bad", packed[:at] + bytes([packed[at] ^ 0x55]) + packed[at + 1:])
        t.refused("inspect", "bad", status=1, says="bad: ")
    for content, says in [(packed + b"x", "more behind its end"), (packed + packed, "more behind its end"),
                          (zeros(1 << 20), "not a sluice model"),
                          (MARK + b"\x28\xb5\x2f\xfd\x00\xa0", "memory"),  # a window of 1 GiB
                          (MARK, "not a sluice model")]:
        t.write("bad", content)
        t.refused("inspect", "bad", status=1, says=["bad: ", says])


def test_a_file_that_grows_without_end_is_stopped(t):
    """A section that is skipped, of as many bytes as its head says, in a frame of a few."""
    t.run("train", "-qq", "-a", "pa", "-o", "m", stdin=rows(10))
    plain = t.read("m")
    n = struct.unpack_from("<Q", plain, 24)[0]
    head = plain[:16 + 16 + n + 8]
    raw = struct.pack("<I", (len(head) << 3) | 0)[:3] + head
    blocks = b"".join(struct.pack("<I", (BLOCK << 3) | 2)[:3] + b"\0" for _ in range(8000))
    t.write("bad", b"\x28\xb5\x2f\xfd\x00\x38" + raw + blocks)
    t.refused("inspect", "bad", status=1, says="bad: ")


def test_a_compressed_model_is_not_replaced_by_a_slip(t):
    t.write("data", rows(20))
    t.run("train", "-qq", "-a", "pa", "-o", "m.zst", "data")
    before = t.read("m.zst")
    t.refused("convert", "data", "-o", "m.zst", status=2, says="would replace a model")
    t.refused("export", "--to", "json", "m.zst", "-o", "m.zst", status=2, says="m.zst")
    equal(t.read("m.zst"), before)
