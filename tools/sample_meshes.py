#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The sample meshes of scenes/meshes: a gear, a bracket with a hole and a cup, as OBJ files.

    tools/sample_meshes.py scenes/meshes

Prisms are written with their outline's triangulation; solids of revolution as rings. Lengths are
in metres, vertices in full precision, faces counter-clockwise from outside.
"""
import math
import sys


def write(path, vertices, faces, what):
    with open(path, "w") as f:
        f.write(f"# {what}\n")
        for v in vertices:
            f.write("v %.17g %.17g %.17g\n" % tuple(v))
        for face in faces:
            f.write("f " + " ".join(str(i + 1) for i in face) + "\n")


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def ears(points, ring):
    """Triangles of a simple polygon (counter-clockwise)."""
    ring, out = list(ring), []
    while len(ring) > 3:
        for k in range(len(ring)):
            a, b, c = ring[k - 1], ring[k], ring[(k + 1) % len(ring)]
            A, B, C = points[a], points[b], points[c]
            if turn(A, B, C) <= 1e-15:
                continue
            others = (points[i] for i in ring if points[i] not in (A, B, C))
            if any(turn(A, B, x) >= 0 and turn(B, C, x) >= 0 and turn(C, A, x) >= 0 for x in others):
                continue
            out.append((a, b, c))
            del ring[k]
            break
        else:
            raise SystemExit("the outline is not simple")
    return out + [tuple(ring)]


def prism(outline, height, hole=()):
    """A prism over an outline (counter-clockwise), with a hole (clockwise) joined by a bridge."""
    points = list(outline) + list(hole)
    n, m = len(outline), len(hole)
    ring = list(range(n))
    if m:
        i, j = min(((i, j) for i in range(n) for j in range(m)),
                   key=lambda ij: math.dist(outline[ij[0]], hole[ij[1]]))
        ring = ring[:i + 1] + [n + (j + k) % m for k in range(m)] + [n + j] + ring[i:]
    flat = ears(points, ring)
    k = n + m
    vertices = [(x, y, -height / 2) for x, y in points] + [(x, y, height / 2) for x, y in points]
    faces = [(c, b, a) for a, b, c in flat] + [(a + k, b + k, c + k) for a, b, c in flat]
    for start, count in ((0, n), (n, m)):
        for i in range(count):
            a, b = start + i, start + (i + 1) % count
            faces += [(a, b, b + k), (a, b + k, a + k)]
    return vertices, faces


def gear(teeth=12, inner=0.016, outer=0.020, height=0.01):
    outline = []
    for t in range(teeth):
        for part, radius in ((-0.32, inner), (-0.14, outer), (0.14, outer), (0.32, inner)):
            angle = 2 * math.pi * (t + part) / teeth
            outline.append((radius * math.cos(angle), radius * math.sin(angle)))
    return prism(outline, height)


def bracket():
    outline = [(0, 0), (0.06, 0), (0.06, 0.012), (0.016, 0.012), (0.012, 0.016), (0.012, 0.05),
               (0, 0.05)]
    hole = [(0.044 + 0.004 * math.cos(-2 * math.pi * k / 8), 0.006 + 0.004 * math.sin(-2 * math.pi * k / 8))
            for k in range(8)]
    return prism(outline, 0.02, hole)


def cup(segments=24, outer=0.03, wall=0.004, height=0.06, bottom=0.006):
    rings = [(outer, 0), (outer, height), (outer - wall, height), (outer - wall, bottom)]
    vertices = [(r * math.cos(2 * math.pi * s / segments), r * math.sin(2 * math.pi * s / segments), z)
                for r, z in rings for s in range(segments)]
    faces = []
    for k in range(3):
        for s in range(segments):
            a, b = k * segments + s, k * segments + (s + 1) % segments
            faces += [(a, b, b + segments), (a, b + segments, a + segments)]
    faces += [(0, s + 1, s) for s in range(1, segments - 1)]
    top = 3 * segments
    faces += [(top, top + s, top + s + 1) for s in range(1, segments - 1)]
    return vertices, faces


if __name__ == "__main__":
    folder = sys.argv[1]
    write(f"{folder}/gear.obj", *gear(), "gear of 12 teeth, 40 mm across, 10 mm thick")
    write(f"{folder}/bracket.obj", *bracket(), "angle bracket with a fillet and an eight-sided hole")
    write(f"{folder}/cup.obj", *cup(), "cup of 24 sides, 60 mm high, 4 mm wall")
