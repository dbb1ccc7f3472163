#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Installs the Debian packages that a task needs and that are not there yet.
#
#   scripts/deps.sh GROUP...          install what is missing of these groups
#   scripts/deps.sh --list            print the table
#   scripts/deps.sh --check GROUP...  install nothing; exit 1 and name what is missing
#
# When everything is there it changes nothing and uses no network. Otherwise it says what it installs
# and why, then calls apt-get as root or through sudo.
set -eu

# group | package | what it is for
packages() {
    cat <<'TABLE'
build       | gcc                     | C compiler
build       | libc6-dev               | C library headers
build       | cmake                   | build description
build       | ninja-build             | runs the build
build       | pkg-config              | finds libraries
build       | libyaml-dev             | reads scene files
build       | libxml2-dev             | imports of URDF, MJCF and SDF
build       | liblua5.4-dev           | expressions in scene files
build       | libhdf5-dev             | run files and problem files
build       | zlib1g-dev              | compressed NumPy archives
build       | libsuitesparse-dev      | sparse factorisation (AMD, KLU, LDL)
build       | libqhull-dev            | convex hulls of points
build       | libassimp-dev           | mesh files in COLLADA (DAE)
build       | coinor-libclp-dev       | linear programs in the analysis
build       | libnlopt-dev            | searches for designs
build       | coinor-libipopt-dev     | identification as a nonlinear program
build       | libopenmpi-dev          | sweeps over processes (mpirun)
page        | nodejs                  | bundles the page of reports
page        | npm                     | installs the page's libraries
test        | nodejs                  | the page of reports is what viewer/ builds
test        | npm                     | installs the page's libraries
test        | chromium                | the page of reports is tested in a real browser
test        | libcmocka-dev           | unit tests
test        | g++                     | public headers must compile as C++
test        | python3                 | examples of the manual are run as tests
test        | openmpi-bin             | sweeps over processes (mpirun)
test        | python3-h5py            | run files must open in Python
test        | python3-yaml            | the schema of scene files is tried on scenes
test        | python3-jsonschema      | the schema of scene files is tried on scenes
test        | libmujoco-dev           | imported robots are compared with MuJoCo
test        | libmujoco-samples       | robots to import
test        | dpkg-dev                | the Debian package is built
api         | doxygen                 | reference of the C API from the headers
deb         | dpkg-dev                | finds the packages that a Debian package depends on
deb         | file                    | tells programs from other files in a Debian package
python      | python3-dev             | the Python module: headers of the interpreter
python      | python3-cffi            | the Python module: calls into C
python      | python3-numpy           | the Python module: arrays
python      | python3-scipy           | sparse matrices in the tests of the Python module
bench       | libode-dev              | ODE, measured beside stickslip
bench       | libsiconos-numerics-dev | Siconos, measured beside stickslip
bench-peers | libode-dev              | ODE
bench-peers | libbullet-dev           | Bullet
bench-peers | libmujoco-dev           | MuJoCo
bench-peers | libdart-dev             | DART
bench-peers | libchipmunk-dev         | Chipmunk (2D)
bench-peers | libsiconos-mechanics-dev | Siconos
bench-peers | g++                     | Bullet and DART are C++
lint        | clang-format            | source layout
lint        | clang-tidy              | static analysis
lint        | cppcheck                | static analysis
fuzz        | clang                   | libFuzzer
fuzz        | libclang-rt-14-dev      | libFuzzer's run-time
valgrind    | valgrind                | memory errors without a special build
TABLE
}

# npm may also come with Node.js from elsewhere, which Debian's npm package would replace.
is_installed() {
    dpkg-query -W -f='${db:Status-Status}\n' "$1" 2>/dev/null | grep -qx installed ||
        { [ "$1" = npm ] && command -v npm >/dev/null; }
}

# "package | reason" lines of one group
group() {
    packages | awk -F'|' -v want="$1" '
        { g = $1; gsub(/ /, "", g) } g == want { gsub(/^ +| +$/, "", $2); print $2 "|" $3 }'
}

# exits when one of "$@" is no group; not inside missing(), whose pipe would swallow the exit
check_groups() {
    for name in "$@"; do
        if [ -z "$(group "$name")" ]; then
            echo "deps.sh: there is no group '$name'" >&2
            exit 2
        fi
    done
}

# lines of the groups "$@" whose package is not installed
missing() {
    for name in "$@"; do
        group "$name" | while IFS='|' read -r package reason; do
            is_installed "$package" || echo "$package|$reason"
        done
    done | sort -u
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif command -v sudo >/dev/null; then
        sudo "$@"
    else
        echo "deps.sh: need root or sudo to run: $*" >&2
        exit 4
    fi
}

apt() {
    as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

# A fresh image has no package lists; old lists may no longer know a package.
knows_all() {
    for package in "$@"; do
        apt-cache show "$package" >/dev/null 2>&1 || return 1
    done
}

install() {
    knows_all "$@" || apt update
    if ! apt install -y --no-install-recommends "$@"; then
        apt update
        apt install -y --no-install-recommends "$@"
    fi
}

only_check=no
case "${1:-}" in
--list)
    packages
    exit 0
    ;;
--check)
    only_check=yes
    shift
    ;;
'')
    sed -n '3,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
    ;;
esac

if ! command -v dpkg-query >/dev/null; then
    echo "deps.sh: not a Debian system: make sure that the libraries of 'scripts/deps.sh --list'" \
        "are installed" >&2
    exit 0
fi
check_groups "$@"
lines=$(missing "$@")
if [ -z "$lines" ]; then
    exit 0
fi
echo "deps.sh: missing for $*:"
echo "$lines" | awk -F'|' '{ printf "  %-24s%s\n", $1, $2 }'
if [ "$only_check" = yes ]; then
    exit 1
fi
echo "deps.sh: installing them with apt-get"
# shellcheck disable=SC2046  # package names hold no blanks
install $(echo "$lines" | cut -d'|' -f1)
