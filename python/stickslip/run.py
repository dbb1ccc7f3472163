# SPDX-License-Identifier: Apache-2.0
"""Whole runs: from the start of a scene to its end, as arrays and as a report."""
from __future__ import annotations

import html
import os
import tempfile
from typing import Any, Mapping

import numpy as np

from ._errors import Context, Handle, text
from ._native import ffi, lib
from .scene import Scene


class Run:
    """The states of a run as arrays: `t` (states), `positions` (states, bodies, 3) ..."""

    def __init__(self, model, rows, report, context: Context, result) -> None:
        self.model, self._rows, self._report, self._context = model, rows, report, context
        n, nb = rows.states, len(model.bodies)
        self.t = self._array(rows.t, n)
        self.positions = self._array(rows.position, n, nb, 3)
        self.quaternions = self._array(rows.quaternion, n, nb, 4)
        self.angles = self._array(rows.angle, n, nb)
        self.velocities = self._array(rows.velocity, n, nb, 3)
        self.angular_velocities = self._array(rows.angular_velocity, n, nb, 3)
        self.kinetic, self.potential = self._array(rows.kinetic, n), self._array(rows.potential, n)
        self.dissipated, self.residual = self._array(rows.dissipated, n), self._array(rows.residual, n)
        self.contacts = np.frombuffer(bytes(ffi.buffer(rows.contacts, 4 * n)), np.int32)
        #: Figures of the whole run: steps, splits, residual_max, penetration_max ...
        self.summary: dict[str, Any] = {
            name: getattr(result, name) for name, field in ffi.typeof("ss_run_result").fields
            if field.type.kind == "primitive"}
        #: "" when the run reached its end; else why it did not.
        self.stopped = "" if result.status == lib.SS_OK else text(
            lib.ss_context_message(context.pointer))

    def body(self, name: str) -> dict[str, np.ndarray]:
        """The columns of one body."""
        i = self.model.index(name)
        return {"position": self.positions[:, i], "quaternion": self.quaternions[:, i],
                "angle": self.angles[:, i], "velocity": self.velocities[:, i],
                "angular_velocity": self.angular_velocities[:, i]}

    def to_html(self, path: str | os.PathLike[str] | None = None) -> str:
        """The report of the run: one page that needs no network. Written to `path` if given."""
        if path is None:
            with tempfile.TemporaryDirectory() as folder:
                return self.to_html(os.path.join(folder, "run.html"))
        self._context.check(lib.ss_report_write(self._report, os.fsencode(path)))
        with open(path, encoding="utf-8") as page:
            return page.read()

    def _repr_html_(self) -> str:
        """Shown in notebooks: the report in a frame of its own."""
        return (f'<iframe srcdoc="{html.escape(self.to_html(), quote=True)}" width="100%" '
                'height="640" style="border:0" sandbox="allow-scripts"></iframe>')

    def __repr__(self) -> str:
        end = self.stopped or "done"
        return f"<stickslip.Run {len(self.t) - 1} steps to t = {self.t[-1]:g}: {end}>"

    @staticmethod
    def _array(pointer, *shape: int) -> np.ndarray:
        """A copy: it may outlive the run."""
        size = int(np.prod(shape)) * 8
        return np.frombuffer(bytes(ffi.buffer(pointer, size)) if size else b"").reshape(shape)


def run(scene: Scene | str | os.PathLike[str] | Mapping[str, Any], *,
        set: Mapping[str, Any] | None = None, step: float | None = None,
        duration: float | None = None, model: str | Mapping[str, Any] | None = None,
        solver: str | None = None, threads: int = 1, check: bool = True) -> Run:
    """Takes a scene (a Scene, a path or a dictionary) to its end.

    `set` changes values by their paths; `model` is "inertia=quasistatic,cone=polygon:8" or a
    dictionary of axes. A run whose certificate fails raises CertificateError; with check=False it
    is returned with the states so far, and `stopped` says why it ended.
    """
    scene = _as_scene(scene)
    for path, value in (set or {}).items():
        scene.set(path, value)
    for path, value in (("simulation.step", step), ("simulation.duration", duration),
                        ("simulation.solver", solver)):
        if value is not None:
            scene.set(path, value)
    for axis, value in _axes(model).items():
        scene.set(f"simulation.model.{axis}", value)
    compiled = scene.compile()
    data = compiled.data()
    if threads > 1:
        data.set_threads(threads)
    return _record(compiled, data, check)


def _as_scene(scene) -> Scene:
    if isinstance(scene, Scene):
        copy = Scene(scene._text, scene._path, scene._name)
        copy._set, copy._controllers = list(scene._set), list(scene._controllers)
        return copy
    return Scene.from_dict(scene) if isinstance(scene, Mapping) else Scene.load(scene)


def _axes(model: str | Mapping[str, Any] | None) -> dict[str, Any]:
    if not isinstance(model, str):
        return dict(model or {})
    axes = {}
    for word in model.split(","):
        axis, _, value = word.partition("=")
        name, colon, number = value.partition(":")
        axes[axis.strip()] = {name.strip(): int(number)} if colon else name.strip()
    return axes


def _record(model, data, check: bool) -> Run:
    context = data._context
    rows = lib.ssp_rows_create()
    keep = [Handle(rows, lib.ssp_rows_destroy)]
    report_out, recorders = ffi.new("ss_report **"), ffi.new("ss_recorder *[2]")
    context.check(lib.ss_report_create(context.pointer, report_out))
    report = report_out[0]
    keep.append(Handle(report, lib.ss_report_destroy, context.handle))
    one = ffi.new("ss_recorder **")
    context.check(lib.ssp_recorder(context.pointer, rows, one))
    recorders[0] = one[0]
    context.check(lib.ss_report_recorder(report, b"run", one))
    recorders[1] = one[0]
    definition = ffi.new("ss_run_def *", lib.ss_run_def_default())
    definition.recorders, definition.recorder_count = recorders, 2
    definition.scene_name = lib.ss_scene_name(model._scene.pointer)
    definition.scene_path = lib.ss_scene_path(model._scene.pointer)
    definition.scene_text = lib.ss_scene_text(model._scene.pointer)
    definition.resolved = lib.ss_scene_resolved(model._scene.pointer)
    result = ffi.new("ss_run_result *")
    status = lib.ss_run(context.pointer, model._pointer, data._pointer, definition, result)
    for i in range(2):
        lib.ss_recorder_destroy(recorders[i])
    if status != lib.SS_ERR_CERTIFICATE or check:
        context.check(status)
    finished = Run(model, rows, report, context, result)
    finished._keep = [*keep, data]
    return finished
