# SPDX-License-Identifier: Apache-2.0
"""Studies: many runs of one scene, as arrays with one entry a trial."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping

import numpy as np

from ._errors import Context, Handle, text
from ._native import ffi, lib
from .scene import _as_yaml

STATUS = ("pending", "done", "stopped", "failed")


class Sweep:
    """What a sweep found. Every array has one entry a trial, in the order of the trials.

    `inputs` and `measures` are dictionaries of arrays by name; `status` has words; `messages` say why trials failed.
    """

    def __init__(self, context: Context, study, trials) -> None:
        self._context, self._study, self._trials = context, study, trials
        pointer, n = study.pointer, lib.ss_study_trials(study.pointer)
        self.name, self.trials, self.cells = text(lib.ss_study_name(pointer)), n, lib.ss_study_cells(pointer)
        inputs = [text(lib.ss_study_input_name(pointer, i)) for i in range(lib.ss_study_input_count(pointer))]
        measures = [text(lib.ss_study_measure_name(pointer, i)) for i in range(lib.ss_study_measure_count(pointer))]
        rows, row = [], ffi.new("ss_trial *")
        for k in range(n):
            if lib.ss_trials_get(trials.pointer, k, row):
                rows.append((row.status, row.steps, row.time, row.residual, row.seconds, ffi.string(row.message).decode(),
                             ffi.unpack(row.inputs, len(inputs)) if inputs else [],
                             ffi.unpack(row.measures, len(measures)) if measures else []))
        self.status = np.array([STATUS[r[0]] for r in rows])
        self.steps, self.time = np.array([r[1] for r in rows], dtype=np.int64), np.array([r[2] for r in rows])
        self.residual, self.seconds = np.array([r[3] for r in rows]), np.array([r[4] for r in rows])
        self.messages = [r[5] for r in rows]
        self.inputs = {name: self._column(rows, 6, i) for i, name in enumerate(inputs)}
        self.measures = {name: self._column(rows, 7, i) for i, name in enumerate(measures)}
        self._measure_names = measures

    def _column(self, rows, place: int, index: int) -> np.ndarray:
        """Numbers; texts where the study varies words."""
        values = [row[place][index] for row in rows]
        if place == 6:
            words = [lib.ss_study_input_text(self._study.pointer, index, v) for v in values]
            if any(w != ffi.NULL for w in words):
                return np.array([text(w) if w != ffi.NULL else str(v) for w, v in zip(words, values)])
        return np.array(values, dtype=float)

    def estimate(self, measure: str, cell: int = -1) -> dict[str, float]:
        """Mean and 95 % interval of a measure over a cell, or over all trials."""
        if measure not in self._measure_names:
            raise KeyError(measure)
        e = lib.ss_trials_estimate(self._trials.pointer, self._measure_names.index(measure), cell)
        return {key: getattr(e, key) for key in ("count", "mean", "low", "high", "deviation", "least", "most")}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """One row a trial, as `stickslip sweep --csv` writes it."""
        self._context.check(lib.ss_trials_csv(self._trials.pointer, os.fspath(path).encode()))

    def to_html(self, path: str | os.PathLike[str], replays: int = 0) -> None:
        """The report of the study, with replays of so many of its trials."""
        definition = ffi.new("ss_study_report_def *", {"replays": replays})
        self._context.check(lib.ss_trials_report(self._trials.pointer, definition, os.fspath(path).encode()))

    def __repr__(self) -> str:
        done = int(np.sum((self.status == "done") | (self.status == "stopped")))
        return f"<stickslip.Sweep {self.name!r}: {done} of {self.trials} trials done, measures {', '.join(self.measures)}>"


def sweep(study: str | os.PathLike[str] | Mapping[str, Any], *, set: Mapping[str, Any] | None = None,  # noqa: A002
          threads: int = 0, out: str | os.PathLike[str] | None = None, resume: bool = False,
          progress: Callable[[int, int], None] | None = None) -> Sweep:
    """Computes all trials of a study: a file, or a dictionary with the keys of study files (scenes are then found
    from the current folder). `set` changes values of the study file; `out` keeps results in HDF5, and `resume` goes on
    with what is there; `progress(done, trials)` is called after every trial. The interpreter is free meanwhile, and
    results do not depend on `threads`."""
    context = Context()
    overrides = [ffi.new("char[]", f"{path}={_as_yaml(value)}".encode()) for path, value in (set or {}).items()]
    table = ffi.new("const char *[]", overrides or [ffi.NULL])
    definition, place = ffi.new("ss_study_def *", {"overrides": table, "override_count": len(overrides)}), ffi.new("ss_study **")
    if isinstance(study, Mapping):
        words = _as_yaml(study).encode()
        context.check(lib.ss_study_load_text(context.pointer, words, len(words), b"<dict>", definition, place))
    else:
        context.check(lib.ss_study_load(context.pointer, os.fspath(study).encode(), definition, place))
    loaded = Handle(place[0], lib.ss_study_destroy, context.handle)
    how, trials = ffi.new("ss_sweep_def *"), ffi.new("ss_trials **")
    path = ffi.new("char[]", os.fspath(out).encode()) if out is not None else ffi.NULL
    how.out, how.resume, how.threads = path, resume, threads
    total, raised, done = lib.ss_study_trials(place[0]), [], [0]

    @ffi.callback("void(void *, const ss_trials *, const ss_trial *)")
    def tell(_user, _so_far, _last) -> None:
        done[0] += 1
        try:
            progress(done[0], total)
        except BaseException as error:  # raised again below: C knows no exceptions
            raised.append(error)

    if progress is not None:
        how.progress = tell
    status = lib.ss_study_sweep(context.pointer, place[0], how, trials)
    kept = Handle(trials[0], lib.ss_trials_destroy, loaded) if trials[0] != ffi.NULL else None
    context.check(status)
    if raised:
        raise raised[0]
    return Sweep(context, loaded, kept)
