# SPDX-License-Identifier: Apache-2.0
"""Builds stickslip._native: the C API for Python (cffi, API mode).

usage: python3 python/build_native.py INCLUDE_DIR LIBRARY_DIR OUT_DIR

The declarations are the public headers themselves, run through the C preprocessor: there is no
second list of functions to keep up to date. native.c adds loops that would be slow in Python.
"""
import pathlib
import re
import subprocess
import sys

import cffi

HERE = pathlib.Path(__file__).resolve().parent
# Names that C's own headers bring; cffi knows the rest (size_t, int32_t ...).
PRELUDE = "typedef int sig_atomic_t;\n"
CALLBACKS = 'extern "Python" int ssp_control(void *, const struct ss_model *, const struct ss_data *,' \
            ' double, double *, int32_t);\n' \
            'extern "Python" bool ssp_find_scene(void *, const char *, const char **, size_t *);\n' \
            'extern "Python" void ssp_log(void *, ss_log_level, const char *);\n'


def without_bodies(text):
    """Removes the bodies of inline functions: Python needs none of them."""
    out, at = [], 0
    for found in re.finditer(r"static inline[^;{]*\{", text):
        if found.start() < at:
            continue
        depth, end = 1, found.end()
        while depth:
            depth += {"{": 1, "}": -1}.get(text[end], 0)
            end += 1
        out.append(text[at:found.start()])
        at = end
    return "".join(out) + text[at:]


def declarations(include):
    """The public headers as declarations that cffi can parse."""
    source = '#include "stickslip/stickslip.h"\n'
    flags = ["-E", "-D__attribute__(x)=", "-DSSP_CDEF", f"-I{include}"]
    text = subprocess.run(["cc", *flags, "-xc", "-"], input=source, text=True, check=True,
                          capture_output=True).stdout
    kept, inside = [], False
    for line in text.splitlines():
        marker = re.match(r'# \d+ "([^"]*)"', line)
        if marker:
            inside = "/stickslip/" in marker.group(1) and str(include) in marker.group(1)
        elif inside and line.strip():
            kept.append(line)
    text = without_bodies("\n".join(kept))
    text = re.sub(r"_Static_assert\s*\([^;]*;", "", text)
    text = re.sub(r"=\s*1u << (\d+)", lambda m: f"= {1 << int(m.group(1))}", text)
    return PRELUDE + text


def main():
    include, library, out = (pathlib.Path(a).resolve() for a in sys.argv[1:4])
    ffi = cffi.FFI()
    ffi.cdef(declarations(include) + (HERE / "native.h").read_text() + CALLBACKS)
    ffi.set_source("stickslip._native",
                   '#include "stickslip/stickslip.h"\n' + (HERE / "native.h").read_text() +
                   (HERE / "native.c").read_text(),
                   include_dirs=[str(include)], libraries=["stickslip"],
                   library_dirs=[str(library)],
                   extra_compile_args=["-std=c17", "-O2", "-ffp-contract=off"],
                   extra_link_args=[f"-Wl,-rpath,{library}"])
    out.mkdir(parents=True, exist_ok=True)
    ffi.compile(tmpdir=str(out), verbose=False)


if __name__ == "__main__":
    main()
