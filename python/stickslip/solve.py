# SPDX-License-Identifier: Apache-2.0
"""Complementarity problems on numpy and scipy matrices, solved and certified."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from ._errors import Context, Handle, InputError, text
from ._native import ffi, lib


@dataclass
class Solution:
    """An answer with its certificate."""

    z: np.ndarray  #: the solution; friction problems: reactions, contact after contact
    status: str  #: solved, inaccurate, ray, infeasible, limit, not-applicable, numerical
    residual: float  #: of the problem as given, computed apart from the solver
    iterations: int

    @property
    def solved(self) -> bool:
        return self.status == "solved"


def solve_lcp(M, q, *, solver: str = "auto", tol: float = 1e-10, z0=None) -> Solution:
    """0 <= z, w = M z + q >= 0, z'w = 0. M: numpy array or scipy sparse matrix."""
    return _solve(_lcp(M, q), solver, tol, z0)


def solve_mlcp(M, q, free, *, solver: str = "auto", tol: float = 1e-10, z0=None) -> Solution:
    """The same with w_i = 0 and z_i of any sign where free[i] is true."""
    problem = _lcp(M, q)
    flags = np.ascontiguousarray(free, dtype=np.uint8)
    if flags.shape != (problem.n,):
        raise InputError(f"free must have {problem.n} entries, got {flags.shape}")
    problem.struct.type = lib.SS_MLCP
    lcp = getattr(problem.struct, "as").lcp
    n, matrix, vector = lcp.n, ffi.new("ss_matrix *", lcp.M), lcp.q
    mlcp = getattr(problem.struct, "as").mlcp
    mlcp.n, mlcp.M, mlcp.q = n, matrix[0], vector
    mlcp.free = problem.keep("unsigned char", flags)
    return _solve(problem, solver, tol, z0)


def solve_friction(W, q, mu, *, solver: str = "auto", tol: float = 1e-10, r0=None) -> Solution:
    """u = W r + q with Coulomb friction at len(mu) contacts of 3 rows (normal, t, o) or 2 (2D)."""
    mu = np.atleast_1d(np.asarray(mu, dtype=float))
    problem = _Problem(lib.SS_CONE)
    matrix, n = problem.matrix(W)
    dim, rest = divmod(n, len(mu)) if len(mu) else (0, 1)
    if rest or dim not in (2, 3):
        raise InputError(f"{n} rows are not 2 or 3 for each of {len(mu)} contacts")
    cone = getattr(problem.struct, "as").cone
    blocks = ffi.new("ss_block[]", len(mu))
    for i, value in enumerate(mu):
        blocks[i] = {"kind": lib.SS_BLOCK_CONE, "start": i * dim, "dim": dim, "mu": value,
                     "bound": 0}
    problem.alive.append(blocks)
    cone.n, cone.nblocks, cone.blocks, cone.W = n, len(mu), blocks, matrix
    cone.q = problem.vector(q, n)
    problem.n = n
    return _solve(problem, solver, tol, r0)


class _Problem:
    """A C problem and the arrays that it borrows."""

    def __init__(self, kind: int) -> None:
        self.context, self.alive = Context(), []
        self.struct = ffi.new("ss_problem *")
        self.struct.type = kind
        self.n = 0

    def keep(self, ctype: str, array: np.ndarray):
        self.alive.append(array)
        return ffi.cast(f"const {ctype} *", ffi.from_buffer(array))

    def vector(self, values, n: int):
        array = np.ascontiguousarray(values, dtype=float).ravel()
        if array.shape != (n,):
            raise InputError(f"the vector must have {n} entries, got {array.shape[0]}")
        return self.keep("double", array)

    def matrix(self, M) -> tuple[Any, int]:
        """An ss_matrix over a numpy array or a scipy sparse matrix."""
        if len(M.shape) != 2 or M.shape[0] != M.shape[1]:
            raise InputError(f"the matrix must be square, got {'x'.join(map(str, M.shape))}")
        n = M.shape[0]
        out = {"rows": n, "cols": n}
        if hasattr(M, "tocsc"):
            csc = M.tocsc().astype(float)
            csc.sum_duplicates()
            csc.sort_indices()
            out["colptr"] = self.keep("int32_t", csc.indptr.astype(np.int32))
            out["rowind"] = self.keep("int32_t", csc.indices.astype(np.int32))
            out["values"] = self.keep("double", csc.data)
        else:
            dense = np.asfortranarray(M, dtype=float)
            self.alive.append(dense)
            out["dense"] = ffi.cast("const double *", dense.ctypes.data)
            out["ld"] = max(n, 1)
        return out, n


def _lcp(M, q) -> _Problem:
    problem = _Problem(lib.SS_LCP)
    matrix, n = problem.matrix(M if hasattr(M, "shape") else np.asarray(M, dtype=float))
    lcp = getattr(problem.struct, "as").lcp
    lcp.n, lcp.M, lcp.q = n, matrix, problem.vector(q, n)
    problem.n = n
    return problem


def _solve(problem: _Problem, solver: str, tol: float, guess) -> Solution:
    context, out = problem.context, ffi.new("ss_solver **")
    context.check(lib.ss_problem_check(context.pointer, problem.struct))
    context.check(lib.ss_solver_create_named(context.pointer, solver.encode(), out))
    engine = out[0]
    keep = Handle(engine, lib.ss_solver_destroy, context.handle)  # until this call returns
    context.check(lib.ss_solver_set(engine, b"tol", repr(float(tol)).encode()))
    z = np.zeros(problem.n)
    x = ffi.new("ss_solution *")
    if guess is not None:
        z[:] = guess
        x.warm = True
    x.z = ffi.cast("double *", z.ctypes.data)
    context.check(lib.ss_solve(engine, problem.struct, x))
    del keep
    return Solution(z, text(lib.ss_outcome_text(x.outcome)), x.residual, x.iterations)
