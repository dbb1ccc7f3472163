# SPDX-License-Identifier: Apache-2.0
"""Data: everything that changes in a simulation, as numpy arrays."""
from __future__ import annotations

import weakref
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np

from ._errors import Context, Handle, InputError, text
from ._native import ffi, lib

if TYPE_CHECKING:
    from .model import Model


def _dtype(struct: str) -> np.dtype:
    """The numpy type of a C struct: same fields, same places, no copy."""
    names, formats, offsets = [], [], []
    for name, field in ffi.typeof(struct).fields:
        names.append(name)
        formats.append(_format(field.type))
        offsets.append(field.offset)
    return np.dtype({"names": names, "formats": formats, "offsets": offsets,
                     "itemsize": ffi.sizeof(struct)})


def _format(ctype) -> Any:
    if ctype.kind == "array":
        return (_format(ctype.item), (ctype.length,))
    if ctype.kind == "enum":
        return np.int32
    if ctype.kind == "struct":  # ss_vec3, ss_quat: as many doubles
        return (np.float64, (ffi.sizeof(ctype) // 8,))
    return {"double": np.float64, "int32_t": np.int32, "uint32_t": np.uint32, "int": np.int32,
            "unsigned int": np.uint32, "_Bool": np.bool_, "uint64_t": np.uint64}[ctype.cname]


CONTACT = _dtype("ss_contact_info")
JOINT = _dtype("ss_joint_info")
FEATURES = _dtype("ss_feature_pair")
STATES = ("open", "stick", "slip")
_steps = lib.ssp_steps  # looked up once: a step of one body takes a few microseconds


class Data:
    """A simulation's state. Arrays have one row a body and are views: they change with it.

    One thread at a time may use it; several threads may each step a Data of one Model, and the
    interpreter is free while they do.
    """

    def __init__(self, model: "Model") -> None:
        self.model, self._context = model, Context()
        out = ffi.new("ss_data **")
        self._context.check(lib.ss_data_create(self._context.pointer, model._pointer, out))
        self._pointer = out[0]
        self._handle = Handle(out[0], lib.ss_data_destroy, self._context.handle, model._handle)
        for handle in model._controllers:
            handle.data_of[int(ffi.cast("uintptr_t", out[0]))] = weakref.ref(self)
        n = len(model.bodies)
        self._position, self._velocity = np.zeros((n, 3)), np.zeros((n, 3))
        self._spin, self._quaternion, self._angle = np.zeros((n, 3)), np.zeros((n, 4)), np.zeros(n)
        self._shown = ffi.new("ssp_view *", {"model": model._pointer, "data": out[0]})
        for name, array in (("position", self._position), ("quaternion", self._quaternion), ("angle", self._angle),
                            ("velocity", self._velocity), ("angular_velocity", self._spin)):
            setattr(self._shown, name, ffi.cast("double *", ffi.from_buffer(array)))
        self._gather()

    # -- stepping ---------------------------------------------------------------------------------

    def step(self, n: int = 1, h: float | None = None) -> int:
        """Takes n steps of h seconds (the scene's step by default). Returns how many were taken.

        Raises CertificateError where a step cannot be certified; the state is then that of before
        this step, and every step before it has been taken.
        """
        if n < 0:
            raise InputError(f"the number of steps must be >= 0, got {n}")
        status = _steps(self._shown, n, self.model.step if h is None else h)
        if status or self._context.warnings:
            self._context.check(status)
        return n

    def collide(self, h: float | None = None) -> None:
        """The first of the four parts of a step: frames, forces, contacts. `formulate`, `solve` and `update` follow;
        together they are `step()`, to the bit."""
        self._context.check(lib.ss_step_collide(self.model._pointer, self._pointer,
                                                self.model.step if h is None else h))

    def formulate(self) -> None:
        """The second part: contacts and joints become problems."""
        self._context.check(lib.ss_step_formulate(self.model._pointer, self._pointer))

    def solve(self) -> None:
        """The third: they are solved, and their residuals measured."""
        self._context.check(lib.ss_step_solve(self.model._pointer, self._pointer))

    def update(self) -> None:
        """The last: velocities, positions, both certificates; the state is that of the end of the step."""
        status = lib.ss_step_update(self.model._pointer, self._pointer)
        self._gather()
        self._context.check(status)

    def reset(self) -> None:
        """Back to the scene's start."""
        self._context.check(lib.ss_data_reset(self.model._pointer, self._pointer))
        self._gather()

    def set_threads(self, threads: int) -> None:
        """Solves independent islands of a step on several threads, with the same bits."""
        self._context.check(lib.ss_data_set_threads(self._pointer, threads))

    # -- state ------------------------------------------------------------------------------------

    @property
    def time(self) -> float:
        return lib.ss_data_time(self._pointer)

    @property
    def positions(self) -> np.ndarray:
        """(bodies, 3) origins of the body frames in the world; 2D: z is 0."""
        return self._view(self._position)

    @property
    def quaternions(self) -> np.ndarray:
        """(bodies, 4) orientations, w first."""
        return self._view(self._quaternion)

    @property
    def angles(self) -> np.ndarray:
        """(bodies,) 2D: angles, not wrapped."""
        return self._view(self._angle)

    @property
    def velocities(self) -> np.ndarray:
        """(bodies, 3) velocities of the origins of the body frames."""
        return self._view(self._velocity)

    @property
    def angular_velocities(self) -> np.ndarray:
        """(bodies, 3) in world axes; 2D: about z."""
        return self._view(self._spin)

    def set_body(self, body: str, *, position: Sequence[float] | None = None,
                 quaternion: Sequence[float] | None = None, angle: float | None = None,
                 velocity: Sequence[float] | None = None,
                 angular_velocity: Sequence[float] | None = None) -> None:
        """Puts a body somewhere; what is not given stays."""
        index, state = self.model.index(body), ffi.new("ss_body_state *")
        lib.ss_data_body(self.model._pointer, self._pointer, index, state)
        flat = self.model.dimension
        for value, field, names, dimension in ((position, state.position, "xyz", flat),
                                               (quaternion, state.quat_wxyz, "wxyz", 3),
                                               (velocity, state.velocity, "xyz", flat),
                                               (angular_velocity, state.angular_velocity, "xyz", 3)):
            if value is not None:
                _fill(field, names, value, dimension)
        if angle is not None:
            state.angle = angle
        self._context.check(lib.ss_data_set_body(self.model._pointer, self._pointer, index, state))
        self._gather()

    def push(self, body: str, force: Sequence[float] = (0, 0, 0),
             torque: Sequence[float] = (0, 0, 0)) -> None:
        """A force and a torque at the centre of mass, in world axes, during the next step only."""
        vectors = ffi.new("ss_vec3[2]")
        _fill(vectors[0], "xyz", force, self.model.dimension)
        _fill(vectors[1], "xyz", torque, 3)
        self._context.check(lib.ss_data_push(self.model._pointer, self._pointer,
                                             self.model.index(body), vectors[0], vectors[1]))

    # -- what the last step found -------------------------------------------------------------------

    @property
    def contacts(self) -> np.ndarray:
        """The contacts of the last step: a structured array with the fields of ss_contact_info.

        `state` is an index into stickslip.data.STATES. Impulses act on body_b.
        """
        count = lib.ss_data_contact_count(self._pointer)
        array = np.zeros(count, CONTACT)
        lib.ssp_contacts(self.model._pointer, self._pointer,
                         ffi.cast("ss_contact_info *", ffi.from_buffer(array)), count)
        return array

    def active_set(self, reach: float) -> np.ndarray:
        """Every pair of features of two bodies with a gap of at most `reach` metres now, touching or not: a structured
        array with the fields of ss_feature_pair (bodies, features, points, normal, gap)."""
        count, array = ffi.new("int32_t *"), np.zeros(64, FEATURES)
        while True:
            self._context.check(lib.ss_data_active_set(
                self.model._pointer, self._pointer, reach,
                ffi.cast("ss_feature_pair *", ffi.from_buffer(array)), len(array), count))
            if count[0] <= len(array):
                return array[:count[0]].copy()
            array = np.zeros(count[0], FEATURES)

    @property
    def joints(self) -> np.ndarray:
        """The joints after the last step, in the order of model.joints (fields of ss_joint_info)."""
        count = len(self.model.joints)
        array = np.zeros(count, JOINT)
        lib.ssp_joints(self.model._pointer, self._pointer,
                       ffi.cast("ss_joint_info *", ffi.from_buffer(array)), count)
        return array

    @property
    def report(self) -> dict[str, Any]:
        """What the last step says of itself: outcome, residual, contacts, rounds ..."""
        report, answer = lib.ss_data_report(self._pointer), {}
        for name, field in ffi.typeof("ss_step_report").fields:
            if field.type.kind in ("primitive", "pointer"):
                value = getattr(report, name)
                answer[name] = text(value) if field.type.kind == "pointer" else value
        answer["outcome"] = text(lib.ss_outcome_text(report.outcome))
        answer["motion"] = text(lib.ss_motion_verdict_text(report.motion))
        answer["hold"] = text(lib.ss_hold_text(report.hold))
        verdict = report.verdict
        answer["verdict"] = {"solutions": verdict.solutions, "active": verdict.active,
                             **{name: text(lib.ss_ruling_text(getattr(verdict, name)))
                                for name in ("unique", "forces_unique", "stable")}}
        return answer

    @property
    def energy(self) -> dict[str, float]:
        """Kinetic and potential energy, and what was dissipated since the start."""
        energy = lib.ss_data_energy(self.model._pointer, self._pointer)
        return {name: getattr(energy, name) for name, _ in ffi.typeof("ss_energy").fields}

    # -- snapshots ----------------------------------------------------------------------------------

    def snapshot(self) -> bytes:
        """All that the next step depends on: a run that goes on from it has the same bits."""
        size = lib.ss_snapshot_size(self.model._pointer, self._pointer)
        buffer = ffi.new("char[]", size)
        lib.ss_snapshot_get(self.model._pointer, self._pointer, buffer)
        return bytes(ffi.buffer(buffer, size))

    def restore(self, snapshot: bytes) -> None:
        """Back to a snapshot of this model."""
        self._context.check(lib.ss_snapshot_set(self.model._pointer, self._pointer,
                                                ffi.from_buffer(snapshot), len(snapshot)))
        self._gather()

    @property
    def state_hash(self) -> int:
        return lib.ss_state_hash(self.model._pointer, self._pointer)

    def __repr__(self) -> str:
        return f"<stickslip.Data t = {self.time:g}>"

    # -- inside -------------------------------------------------------------------------------------

    def _gather(self) -> None:
        lib.ssp_bodies(self._shown)

    @staticmethod
    def _view(array: np.ndarray) -> np.ndarray:
        view = array.view()
        view.flags.writeable = False  # set_body() changes the state; writing here would not
        return view


def _fill(field, names: str, values: Sequence[float], dimension: int) -> None:
    """Entries of a C vector; in 2D a place, a velocity and a force may have no z."""
    values = [float(v) for v in values]
    if len(values) != len(names) and not (names == "xyz" and dimension == 2 and len(values) == 2):
        raise InputError(f"expected {len(names)} numbers, got {len(values)}")
    for name, value in zip(names, values):
        setattr(field, name, value)
