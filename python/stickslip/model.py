# SPDX-License-Identifier: Apache-2.0
"""Models: compiled scenes, constant, shared by any number of threads."""
from __future__ import annotations

from ._errors import Context, Handle, text
from ._native import lib
from .data import Data


class Model:
    """A compiled scene. Made by `Scene.compile()`."""

    def __init__(self, context: Context, pointer, scene, controllers) -> None:
        self._context = context  # owns the model's memory
        self._pointer = pointer
        self._handle = Handle(pointer, lib.ss_model_destroy, context.handle, scene)
        self._scene, self._controllers = scene, controllers
        self.dimension: int = lib.ss_model_dimension(pointer)
        #: Names of the bodies, in the order of the scene: rows of every array are in this order.
        self.bodies = [text(lib.ss_model_body_name(pointer, i))
                       for i in range(lib.ss_model_body_count(pointer))]
        self.joints = [text(lib.ss_model_joint_name(pointer, i))
                       for i in range(lib.ss_model_joint_count(pointer))]
        simulation = lib.ss_model_simulation(pointer)
        self.step: float = simulation.step
        self.duration: float = simulation.duration

    def data(self) -> Data:
        """The state at the scene's start, with a context of its own: one a thread."""
        return Data(self)

    def index(self, body: str) -> int:
        """The row of a body."""
        try:
            return self.bodies.index(body)
        except ValueError:
            raise KeyError(f"there is no body {body!r}; there are {', '.join(self.bodies)}") from None

    def mass(self, body: str) -> float:
        return lib.ss_model_mass(self._pointer, self.index(body))

    def __repr__(self) -> str:
        return f"<stickslip.Model {len(self.bodies)} bodies, {self.dimension}D>"
