#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Files that are named exist.

Markdown: code that looks like a path of the repository (`src/rows/contact_rows.c`), and links that stay inside it.
C: names of files in comments, with their folder (rows/contact_rows.c, beside or below src/) or without it (contact_rows.c,
anywhere in the tree). Names that users choose (run.h5, scene.yaml) have other endings and are passed over.

docs/theory/pipeline.md lists every stage that src/sim/step.c calls, and every reason of src/rounds/reason_list.h in its
order, with the file that defines it; docs/README.md lists every page.
"""
import os
import re
import subprocess
import sys

PATH = re.compile(r"`((?:src|include|cli|docs|test|tools|bench|scripts|cmake|python|viewer|scenes|scenarios|samples|problems)/[A-Za-z0-9_./-]+)`")
LINK = re.compile(r"\]\(([^)\s#]+)(?:#[^)]*)?\)")
COMMENT = re.compile(r"/\*.*?\*/", re.S)
SOURCE = re.compile(r"(?<![A-Za-z0-9_/.*-])((?:[a-z][A-Za-z0-9_]*/)*[a-z][A-Za-z0-9_]*\.(?:c|h|md|sh|cmake|py))\b(?![A-Za-z0-9_(])")
# headers of other projects and of the system that comments speak of, and files that a user writes
FOREIGN = {"math.h", "lapacke.h", "nlopt.h", "ccd.h", "mjdata.h"}
# files that a page teaches the reader to write
TAUGHT = {"src/rows/gap_half.c", "src/geom/egg.c"}
FORMULA = re.compile(r"[a-z]_[a-z]\.c$")  # n_i.c, a scalar product


def tracked():
    out = subprocess.run(["git", "ls-files", "--cached", "--others", "--exclude-standard"], capture_output=True, text=True)
    if out.returncode == 0 and out.stdout:
        return [f for f in out.stdout.split("\n") if f and os.path.exists(f)]
    return [os.path.join(d, f)[2:] for d, _, names in os.walk(".") if "/build" not in d and "/." not in d for f in names]


def markdown(name, text, bad):
    here = os.path.dirname(name)
    fenced = re.sub(r"```.*?```", "", text, flags=re.S)
    for path in PATH.findall(fenced):
        if not os.path.exists(path) and path not in TAUGHT and "NAME" not in path:
            bad.append(f"{name}: there is no {path}")
    for link in LINK.findall(fenced):
        if "://" not in link and not link.startswith("mailto:") and not os.path.exists(os.path.join(here, link)):
            bad.append(f"{name}: the link to {link} leads nowhere")


def code(name, text, files, names, bad):
    here = os.path.dirname(name)
    for found in COMMENT.finditer(text):
        for path in SOURCE.findall(found.group(0)):
            base = os.path.basename(path)
            if base in FOREIGN or FORMULA.match(base) or "NAME" in base:
                continue
            places = [path, os.path.join("src", path), os.path.join("cli", path), os.path.join(here, path), os.path.join("include", path), os.path.join("test", path)]
            if base not in names if "/" not in path else not any(p in files for p in places):
                line = text.count("\n", 0, found.start()) + 1
                bad.append(f"{name}:{line}: a comment names {path}, which does not exist")


def body_of(function, text):
    """What stands between the braces of a function of src/sim/step.c."""
    start = text.index(f"ss_status {function}(const")
    return text[start : text.index("\n}\n", start)]


def pipeline(bad):
    page, step, reasons = (
        open(name, encoding="utf-8").read() for name in ("docs/theory/pipeline.md", "src/sim/step.c", "src/rounds/reason_list.h")
    )
    rows = [[cell.strip() for cell in line.strip("| ").split("|")] for line in page.split("\n") if line.startswith("| `")]
    listed = {row[0].strip("`") for row in rows}
    parts = "ss_round_collide", "ss_round_formulate", "ss_round_solve", "ss_round_update", "ss_end_attempt"
    called = {c for part in parts for c in re.findall(r"(?:SS_TRY\(|STAGE\(\w+, |^    |= )(\w+)\(m?,? ?d\b", body_of(part, step), re.M)}
    called |= {"close"} if "->close(m, d)" in step else set()
    helpers = {"ss_limit_time", "ss_not_crowded", "ss_go_on", "ss_close_again", "ss_rounds_solved", "ss_inertia_of", "ss_integrator_of"}
    for name in sorted(called - helpers - listed):
        bad.append(f"docs/theory/pipeline.md: the stage {name}() of src/sim/step.c is not listed")
    wanted = re.findall(r"^SS_REASON\(\s*(\w+)\)", reasons, re.M)
    given = [row for row in rows if row[0].strip("`") in wanted]
    if [row[0].strip("`") for row in given] != wanted:
        bad.append(f"docs/theory/pipeline.md: the table of rounds lists other reasons than src/rounds/reason_list.h: {wanted}")
    for row in given:
        name, path = row[0].strip("`"), row[-1].strip("`")
        if not os.path.exists(path) or f"ss_reason_{name} " not in open(path, encoding="utf-8").read():
            bad.append(f"docs/theory/pipeline.md: {path} does not define the reason {name}")


def contents(files, bad):
    """docs/README.md lists every page."""
    with open("docs/README.md", encoding="utf-8") as f:
        listed = {os.path.normpath(os.path.join("docs", link)) for link in LINK.findall(f.read())}
    for name in sorted(files):
        if name.startswith("docs/") and name.endswith(".md") and name != "docs/README.md" and name not in listed:
            bad.append(f"docs/README.md: {name} is not listed")


def main():
    os.chdir(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
    files = set(tracked())
    names = {os.path.basename(f) for f in files}
    bad = []
    for name in sorted(files):
        folder = name.split("/")[0]
        if name.endswith(".md"):
            with open(name, encoding="utf-8") as f:
                markdown(name, f.read(), bad)
        elif name.endswith((".c", ".h")) and folder in ("src", "cli", "include", "test", "bench", "python"):
            with open(name, encoding="utf-8") as f:
                code(name, f.read(), files, names, bad)
    with open("docs/contributing/where-things-go.md", encoding="utf-8") as f:
        kinds = sum(line.startswith("| ") and "`" in line for line in f)
    if kinds < 15:
        bad.append(f"docs/contributing/where-things-go.md: {kinds} kinds of change, expected 15 or more")
    pipeline(bad)
    contents(files, bad)
    print("\n".join(bad))
    return 1 if bad else 0


sys.exit(main())
