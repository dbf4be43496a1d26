#!/usr/bin/python3
"""Checks that every file and function that the documentation names exists.

    doc_paths.py [--columns] [PAGE...]       default: the pages of the repository

- A relative link must lead to a file or folder.
- A path in backticks (`src/model/learn.c`, `cli/page`) must exist; `*` and `{a,b}` are expanded, NAME is any name.
- A file name in backticks (`fobos.c`) must be the name of some file.
- In `path:function` the file must contain that name.
- With --columns, prose must be at most 120 columns wide.
"""
import fnmatch, glob, os, re, sys

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PAGES = ["README.md", "CONTRIBUTING.md", "SECURITY.md", "docs/*.md", "experiments/*.md", "examples/*.md", "tests/**/*.md", "python/*.md"]
FOLDERS = ("include", "src", "cli", "tests", "bench", "experiments", "docs", "scripts", "examples", "packaging", "python")
COLUMNS = 120
FILE = r"[\w.*{},-]+\.(?:c|h|py|md|sh|cmake)"
NAMES = {name for folder in FOLDERS for _, _, files in os.walk(os.path.join(ROOT, folder)) for name in files} | set(os.listdir(ROOT))


def alternatives(path):
    """`a_{b,c}` is a_b and a_c."""
    found = re.search(r"\{([^{}]*)\}", path)
    if not found:
        return [path]
    return [p for word in found.group(1).split(",") for p in alternatives(path[:found.start()] + word + path[found.end():])]


def exists(path, base=ROOT):
    return all(glob.glob(os.path.join(base, p.replace("NAME", "*"))) for p in alternatives(path))


def code(text):
    """Text without fenced and indented code blocks."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.S | re.M)
    return re.sub(r"^    .*$", "", text, flags=re.M)


def problems(page, columns):
    with open(os.path.join(ROOT, page)) as f:
        text = f.read()
    folder = os.path.dirname(os.path.join(ROOT, page))
    for target in re.findall(r"\]\(([^)#\s]+)[^)]*\)", code(text)):
        if not re.match(r"[a-z]+:", target) and not exists(target, folder):
            yield f"link to {target}, which does not exist"
    for span in re.findall(r"`([^`\n]+)`", code(text)):
        path, _, function = span.partition(":")
        if path.split("/")[0] in FOLDERS and re.fullmatch(r"[\w./*{},-]+", path) and "/" in path:
            if not exists(path.rstrip("/")) and not exists(path.rstrip("/"), folder):
                yield f"`{path}` does not exist"
            elif re.fullmatch(r"\w+", function):
                with open(os.path.join(ROOT, path)) as f:
                    if not re.search(rf"\b{function}\b", f.read()):
                        yield f"`{path}` has no {function}"
        elif re.fullmatch(FILE, span):
            for name in alternatives(span):
                if not fnmatch.filter(NAMES, name.replace("NAME", "*")):
                    yield f"no file is called `{name}`"
    fenced = False
    for number, line in enumerate(text.split("\n"), 1):
        fenced ^= line.startswith("```")
        if columns and len(line) > COLUMNS and not fenced and not line.startswith(("|", "#", "    ")):
            yield f"line {number} has {len(line)} columns"


def main():
    columns = "--columns" in sys.argv
    pages = [a for a in sys.argv[1:] if a != "--columns"] or sorted({os.path.relpath(p, ROOT) for pattern in PAGES for p in glob.glob(os.path.join(ROOT, pattern), recursive=True)})
    found = [f"{page}: {problem}" for page in pages for problem in problems(page, columns)]
    print("\n".join(found) or f"{len(pages)} pages: every path exists")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
