#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs into an empty folder and builds the sample against what was installed, by pkg-config and
# by the CMake package.   usage: check_install.sh SOURCE BUILD
set -eu
source=$1
build=$2
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
prefix=/opt/stickslip

DESTDIR="$work/root" cmake --install "$build" --prefix "$prefix" >"$work/log"
root="$work/root$prefix"
for file in bin/stickslip include/stickslip/stickslip.h; do
    test -e "$root/$file" || { echo "not installed: $file"; exit 1; }
done
pc=$(find "$root" -name stickslip.pc)
config=$(find "$root" -name stickslipConfig.cmake)
lib=$(dirname "$(find "$root" -name 'libstickslip.so' | head -n 1)")
export LD_LIBRARY_PATH="$lib${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"

expect() { # a program that must print five certified steps, ending in rolling
    out=$("$1") || { echo "$1 failed: $out"; exit 1; }
    lines=$(echo "$out" | grep -c 'residual = [0-9]') || true
    if [ "$lines" -ne 5 ] || ! echo "$out" | tail -n 1 | grep -q 'v = 1.428571  normal force = 9.8100'; then
        echo "$1 printed:"
        echo "$out"
        exit 1
    fi
}

flags=$(PKG_CONFIG_PATH=$(dirname "$pc") pkg-config --cflags --libs stickslip)
# shellcheck disable=SC2086  # flags are words
cc -std=c17 -Wall -Wextra -Werror "$source/samples/first_steps/main.c" -o "$work/by_pkg_config" $flags
expect "$work/by_pkg_config"

# the CMake package
cmake -S "$source/samples/first_steps" -B "$work/sample" \
    -Dstickslip_DIR="$(dirname "$config")" >"$work/log"
cmake --build "$work/sample" >"$work/log" || { cat "$work/log"; exit 1; }
expect "$work/sample/first_steps"

# the installed command needs nothing beside it
(cd "$work" && "$root/bin/stickslip" run builtin:sphere-slide-roll --quiet)
echo "installed library works by pkg-config and by CMake, the installed command runs"
