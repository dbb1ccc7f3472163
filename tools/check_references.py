#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every paper that src/, cli/ and docs/ cite by name and year ("Liu 1990", "Cottle, Pang, Stone 1992") is listed in
docs/references.md: a line there has the last name before the year, and the year."""
import pathlib
import re
import sys

root = pathlib.Path(__file__).resolve().parent.parent
NAME = r"[A-Z][a-zéèáöüß]+(?:-[A-Z][a-z]+)?"
CITATION = re.compile(rf"({NAME})(?: et al\.)?,? \(?((?:19|20)\d\d)\)?(?!\d)")
NOT_NAMES = set("January February March April May June July August September October November December Since In Of To Set Debian Version "
                "Copyright Ubuntu Environments Problem Problems".split())
listed = (root / "docs/references.md").read_text().splitlines()
missing = []
for folder, endings in (("src", (".c", ".h")), ("cli", (".c", ".h")), ("docs", (".md",))):
    for path in sorted((root / folder).rglob("*")):
        if path.suffix not in endings or path.name == "references.md" or "benchmarks" in path.parts:
            continue
        text = re.sub(r"\s*\n[ */|]*", " ", path.read_text(errors="replace"))
        for name, year in CITATION.findall(text):
            if name not in NOT_NAMES and not any(name in line and year in line for line in listed):
                missing.append(f"{path.relative_to(root)}: {name} {year}")
for line in sorted(set(missing)):
    print(f"{line} is not in docs/references.md")
sys.exit(bool(missing))
