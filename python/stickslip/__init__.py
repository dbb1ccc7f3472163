# SPDX-License-Identifier: Apache-2.0
"""stickslip: mechanisms whose parts touch, slide, stick, jam and let go.

    import stickslip
    scene = stickslip.Scene.load("scenes/slope.yaml")
    data = scene.compile().data()
    data.step(1000)
    print(data.time, data.positions)

`sweep()` computes the trials of a study, `design()` searches for the best values and `plan()` for actions; `run()` takes a scene to its end and returns arrays and a report; `solve_lcp()` and
`solve_friction()` solve and certify complementarity problems given as numpy or scipy matrices.
Errors of the library are exceptions with its own messages.
"""
from ._errors import (CertificateError, InputError, Interrupted, OutOfMemory, StickslipError,
                      UnsupportedError)
from .data import Data
from .model import Model
from .run import Run, run
from .scene import Scene
from .study import Design, Plan, Sweep, design, plan, sweep
from .solve import Solution, solve_friction, solve_lcp, solve_mlcp
from ._errors import version as _version

__version__ = _version()
__all__ = ["CertificateError", "Data", "Design", "InputError", "Interrupted", "Model", "OutOfMemory", "Plan", "Run",
           "Scene", "Solution", "StickslipError", "Sweep", "UnsupportedError", "design", "plan", "run",
           "solve_friction", "solve_lcp", "solve_mlcp", "sweep"]
