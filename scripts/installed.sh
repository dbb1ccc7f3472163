#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# After `make install`: what a program needs to find the library.   usage: installed.sh PREFIX [DESTDIR]
set -eu
prefix=$1
lib=$(find "${2:-}$prefix" -name libstickslip.so -exec dirname {} \; 2>/dev/null | head -n 1)
lib=${lib#"${2:-}"}
echo "Installed into $prefix."
if [ -n "${2:-}" ]; then
    exit 0 # staged: where it will run is not here
fi
case $prefix in
/usr | /usr/local)
    if [ "$(id -u)" -eq 0 ] && command -v ldconfig >/dev/null; then
        ldconfig
        echo "Programs find the library (ldconfig was run)."
    else
        echo "Once, as root: ldconfig"
    fi
    ;;
*)
    cat <<TEXT
Programs of your own find it there with
    export PKG_CONFIG_PATH=$lib/pkgconfig CMAKE_PREFIX_PATH=$prefix
and at run time with either of
    cc .. \$(pkg-config --cflags --libs stickslip) -Wl,-rpath,$lib
    export LD_LIBRARY_PATH=$lib
The command itself needs neither: $prefix/bin/stickslip
TEXT
    ;;
esac
