#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Writes the small problems of this folder, each planted around the solution it is given with.

    /usr/bin/python3 problems/make_problems.py problems

A solution (r, u) or (z, w) is chosen first and q is computed from it, so that the answer is known
without solving anything. The HDF5 files are written here by h5py, after the layout in
docs/reference/problem-files.md, and not by stickslip itself: reading them tests both.
"""
import io
import os
import sys
import zipfile

import h5py
import numpy as np


def numbers(values):
    return " ".join("%.17g" % v for v in values) + "\n"


def dense(matrix):
    m, n = matrix.shape
    return "0\n%d\n%d\n%d %d\n" % (m, n, m, n) + "".join(numbers(matrix[:, j]) for j in range(n))


def triplets(matrix):
    m, n = matrix.shape
    entries = [(i, j) for j in range(n) for i in range(m) if matrix[i, j] != 0]
    head = "2\n%d\n%d\n1\nplanted\ntriplet: %d-by-%d, nzmax: %d nnz: %d\n" % (
        m, n, m, n, len(entries), len(entries))
    return head + "".join("    %d %d : %.17g\n" % (i, j, matrix[i, j]) for i, j in entries)


def columns(matrix):
    m, n = matrix.shape
    nnz = np.count_nonzero(matrix)
    text = "2\n%d\n%d\n2\nplanted\n%d-by-%d, nzmax: %d nnz: %d, 1-norm: 0\n" % (m, n, m, n, nnz, nnz)
    at = 0
    for j in range(n):
        rows = np.nonzero(matrix[:, j])[0]
        text += "    col %d : locations %d to %d\n" % (j, at, at + len(rows) - 1)
        text += "".join("      %d : %.17g\n" % (i, matrix[i, j]) for i in rows)
        at += len(rows)
    return text


def blocks(matrix, size):
    nb = matrix.shape[0] // size
    present = [[j for j in range(nb)
                if matrix[i * size:(i + 1) * size, j * size:(j + 1) * size].any()]
               for i in range(nb)]
    count = sum(len(row) for row in present)
    ends = " ".join(str((k + 1) * size) for k in range(nb))
    starts = " ".join(str(sum(len(r) for r in present[:k])) for k in range(nb + 1))
    text = "1\n%d\n%d\n%d\n%d\n%d\n%s\n%s\n%d\n%d\n%s\n%s\n" % (
        *matrix.shape, count, nb, nb, ends, ends, nb + 1, count, starts,
        " ".join(str(j) for row in present for j in row))
    number = 0
    for i, row in enumerate(present):
        for j in row:
            block = matrix[i * size:(i + 1) * size, j * size:(j + 1) * size]
            text += "%d\n" % number + "".join("%.17g\n" % v for v in block.T.ravel())
            number += 1
    return text


def save(folder, name, text, solution=None):
    with open(os.path.join(folder, name), "w") as f:
        f.write(text)
    answer(folder, name, solution)


def answer(folder, name, solution):
    if solution is not None:
        with open(os.path.join(folder, name + ".solution"), "w") as f:
            f.writelines("%.17g\n" % v for v in solution)


def spd(n, seed):
    """A symmetric positive definite matrix with small whole entries."""
    a = np.random.RandomState(seed).randint(-2, 3, (n, n)).astype(float)
    return a @ a.T + n * np.eye(n)


def planted_contacts(dim):
    """Three contacts, mu = 0.5: one sticks, one slides, one is open."""
    if dim == 2:
        r = [2, -0.5, 1, -0.5, 0, 0]
        u = [0, 0, 0, 3, 1, 0.25]
    else:
        r = [2, -0.3, 0.4, 1, -0.3, -0.4, 0, 0, 0]
        u = [0, 0, 0, 0, 3, 4, 1, 0.25, -0.5]
    return np.array(r, float), np.array(u, float), np.full(3, 0.5)


def text_problems(folder):
    M = np.array([[4., 1.], [2., 3.]])
    save(folder, "lcp_dense.dat", "2\n" + dense(M) + numbers([-6, -8]) +
         "\nThe solution is z = (1, 2).\n", [1, 2])
    T = 2 * np.eye(5) - np.eye(5, k=1) - np.eye(5, k=-1)
    z, w = np.array([1., 2, 0, 0, 1]), np.array([0., 0, 3, 1, 0])
    save(folder, "lcp_triplets.dat", "5\n" + triplets(T) + numbers(w - T @ z), z)
    save(folder, "lcp_columns.dat", "5\n" + columns(T) + numbers(w - T @ z), z)
    N = np.array([[3., 1, 0, 0], [-1, 2, 0, 0], [1, 0, 2, 1], [0, 0, -1, 2]])
    z, w = np.array([1., 0, 2, 0]), np.array([0., 5, 0, 1])
    save(folder, "lcp_blocks.dat", "4\n" + blocks(N, 2) + numbers(w - N @ z), z)
    save(folder, "lcp_infeasible.dat", "2\n" + dense(np.diag([-1., 1.])) + numbers([-1, -2]) +
         "\nThe first row, w = -z - 1, is negative for every z >= 0: there is no solution.\n")
    lines = ["iteration: 0", "noise 1 2 3"]
    lines += ["%d\t%d\t%.17g" % (i, j, T[i, j]) for i in range(5) for j in range(5) if T[i, j]]
    z, w = np.array([1., 2, 0, 0, 1]), np.array([0., 0, 3, 1, 0])
    lines += ["q\t%d\t%.17g" % (i, v) for i, v in enumerate(w - T @ z)]
    save(folder, "lcp_lines.txt", "\n".join(lines) + "\n", z)
    mlcp_problems(folder)
    B = np.array([[2., 1.], [1., 3.]])
    save(folder, "relay.dat", "2\n" + dense(B) + numbers([-5, 1]) + numbers([-1, -1]) +
         numbers([1, 1]), [1, -2 / 3.])


def mlcp_problems(folder):
    """Row 0 is an equality whose own diagonal is zero: the free block is singular."""
    M = np.array([[0., 1, 0], [1, 1, 0], [0, 0, 1]])
    q = np.array([-2., -5, 1])
    save(folder, "mlcp_singular.dat", "1\n0\n1\n2\n0 1 3\n0 1\n" + dense(M) + numbers(q), [3, 2, 0])
    parts = [M[:1, :1], M[1:, 1:], M[:1, 1:], M[1:, :1]]
    save(folder, "mlcp_parts.dat", "0\n1\n1\n2\n" +
         "".join(numbers(row) for part in parts for row in part) + numbers(q[:1]) + numbers(q[1:]),
         [3, 2, 0])


def friction_problems(folder):
    for dim in (2, 3):
        r, u, mu = planted_contacts(dim)
        W = spd(3 * dim, dim)
        head = "%d\n3\n" % dim
        save(folder, "fc%dd_dense.dat" % dim, head + dense(W) + numbers(u - W @ r) + numbers(mu), r)
        save(folder, "fc%dd_blocks.dat" % dim,
             head + blocks(W, dim) + numbers(u - W @ r) + numbers(mu) + "1\n", r)
    r, u, mu = planted_contacts(2)
    M, H = np.diag([2., 2, 1, 3, 3, 1, 2]), np.random.RandomState(5).randint(-2, 3, (7, 6))
    v = np.array([1., 0, -1, 2, 0, 1, 1])
    save(folder, "gfc2d_triplets.dat", "2\n3\n" + triplets(M) + triplets(H.astype(float)) +
         numbers(M @ v - H @ r) + numbers(u - H.T @ v) + numbers(mu), r)
    npz_problem(folder)


def rolling_problem(folder):
    """Three contacts with rolling friction: one sticks, one slides and rolls, one is open."""
    r = np.array([2, -0.3, 0.4, 0.05, 0.1, 1, -0.3, -0.4, 0.06, 0.08, 0, 0, 0, 0, 0])
    u = np.array([0, 0, 0, 0, 0, 0, 3., 4, -1.5, -2, 1, 0.25, -0.5, 0.75, 1])
    W = spd(15, 15)
    copies = [x for n in r[::5] for x in (n, 0)]  # the normal force again, and its multiplier
    save(folder, "rolling3d.dat", "5\n3\n" + dense(W) + numbers(u - W @ r) +
         numbers([0.5, 0.5, 0.5]) + numbers([0.1, 0.1, 0.1]), np.concatenate([r, copies]))


def mechanical_problem(folder):
    """Blocks of unlike sizes: two equalities, a sliding contact, two complementary rows."""
    r, u = np.array([1.5, -2, 1, -0.3, -0.4, 2, 0]), np.array([0., 0, 0, 3, 4, 0, 0.5])
    W, ends = spd(7, 7), [2, 5, 7]
    parts = list(zip([0] + ends[:-1], ends))
    text = "1\n7\n7\n9\n3\n3\n2 5 7\n2 5 7\n4\n9\n0 3 6 9\n" + " ".join("0 1 2".split() * 3) + "\n"
    for k in range(9):
        (i, m), (j, n) = parts[k // 3], parts[k % 3]
        text += "%d\n" % k + "".join("%.17g\n" % v for v in W[i:m, j:n].T.ravel())
    save(folder, "mechanical.dat", text + numbers(u - W @ r) + "2\n4\n0.5\n0\n", r)


def npz_problem(folder):
    """Order (t1, t2, n): our rows 1, 2, 0 of each contact; one array in columns, one in single."""
    r, u, mu = planted_contacts(3)
    W = spd(9, 3)
    order = [3 * k + i for k in range(3) for i in (1, 2, 0)]
    arrays = {"G": np.asfortranarray(W[np.ix_(order, order)]), "g": (u - W @ r)[order, None],
              "mus": mu.astype("<f4")}
    for file, method in (("fc3d.npz", zipfile.ZIP_STORED),
                         ("fc3d_deflated.npz", zipfile.ZIP_DEFLATED)):
        with zipfile.ZipFile(os.path.join(folder, file), "w") as archive:
            for name, array in arrays.items():
                buffer = io.BytesIO()
                np.save(buffer, array)
                archive.writestr(zipfile.ZipInfo(name + ".npy"), buffer.getvalue(), method)
        answer(folder, file, r[order])


def fclib_matrix(group, name, matrix, storage):
    g = group.create_group(name)
    m, n = matrix.shape
    if storage == "rows":
        nz, p, i, x = -2, [0], [], []
        for row in matrix:
            i += list(np.nonzero(row)[0])
            x += list(row[np.nonzero(row)[0]])
            p.append(len(i))
    else:
        i, p = np.nonzero(matrix)
        nz, x = len(i), matrix[i, p]
    for key, value in (("m", [m]), ("n", [n]), ("nz", [nz]), ("nzmax", [len(x) + 3]), ("p", p),
                       ("i", i)):
        g.create_dataset(key, data=np.array(value, np.int32))
    g.create_dataset("x", data=np.array(x, float))


def fclib_problems(folder):
    r, u, mu = planted_contacts(3)
    W = spd(9, 3)
    with h5py.File(os.path.join(folder, "fc3d_fclib.hdf5"), "w") as f:
        g = f.create_group("fclib_local")
        g["spacedim"] = np.array([3], np.int32)
        fclib_matrix(g, "W", W, "rows")
        g["vectors/q"], g["vectors/mu"] = u - W @ r, mu
        f["solution/r"], f["solution/u"] = r, u
    answer(folder, "fc3d_fclib.hdf5", r)
    M, H = spd(8, 8), np.random.RandomState(6).randint(-2, 3, (8, 9)).astype(float)
    G, v, l = np.ones((8, 1)), np.array([1., -1, 2, 0, 0, 1, -2, -1]), np.array([3.])
    with h5py.File(os.path.join(folder, "gfc3d_fclib.hdf5"), "w") as f:
        g = f.create_group("fclib_global")
        g["spacedim"] = np.array([3], np.int32)
        fclib_matrix(g, "M", np.triu(M), "triplets")  # half of a symmetric matrix, unannounced
        fclib_matrix(g, "H", H, "triplets")
        fclib_matrix(g, "G", G, "triplets")
        g["vectors/f"], g["vectors/w"] = M @ v - H @ r - G @ l, u - H.T @ v
        g["vectors/b"], g["vectors/mu"] = -G.T @ v, mu
        f["solution/r"], f["solution/u"], f["solution/v"] = 0 * r, 0 * u, 0 * v  # a place-holder
        f["solution/l"] = 0 * l
    answer(folder, "gfc3d_fclib.hdf5", np.concatenate([r, l]))


def own_problem(folder):
    """Every kind of block: equality, unilateral, cone with torsion and an ellipse, disk."""
    # rows: 0 equality; 1 unilateral; 2..5 cone of 4 rows, sliding; 6, 7 disk, sticking
    r = np.array([1.5, 2, 1, 0, 0, 0, 0.3, 0.4])
    u = np.array([0., 0, 0, 0.6, 0.8, 0.5, 0, 0])
    axes = np.array([1., 1, 1, 1, 1, 0.5, 1, 1])
    mu = 0.5
    scaled = axes[3:6] * u[3:6]  # r_f = -mu r_n axes^2 u_f / |axes u_f|
    r[3:6] = -mu * r[2] * axes[3:6] * scaled / np.linalg.norm(scaled)
    W = spd(8, 4)
    with h5py.File(os.path.join(folder, "cone_kinds.hdf5"), "w") as f:
        g = f.create_group("stickslip_problem")
        g["version"] = np.array([1], np.int32)
        g["type"] = np.array(b"cone", dtype="S5")
        g["title"] = np.array(b"every kind of block", dtype="S20")
        g["W/rows"], g["W/cols"] = np.array([8], np.int32), np.array([8], np.int32)
        g["W/dense"] = W
        g["q"], g["axes"] = u - W @ r, axes
        g["blocks/kind"] = np.array([0, 1, 2, 3], np.int32)
        g["blocks/dim"] = np.array([1, 1, 4, 2], np.int32)
        g["blocks/mu"] = np.array([0, 0, mu, 0])
        g["blocks/bound"] = np.array([0, 0, 0, 1.0])
        g["solution/z"] = r
    answer(folder, "cone_kinds.hdf5", r)


if __name__ == "__main__":
    target = sys.argv[1] if len(sys.argv) > 1 else "."
    text_problems(target)
    friction_problems(target)
    rolling_problem(target)
    mechanical_problem(target)
    fclib_problems(target)
    own_problem(target)
