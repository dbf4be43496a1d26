#!/bin/sh
# Installs a build below a DESTDIR, compiles and runs programs in C and C++ against it (pkg-config, CMake's find_package,
# shared and static), uninstalls, and looks that nothing is left. install_and_uninstall.sh SOURCE BUILD
set -eu
source=$1
build=$2
folder=$(mktemp -d "${TMPDIR:-/tmp}/sluice-install.XXXXXX")
trap 'rm -rf "$folder"' EXIT
say() { echo "install_and_uninstall: $*" >&2; }

# CMake writes the manifest into the build folder: this one must not disturb that of a real installation
[ ! -f "$build/install_manifest.txt" ] || cp "$build/install_manifest.txt" "$folder/manifest.before"
DESTDIR=$folder/root cmake --install "$build" --prefix /opt/sluice >/dev/null
cp "$build/install_manifest.txt" "$folder/install_manifest.txt"
if [ -f "$folder/manifest.before" ]; then cp "$folder/manifest.before" "$build/install_manifest.txt"; else rm "$build/install_manifest.txt"; fi

outside=$(find "$folder/root" -type f ! -path "$folder/root/opt/sluice/*")
if [ -n "$outside" ]; then
    say "installed outside of the prefix: $outside"
    exit 1
fi
prefix=$folder/root/opt/sluice
lib=$(dirname "$(find "$prefix" -name libsluice.a)")
"$prefix/bin/sluice" --version >/dev/null
for file in man/man1/sluice.1 man/man1/sluice-train.1 bash-completion/completions/sluice zsh/site-functions/_sluice \
    fish/vendor_completions.d/sluice.fish; do
    [ -s "$prefix/share/$file" ] || {
        say "$file was not installed"
        exit 1
    }
done

cat >"$folder/user.c" <<'END'
#include <sluice.h>
#include <stdio.h>
int main(void) {
    sluice_model *model = sluice_model_new("ssol", NULL, 0, NULL, NULL);
    if (!model) return 1;
    sluice_model_free(model);
    return puts(sluice_version()) < 0;
}
END
cp "$folder/user.c" "$folder/user.cpp"
version=$("$prefix/bin/sluice" --version | sed -n '1s/^sluice //p')
runs() { # program: it must print the version of the library
    said=$(LD_LIBRARY_PATH=$lib "$1")
    if [ "$said" != "${version%% *}" ]; then
        say "$1 printed $said, not ${version%% *}"
        exit 1
    fi
}

cxx=""
! command -v c++ >/dev/null || cxx=c++
[ -n "$cxx" ] || say "no C++ compiler: C++ is left out"
if command -v pkg-config >/dev/null; then
    # the paths in sluice.pc are relative to it, so they hold below DESTDIR too
    export PKG_CONFIG_PATH="$lib/pkgconfig"
    # shellcheck disable=SC2046 # several words
    cc -std=c11 -Wall -Wextra -Wpedantic -Werror "$folder/user.c" -o "$folder/c" $(pkg-config --cflags --libs sluice)
    runs "$folder/c"
    # shellcheck disable=SC2046
    [ -z "$cxx" ] || c++ -std=c++11 -Wall -Wextra -Wpedantic -Werror "$folder/user.cpp" -o "$folder/cpp" $(pkg-config --cflags --libs sluice)
    [ -z "$cxx" ] || runs "$folder/cpp"
else
    say "no pkg-config: sluice.pc is not tried"
fi

mkdir "$folder/package"
{
    echo "cmake_minimum_required(VERSION 3.20)"
    echo "project(user C ${cxx:+CXX})"
    echo "find_package(sluice ${version%% *} REQUIRED)"
    for kind in shared static; do
        echo "add_executable(c_$kind ../user.c)"
        echo "target_link_libraries(c_$kind PRIVATE sluice::$kind)"
        [ -z "$cxx" ] || echo "add_executable(cpp_$kind ../user.cpp)"
        [ -z "$cxx" ] || echo "target_link_libraries(cpp_$kind PRIVATE sluice::$kind)"
    done
} >"$folder/package/CMakeLists.txt"
{ cmake -S "$folder/package" -B "$folder/package/build" -DCMAKE_PREFIX_PATH="$prefix" >"$folder/log" 2>&1 &&
    cmake --build "$folder/package/build" >>"$folder/log" 2>&1; } || {
    cat "$folder/log"
    exit 1
}
for program in c_shared c_static ${cxx:+cpp_shared cpp_static}; do runs "$folder/package/build/$program"; done

# a shared library of another minor version must not be taken for this one
soname=$(readelf -d "$lib/libsluice.so" | sed -n 's/.*SONAME.*\[\(.*\)\]/\1/p')
case $version in
0.*) expected=libsluice.so.$(echo "${version%% *}" | cut -d. -f1,2) ;;
*) expected=libsluice.so.${version%%.*} ;;
esac
if [ "$soname" != "$expected" ]; then
    say "SONAME is $soname, not $expected"
    exit 1
fi

DESTDIR=$folder/root sh "$source/scripts/uninstall.sh" "$folder" >/dev/null
left=$(find "$folder/root" ! -type d)
if [ -n "$left" ]; then
    say "left behind: $left"
    exit 1
fi
