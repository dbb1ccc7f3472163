#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# `make install` from a build directory that is empty, then programs against what was installed: by
# pkg-config and by the CMake package, as C and as C++, with the advice that was printed; and the
# Debian package of the same build.   usage: check_install.sh SOURCE
set -eu
source=$(cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
here=$source/test/install
quietly() { "$@" >"$work/log" 2>&1 || { tail -n 40 "$work/log"; echo "failed: $*"; exit 1; }; }
fail() { echo "$*"; exit 1; }

# a compiler cache where there is one: the sources are the same as those of the tests
if command -v ccache >/dev/null; then export CMAKE_C_COMPILER_LAUNCHER=ccache; fi
quietly make -C "$source" install BUILD="$work/build" PREFIX="$work/root"
advice=$(cat "$work/log")
root=$work/root
for file in bin/stickslip include/stickslip/stickslip.h share/man/man1/stickslip-run.1 \
    share/bash-completion/completions/stickslip share/stickslip/stickslip.schema.json; do
    test -s "$root/$file" || fail "not installed: $file"
done

# the advice that it printed, followed to the letter
eval "$(echo "$advice" | sed -n 's/^ *\(export PKG_CONFIG_PATH=.*\)$/\1/p')"
rpath=$(echo "$advice" | sed -n 's/^ *cc .* \(-Wl,-rpath,.*\)$/\1/p')
test -n "${PKG_CONFIG_PATH:-}" && test -n "$rpath" || fail "no advice printed: $advice"
cd "$work"
sed -n '/^```yaml$/,/^```$/p' "$source/README.md" | sed '1d;/^```$/,$d' >ball.yaml
flags=$(pkg-config --cflags --libs stickslip)

expect() { # a program that must take sixty steps
    out=$("$@") || fail "$* failed: $out"
    test "$out" = "t = 0.60" || fail "$* printed: $out"
}

# shellcheck disable=SC2086  # flags are words
for compiler in "cc -std=c17" "c++ -x c++ -std=c++17"; do
    $compiler -Wall -Wextra -Werror "$here/ten_lines.c" -x none -o by_rpath $flags "$rpath" || fail "$compiler"
    expect ./by_rpath
    $compiler -Wall -Wextra -Werror "$here/ten_lines.c" -x none -o by_path $flags || fail "$compiler"
    eval "$(echo "$advice" | sed -n 's/^ *\(export LD_LIBRARY_PATH=.*\)$/\1/p')"
    expect ./by_path
    unset LD_LIBRARY_PATH
done

for language in C CXX; do
    mkdir -p by_cmake_$language
    suffix=$([ $language = C ] && echo c || echo cpp)
    cp "$here/ten_lines.c" by_cmake_$language/main.$suffix
    cat >by_cmake_$language/CMakeLists.txt <<TEXT
cmake_minimum_required(VERSION 3.16)
project(ten_lines LANGUAGES $language)
find_package(stickslip REQUIRED)
add_executable(ten_lines main.$suffix)
target_link_libraries(ten_lines PRIVATE stickslip::stickslip)
TEXT
    quietly cmake -S by_cmake_$language -B by_cmake_$language/build
    quietly cmake --build by_cmake_$language/build
    expect by_cmake_$language/build/ten_lines
done

# the sample, and the installed command, which needs nothing beside it
quietly cmake -S "$source/samples/first_steps" -B sample
quietly cmake --build sample
test "$(sample/first_steps | grep -c 'residual = [0-9]')" -eq 5 || fail "the sample does not step"
"$root/bin/stickslip" run builtin:sphere-slide-roll --quiet >/dev/null

# the Debian package
if command -v dpkg-shlibdeps >/dev/null; then
    quietly make -C "$source" deb BUILD="$work/build"
    deb=$(ls build/*.deb)
    dpkg-deb -I "$deb" | grep -q 'Depends: .*libyaml' || fail "the package does not depend on libyaml"
    dpkg-deb -x "$deb" unpacked
    unpacked/usr/bin/stickslip run builtin:slope-2d --quiet >/dev/null
    test -s unpacked/usr/share/man/man1/stickslip.1.gz || test -s unpacked/usr/share/man/man1/stickslip.1 ||
        fail "no manual page in the package"
else
    echo "SKIPPED: the Debian package needs dpkg-dev"
fi
echo "installed from an empty build; programs by pkg-config and CMake, as C and C++; package; command"
