#!/usr/bin/python3
"""What the README says, done: its C example compiled against an installed sluice, its commands typed.

    readme_examples.py --build DIR
"""
import argparse, os, re, subprocess, sys, tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


def run(command, **options):
    result = subprocess.run(command, capture_output=True, text=True, **options)
    if result.returncode:
        sys.exit(f"{command}\nexit status {result.returncode}\n{result.stdout}{result.stderr}")
    return result.stdout


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--build", required=True)
    build = parser.parse_args().build
    with open(os.path.join(ROOT, "README.md")) as f:
        readme = f.read()
    with tempfile.TemporaryDirectory() as folder:
        prefix = os.path.join(folder, "prefix")
        run(["cmake", "--install", build, "--prefix", prefix])
        library = next(d for d, _, files in os.walk(prefix) if "libsluice.a" in files)
        environment = dict(os.environ, PATH=os.path.join(prefix, "bin") + ":" + os.environ["PATH"], LD_LIBRARY_PATH=library,
                           PKG_CONFIG_PATH=os.path.join(library, "pkgconfig"))

        example = os.path.join(folder, "example.c")
        with open(example, "w") as f:
            f.write(re.search(r"```c\n(.*?)```", readme, re.S).group(1))
        flags = run(["pkg-config", "--cflags", "--libs", "sluice"], env=environment).split()
        static = run(["pkg-config", "--static", "--libs", "sluice"], env=environment).split()
        for name, options in ("shared", flags), ("static", flags + ["-static-libgcc", os.path.join(library, "libsluice.a"), *static]):
            program = os.path.join(folder, name)
            run(["cc", "-std=c11", "-Wall", "-Werror", example, "-o", program, *options])
            if run([program], env=environment) != "+1\n":
                sys.exit(f"the {name} example does not print +1")
        run(["c++", "-std=c++11", "-Wall", "-Wextra", "-Wpedantic", "-Werror", "-fsyntax-only", "-include",
             os.path.join(ROOT, "include", "sluice.h"), "-x", "c++", "/dev/null"]) if has("c++") else None

        package = os.path.join(folder, "package")
        os.mkdir(package)
        with open(os.path.join(package, "CMakeLists.txt"), "w") as f:
            f.write("cmake_minimum_required(VERSION 3.20)\nproject(user C)\nfind_package(sluice REQUIRED)\n"
                    "add_executable(a ../example.c)\ntarget_link_libraries(a sluice::static)\n"
                    "add_executable(b ../example.c)\ntarget_link_libraries(b sluice::shared)\n")
        run(["cmake", "-S", package, "-B", os.path.join(package, "build"), "-DCMAKE_PREFIX_PATH=" + prefix])
        run(["cmake", "--build", os.path.join(package, "build")])
        for program in "ab":
            if run([os.path.join(package, "build", program)], env=environment) != "+1\n":
                sys.exit("the example built with find_package does not print +1")

        commands = [line[2:] for line in readme.splitlines() if line.startswith(("$ sluice ", "$ printf "))]
        if len(commands) < 5:
            sys.exit("where have the README's commands gone?")
        for command in commands:
            run(["sh", "-c", "set -e; " + command], cwd=folder, env=environment)
    print(f"the README's example and {len(commands)} commands work")


def has(program):
    return subprocess.run(["sh", "-c", f"command -v {program}"], capture_output=True).returncode == 0


if __name__ == "__main__":
    main()
