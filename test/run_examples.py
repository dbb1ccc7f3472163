#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs the examples of a Markdown page and compares what they print with what the page says.

usage: run_examples.py BUILD_FOLDER PAGE.md

In ```console blocks, lines that begin with "$ " are commands (and go on in lines that begin with
"> "); the lines below one are what it must print (standard output and error together). "..." inside a line stands for any text, a line "..." for
any number of lines. A last line "[exit 2]" is the expected exit code, 0 otherwise. A command without
output below it only has to end with the right exit code.
A block that begins with ```yaml file=NAME is written to the file NAME first.
All runs in an empty folder with the built command in the PATH and the project's scenes/ and problems/
beside it.
"""
import os
import re
import subprocess
import sys
import tempfile


def blocks(text):
    """Yields (line number, info string, lines) of every fenced block."""
    lines, start, info, body = text.split("\n"), None, "", []
    for number, line in enumerate(lines, 1):
        if start is None and line.startswith("```"):
            start, info, body = number, line[3:].strip(), []
        elif start is not None and line.startswith("```"):
            yield start, info, body
            start = None
        elif start is not None:
            body.append(line)


def commands(body):
    """Yields (line in the block, command, expected lines)."""
    found = []
    for number, line in enumerate(body, 1):
        if line.startswith("$ "):
            found.append([number, line[2:], []])
        elif found and line.startswith("> ") and not found[-1][2]:
            found[-1][1] += "\n" + line[2:]
        elif found:
            found[-1][2].append(line)
    return found


def line_pattern(line):
    return ".*".join(re.escape(part) for part in line.rstrip().split("..."))


def matches(expected, got):
    pattern = ""
    for line in expected:
        pattern += "(?:.*\n)*?" if line.strip() == "..." else line_pattern(line) + "[ ]*\n"
    return re.fullmatch(pattern, "".join(line.rstrip() + "\n" for line in got)) is not None


def run(command, folder, environment):
    result = subprocess.run(["/bin/sh", "-c", command], cwd=folder, env=environment, timeout=120,
                            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                            stdin=subprocess.DEVNULL, errors="replace")
    return result.returncode, result.stdout.splitlines()


def check(page, number, command, expected, folder, environment):
    while expected and expected[-1] == "":
        expected.pop()
    code = 0
    match = re.fullmatch(r"\[exit (\d+)\]", expected[-1]) if expected else None
    if match:
        code = int(match.group(1))
        expected.pop()
    got_code, got = run(command, folder, environment)
    if got_code == code and (not expected or matches(expected, got)):
        return True
    print(f"{page}:{number}: $ {command}")
    print(f"expected (exit {code}):", *expected, sep="\n  ")
    print(f"got (exit {got_code}):", *got, sep="\n  ")
    return False


def main():
    build, page = os.path.abspath(sys.argv[1]), sys.argv[2]
    root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    environment = dict(os.environ, PATH=build + os.pathsep + os.environ["PATH"], LC_ALL="C.UTF-8")
    checked = wrong = 0
    with open(page, encoding="utf-8") as file, tempfile.TemporaryDirectory() as folder:
        for shared in ("scenes", "problems"):
            os.symlink(os.path.join(root, shared), os.path.join(folder, shared))
        for start, info, body in blocks(file.read()):
            name = re.fullmatch(r"\w+ file=(\S+)", info)
            if name:
                with open(os.path.join(folder, name.group(1)), "w", encoding="utf-8") as out:
                    out.write("\n".join(body) + "\n")
            elif info == "console":
                for number, command, expected in commands(body):
                    checked += 1
                    wrong += not check(page, start + number, command, expected, folder, environment)
    print(f"{page}: {checked} commands, {wrong} wrong")
    if checked == 0:
        print("there is no example to run")
    return wrong > 0 or checked == 0


if __name__ == "__main__":
    sys.exit(main())
