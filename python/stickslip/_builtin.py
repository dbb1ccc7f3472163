# SPDX-License-Identifier: Apache-2.0
"""Scenes and studies that come with the module, under the names that they have for the command: `builtin:NAME`."""
from __future__ import annotations

import difflib
import os
import pathlib

from ._errors import InputError

PREFIX = "builtin:"
_FOLDER = pathlib.Path(__file__).parent


def is_builtin(name: str | os.PathLike[str]) -> bool:
    return os.fspath(name).startswith(PREFIX)


def builtin(kind: str, name: str) -> str:
    """The text of a built-in file; `kind`: scenes or studies."""
    known = {path.stem: path for path in (_FOLDER / kind).glob("*.yaml")}
    own = name[len(PREFIX):]
    if own not in known:
        near = difflib.get_close_matches(own, known, 1)
        what = {"scenes": "scene", "studies": "study"}[kind]
        raise InputError(f"there is no built-in {what} '{own}'" + (f"; did you mean '{near[0]}'?" if near else ""))
    return known[own].read_text(encoding="utf-8")
