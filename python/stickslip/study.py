# SPDX-License-Identifier: Apache-2.0
"""Studies: many runs of one scene, as arrays with one entry a trial."""
from __future__ import annotations

import os
from typing import Any, Callable, Mapping, Sequence

import numpy as np

from ._builtin import builtin, is_builtin
from ._errors import Context, Handle, InputError, text
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


class Design:
    """The best design that was found. `best` has its values by name, `objective` what it is worth; `feasible` says whether it keeps
    all constraints, `constraints` how far inside each it is (>= 0: kept). `trials` is its sweep; `tried` counts candidates; `rungs` say what each
    model of the study did."""

    def __init__(self, context: Context, study, design) -> None:
        pointer, best = design.pointer, ffi.new("ss_candidate *")
        self._design = design
        self.feasible, self.tried = bool(lib.ss_design_best(pointer, best)), lib.ss_design_count(pointer)
        self.best = {text(lib.ss_design_choice_name(pointer, i)): best.x[i] for i in range(lib.ss_design_choice_count(pointer))}
        self.objective = best.objective
        self.constraints = {text(lib.ss_design_constraint_text(pointer, i)): best.constraints[i]
                            for i in range(lib.ss_design_constraint_count(pointer))}
        uses = [lib.ss_design_rung(pointer, i) for i in range(lib.ss_design_rung_count(pointer))]
        self.rungs = [{"name": text(u.name), "candidates": u.candidates, "passed": u.passed, "lost": u.lost, "seconds": u.seconds}
                      for u in uses]
        self.trials = Sweep(context, study, Handle(lib.ss_design_trials(pointer), lambda _: None, design))

    def __repr__(self) -> str:
        values = ", ".join(f"{name} = {value:.6g}" for name, value in self.best.items())
        return f"<stickslip.Design {values}: {self.objective:.6g}{'' if self.feasible else ', no candidate keeps all constraints'}>"


class Plan:
    """A sequence of actions. `actions` is a list of (name, numbers by name); `found` says whether it reaches the goal in every run;
    `errors[run, goal]` are in units of what each goal allows (run 0: without uncertainty); `check` is the share of fresh trials that reach it."""

    def __init__(self, context: Context, study, plan) -> None:
        pointer = plan.pointer
        self._context, self._plan = context, plan
        self.found, self.simulated = bool(lib.ss_plan_found(pointer)), lib.ss_plan_simulated(pointer)
        self.actions = [(text(lib.ss_plan_action(pointer, k)),
                         {text(lib.ss_plan_number_name(pointer, k, i)): lib.ss_plan_number(pointer, k, i)
                          for i in range(lib.ss_plan_number_count(pointer, k))}) for k in range(lib.ss_plan_length(pointer))]
        self.goals = [text(lib.ss_plan_goal_name(pointer, g)) for g in range(lib.ss_plan_goal_count(pointer))]
        self.errors = np.array([[lib.ss_plan_error(pointer, r, g) for g in range(len(self.goals))]
                                for r in range(lib.ss_plan_run_count(pointer))])
        e = lib.ss_plan_check(pointer)
        self.check = {key: getattr(e, key) for key in ("count", "mean", "low", "high")}

    def to_csv(self, path: str | os.PathLike[str]) -> None:
        """One line for each number of each action, as `stickslip plan --csv` writes it."""
        self._context.check(lib.ss_plan_write(self._plan.pointer, os.fspath(path).encode()))

    def __repr__(self) -> str:
        return f"<stickslip.Plan of {len(self.actions)} actions, {'found' if self.found else 'not found'}>"


class _Scenes:
    """Finds built-in scenes for studies, and keeps their texts while a study is read."""

    def __init__(self) -> None:
        self.pointer, self.kept, self.missing = ffi.new_handle(self), [], None

    def raise_missing(self) -> None:
        if self.missing is not None:
            raise self.missing


@ffi.def_extern(error=False)
def ssp_find_scene(user, name, text, length):
    scenes, name = ffi.from_handle(user), ffi.string(name).decode()
    if not is_builtin(name):
        return False
    try:
        data = builtin("scenes", name).encode()
    except InputError as error:  # C cannot carry it
        scenes.missing = error
        return False
    scenes.kept.append(ffi.new("char[]", data))
    text[0], length[0] = scenes.kept[-1], len(data)
    return True


def _load(context: Context, study: str | os.PathLike[str] | Mapping[str, Any], changes: Mapping[str, Any] | None) -> Handle:
    """A study from a file or a dictionary."""
    overrides = [ffi.new("char[]", f"{path}={_as_yaml(value)}".encode()) for path, value in (changes or {}).items()]
    table = ffi.new("const char *[]", overrides or [ffi.NULL])
    scenes = _Scenes()
    definition, place = ffi.new("ss_study_def *", {"overrides": table, "override_count": len(overrides)}), ffi.new("ss_study **")
    definition.find_scene, definition.find_user = lib.ssp_find_scene, scenes.pointer
    if isinstance(study, Mapping) or is_builtin(study):
        whole = isinstance(study, Mapping)
        words = (_as_yaml(study) if whole else builtin("studies", os.fspath(study))).encode()
        name = b"<dict>" if whole else os.fspath(study).encode()
        status = lib.ss_study_load_text(context.pointer, words, len(words), name, definition, place)
        scenes.raise_missing()
        context.check(status)
    else:
        status = lib.ss_study_load(context.pointer, os.fspath(study).encode(), definition, place)
        scenes.raise_missing()
        context.check(status)
    return Handle(place[0], lib.ss_study_destroy, context.handle)


def _guarded(signature: str, progress: Callable[..., None], values: Callable[..., tuple], raised: list) -> Any:
    """A C callback that calls `progress` and keeps what it raises: C knows no exceptions."""
    @ffi.callback(signature)
    def tell(_user, *arguments) -> None:
        try:
            progress(*values(*arguments))
        except BaseException as error:  # noqa: BLE001
            raised.append(error)
    return tell


def design(study: str | os.PathLike[str] | Mapping[str, Any], *, set: Mapping[str, Any] | None = None,  # noqa: A002
           threads: int = 0, journal: str | os.PathLike[str] | None = None, resume: bool = False, naive: bool = False,
           plugins: Sequence[str | os.PathLike[str]] = (), progress: Callable[[int, float, bool], None] | None = None) -> Design:
    """Searches for the best design of a study of kind `design`. `journal` keeps every candidate as CSV, and `resume` does not compute
    again what it has; `progress(number, objective, feasible)` is called after every candidate."""
    context, raised = Context(plugins), []
    loaded = _load(context, study, set)
    how, found = ffi.new("ss_design_def *"), ffi.new("ss_design **")
    path = ffi.new("char[]", os.fspath(journal).encode()) if journal is not None else ffi.NULL
    how.journal, how.resume, how.naive, how.threads = path, resume, naive, threads
    tell = _guarded("void(void *, const ss_candidate *, const ss_candidate *)", progress,
                    lambda last, _best: (last.number, last.objective, bool(last.feasible)), raised) if progress is not None else None
    if tell is not None:
        how.progress = tell
    status = lib.ss_study_design(context.pointer, loaded.pointer, how, found)
    kept = Handle(found[0], lib.ss_design_destroy, loaded) if found[0] != ffi.NULL else None
    context.check(status)
    if raised:
        raise raised[0]
    return Design(context, loaded, kept)


def plan(study: str | os.PathLike[str] | Mapping[str, Any], *, set: Mapping[str, Any] | None = None,  # noqa: A002
         threads: int = 0, plugins: Sequence[str | os.PathLike[str]] = (), progress: Callable[[int, int, float], None] | None = None) -> Plan:
    """Searches for the shortest plan of a study of kind `plan`; where none reaches the goal, the one that came nearest.
    `progress(length, simulated, worst)` is called now and then."""
    context, raised = Context(plugins), []
    loaded = _load(context, study, set)
    how, found = ffi.new("ss_plan_def *", {"threads": threads}), ffi.new("ss_plan **")
    tell = _guarded("void(void *, int32_t, int64_t, double)", progress, lambda *numbers: numbers, raised) if progress is not None else None
    if tell is not None:
        how.progress = tell
    status = lib.ss_study_plan(context.pointer, loaded.pointer, how, found)
    kept = Handle(found[0], lib.ss_plan_destroy, loaded) if found[0] != ffi.NULL else None
    context.check(status)
    if raised:
        raise raised[0]
    return Plan(context, loaded, kept)


def sweep(study: str | os.PathLike[str] | Mapping[str, Any], *, set: Mapping[str, Any] | None = None,  # noqa: A002
          threads: int = 0, out: str | os.PathLike[str] | None = None, resume: bool = False,
          plugins: Sequence[str | os.PathLike[str]] = (), progress: Callable[[int, int], None] | None = None) -> Sweep:
    """Computes all trials of a study: a file, or a dictionary with the keys of study files (scenes are then found
    from the current folder). `set` changes values of the study file; `out` keeps results in HDF5, and `resume` goes on
    with what is there; `progress(done, trials)` is called after every trial. The interpreter is free meanwhile, and
    results do not depend on `threads`."""
    context, raised, done = Context(plugins), [], [0]
    loaded = _load(context, study, set)
    how, trials = ffi.new("ss_sweep_def *"), ffi.new("ss_trials **")
    path = ffi.new("char[]", os.fspath(out).encode()) if out is not None else ffi.NULL
    how.out, how.resume, how.threads = path, resume, threads
    total = lib.ss_study_trials(loaded.pointer)

    def count(_so_far, _last) -> tuple[int, int]:
        done[0] += 1
        return done[0], total

    tell = _guarded("void(void *, const ss_trials *, const ss_trial *)", progress, count, raised) if progress is not None else None
    if tell is not None:
        how.progress = tell
    status = lib.ss_study_sweep(context.pointer, loaded.pointer, how, trials)
    kept = Handle(trials[0], lib.ss_trials_destroy, loaded) if trials[0] != ffi.NULL else None
    context.check(status)
    if raised:
        raise raised[0]
    return Sweep(context, loaded, kept)
