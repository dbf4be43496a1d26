"""Looks into files for what cmake/hardening.cmake asks for: check_hardening.py PROGRAM SHARED_LIBRARY STATIC_LIBRARY"""

import platform
import subprocess
import sys


def readelf(*options):
    return subprocess.run(["readelf", "-W", *options], check=True, capture_output=True, text=True, env={"LC_ALL": "C", "PATH": "/usr/bin:/bin"}).stdout


def missing(path, is_program):
    segments, dynamic, symbols = readelf("-l", path), readelf("-d", path), readelf("--dyn-syms", path)
    stack = [line for line in segments.splitlines() if "GNU_STACK" in line]
    if not stack or "RWE" in stack[0]:
        yield "a stack that cannot be executed"
    if any("LOAD" in line and "RWE" in line for line in segments.splitlines()):
        yield "pages that are either written or executed"
    if "GNU_RELRO" not in segments:
        yield "read-only relocations (RELRO)"
    if "NOW" not in dynamic:
        yield "all symbols bound at the start (BIND_NOW)"
    if is_program and "PIE" not in dynamic:
        yield "a random address of the program (PIE)"
    if "__stack_chk_fail" not in symbols:
        yield "the stack protector"
    if "_chk@" not in symbols.replace("__stack_chk_fail@", ""):
        yield "checked functions of the C library (_FORTIFY_SOURCE)"


def unprotected_objects(archive):
    """The linker marks a program only if the system's start-up files are marked too, so we ask our own objects."""
    name = ""
    marked = {}
    for line in readelf("-n", archive).splitlines():
        if line.startswith("File: "):
            name = line
            marked[name] = False
        marked[name] = marked.get(name) or ("IBT" in line and "SHSTK" in line)
    return [name for name in marked if name and not marked[name]] if name else ["no objects"]


program, shared, static = sys.argv[1:]
failures = [f"{path}: without {what}" for path in (program, shared) for what in missing(path, path == program)]
if platform.machine() == "x86_64":
    failures += [f"{name}: without control-flow protection (CET)" for name in unprotected_objects(static)]
print("\n".join(failures) or "the files are hardened")
sys.exit(1 if failures else 0)
