#!/bin/sh
# Checks the sources without running them: layout, clang-tidy, shell scripts, first lines. Says what is wrong and exits 1.
set -u
cd "$(dirname "$0")/.." || exit 1
failed=0
bad() { # message
    echo "lint: $1"
    failed=1
}

git ls-files '*.[ch]' | xargs clang-format --dry-run --Werror || bad "run make format (clang-format 14)"

# every source begins with a comment that says what the file does
for source in $(git ls-files '*.c'); do
    case $(head -n 1 "$source") in
    "/* "?*) ;;
    *) bad "$source: the first line is not a comment that says what the file does" ;;
    esac
done

git ls-files '*.sh' .ci/run | xargs shellcheck || bad "shellcheck"

# clang-tidy reads how each file is compiled from a build that clang configured
cmake -S . -B build/lint -DCMAKE_C_COMPILER=clang -DCMAKE_EXPORT_COMPILE_COMMANDS=ON >/dev/null || exit 1
git ls-files 'src/*.c' 'cli/*.c' 'examples/*.c' | xargs -n 4 -P "$(nproc 2>/dev/null || echo 2)" \
    clang-tidy -p build/lint --quiet --warnings-as-errors='*' 2>build/lint/stderr.log >build/lint/tidy.log || {
    grep -E 'error:|warning:' build/lint/tidy.log | sort -u
    grep -v 'warnings generated' build/lint/stderr.log | head -n 20
    bad "clang-tidy; the whole output is in build/lint/tidy.log"
}

[ $failed = 0 ] && echo "lint: clean"
exit $failed
