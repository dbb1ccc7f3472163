#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Same input, same bits on ARM64: the command is built for it by a cross compiler, against libyaml
# and Lua of Debian's arm64 (fetched into the build folder, nothing is installed), and run by
# qemu-user; built-in scenes must end in the same state hash as those of a build for this machine
# with the same libraries.   usage: check_arm.sh SOURCE BUILD [SCENE...]
set -eu
source=$1
build=$2
shift 2
arm=$build/arm

missing=
for tool in aarch64-linux-gnu-gcc qemu-aarch64 apt-get dpkg-deb cmake ninja; do
    command -v $tool >/dev/null || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "SKIPPED: nothing was compared with ARM64; there is no$missing" \
        "(Debian: gcc-aarch64-linux-gnu libc6-dev-arm64-cross qemu-user)"
    exit 77
fi

# Debian's arm64 libraries, with lists and caches of their own
root=$arm/root
if [ ! -d "$root/usr/include" ]; then
    mkdir -p "$arm/lists/partial" "$arm/archives/partial" "$root"
    own="-o APT::Architecture=arm64 -o APT::Architectures::=arm64 -o Dir::State::lists=$arm/lists
         -o Dir::State::status=/dev/null -o Dir::Cache=$arm/archives -o Acquire::Languages=none"
    # shellcheck disable=SC2086
    if ! { apt-get $own -qq update &&
        (cd "$arm/archives" &&
            apt-get $own -qq -o APT::Sandbox::User=root download libyaml-0-2 libyaml-dev liblua5.4-0 liblua5.4-dev); }; then
        echo "SKIPPED: nothing was compared with ARM64; its libraries cannot be fetched"
        exit 77
    fi
    for package in "$arm"/archives/*.deb; do
        dpkg-deb -x "$package" "$root"
    done
fi

options="-G Ninja --log-level=ERROR -DCMAKE_BUILD_TYPE=Release -DSS_BUILD_TESTS=OFF
         -DSS_BUILD_BENCH=OFF -DSS_OPTIONAL_DEFAULT=OFF -DSS_WITH_LUA=ON"
libraries=$root/usr/lib/aarch64-linux-gnu
# shellcheck disable=SC2086
PKG_CONFIG_LIBDIR=$libraries/pkgconfig PKG_CONFIG_SYSROOT_DIR=$root cmake -S "$source" \
    -B "$arm/arm64" $options -DCMAKE_SYSTEM_NAME=Linux -DCMAKE_SYSTEM_PROCESSOR=aarch64 \
    -DCMAKE_C_COMPILER=aarch64-linux-gnu-gcc -DCMAKE_FIND_ROOT_PATH="$root" \
    -DCMAKE_C_FLAGS="-isystem $root/usr/include/aarch64-linux-gnu" \
    -DCMAKE_EXE_LINKER_FLAGS="-Wl,-rpath-link,$libraries" >/dev/null
# shellcheck disable=SC2086
cmake -S "$source" -B "$arm/here" $options >/dev/null
for one in arm64 here; do
    cmake --build "$arm/$one" --target stickslip_command >"$arm/$one/log" ||
        { tail -n 20 "$arm/$one/log"; exit 1; }
done

hash_of() {
    "$@" run "builtin:$name" --duration 0.1 --json 2>/dev/null |
        sed -n 's/.*"state_hash": "\(.*\)".*/\1/p'
}
[ $# -gt 0 ] || set -- $(cd "$source/scenes" && ls -- *.yaml | sed 's/\.yaml$//')
bad=0
compared=0
for name in "$@"; do
    expected=$(hash_of "$arm/here/stickslip")
    [ -n "$expected" ] || continue # it wants a library that was left out
    got=$(QEMU_LD_PREFIX=/usr/aarch64-linux-gnu LD_LIBRARY_PATH=$libraries \
        hash_of qemu-aarch64 -E LD_LIBRARY_PATH="$libraries" "$arm/arm64/stickslip")
    compared=$((compared + 1))
    if [ "$got" != "$expected" ]; then
        echo "$name: $got on ARM64, $expected here"
        bad=1
    fi
done
echo "$compared scenes compared with ARM64"
[ $compared -gt 0 ] && exit $bad
