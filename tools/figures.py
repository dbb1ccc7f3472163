#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Draws docs/figures/*.svg, the figures that explain geometry in docs/theory.   usage: figures.py [--check]

One function a figure, in units of one drawing: x to the right, y up. --check (a test) compares with what is there.
"""
import math
import os
import sys

FOLDER = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "docs", "figures")
INK, SOFT, RED, BLUE, GREEN, FILL, FILL2 = "#222222", "#8a8a8a", "#c0392b", "#2460a7", "#2e7d32", "#dfe6ee", "#efe3d3"


class Drawing:
    def __init__(self, width, height, scale=60.0, origin=(0.0, 0.0)):
        self.width, self.height, self.scale, self.origin, self.items = width, height, scale, origin, []

    def at(self, p):
        return self.origin[0] + p[0] * self.scale, self.height - self.origin[1] - p[1] * self.scale

    def add(self, text):
        self.items.append(text)

    def path(self, points, stroke=INK, fill="none", width=1.5, dash=None, close=False):
        d = " ".join(f"{'M' if i == 0 else 'L'}{x:.1f} {y:.1f}" for i, (x, y) in enumerate(map(self.at, points)))
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<path d="{d}{" Z" if close else ""}" stroke="{stroke}" fill="{fill}" stroke-width="{width}"{dashed}/>')

    def circle(self, c, r, stroke=INK, fill="none", width=1.5, dash=None):
        x, y = self.at(c)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r * self.scale:.1f}" stroke="{stroke}" fill="{fill}" stroke-width="{width}"{dashed}/>')

    def ellipse(self, c, a, b, turn=0.0, stroke=INK, fill="none", width=1.5):
        pts = []
        for i in range(73):
            t = 2 * math.pi * i / 72
            x, y = a * math.cos(t), b * math.sin(t)
            pts.append((c[0] + x * math.cos(turn) - y * math.sin(turn), c[1] + x * math.sin(turn) + y * math.cos(turn)))
        self.path(pts, stroke, fill, width, close=True)

    def dot(self, p, colour=INK, r=3):
        x, y = self.at(p)
        self.add(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r}" fill="{colour}"/>')

    def arrow(self, a, b, colour=INK, width=1.8, both=False):
        self.path([a, b], colour, width=width)
        for tip, tail in [(b, a)] + ([(a, b)] if both else []):
            dx, dy = tip[0] - tail[0], tip[1] - tail[1]
            n = math.hypot(dx, dy)
            dx, dy, s = dx / n, dy / n, 9 / self.scale
            left = (tip[0] - s * dx - 0.4 * s * dy, tip[1] - s * dy + 0.4 * s * dx)
            right = (tip[0] - s * dx + 0.4 * s * dy, tip[1] - s * dy - 0.4 * s * dx)
            self.path([left, tip, right], colour, colour, 1, close=True)

    def text(self, p, words, colour=INK, size=14, anchor="start", italic=False):
        x, y = self.at(p)
        style = ' font-style="italic"' if italic else ""
        self.add(f'<text x="{x:.1f}" y="{y:.1f}" fill="{colour}" font-size="{size}" text-anchor="{anchor}"{style}>{words}</text>')

    def spring(self, a, b, turns=5, size=0.07, colour=INK):
        dx, dy = b[0] - a[0], b[1] - a[1]
        n = math.hypot(dx, dy)
        ux, uy = dx / n, dy / n
        pts = [a]
        for i in range(2 * turns + 1):
            s = 0.15 + 0.7 * i / (2 * turns)
            k = 0 if i in (0, 2 * turns) else size * (1 if i % 2 else -1)
            pts.append((a[0] + s * dx - k * uy, a[1] + s * dy + k * ux))
        self.path(pts + [b], colour)

    def ground(self, a, b, fill=FILL2, depth=0.25):
        self.path([a, b, (b[0], b[1] - depth), (a[0], a[1] - depth)], "none", fill, close=True)
        self.path([a, b])

    def svg(self):
        body = "\n".join(self.items)
        return (f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" width="{self.width}" height="{self.height}" '
                f'font-family="Helvetica, Arial, sans-serif">\n<rect width="100%" height="100%" fill="white"/>\n{body}\n</svg>\n')


def arc(c, r, a, b, n=24):
    return [(c[0] + r * math.cos(a + (b - a) * i / n), c[1] + r * math.sin(a + (b - a) * i / n)) for i in range(n + 1)]


def contact_frame():
    d = Drawing(420, 270)
    d.path([(0.4, 0.5), (5.6, 0.5), (5.2, 1.5), (3.2, 1.9), (0.8, 1.6)], INK, FILL2, close=True)
    d.circle((3.0, 3.35), 0.9, INK, FILL)
    a, b = (3.0, 1.86), (3.0, 2.45)
    d.dot(a), d.dot(b)
    d.arrow(a, (3.0, 3.3), RED)
    d.arrow(a, (4.3, 1.86), BLUE)
    d.text((3.08, 3.25), "n", RED, italic=True), d.text((4.35, 1.82), "t", BLUE, italic=True)
    d.text((2.0, 1.58), "point a"), d.text((1.35, 2.4), "point b")
    d.arrow((3.55, 1.86), (3.55, 2.45), GREEN, 1.2, both=True)
    d.text((3.65, 2.1), "gap &#968; = n&#183;(b &#8722; a)", GREEN)
    d.text((0.95, 0.85), "body a"), d.text((2.62, 3.6), "body b")
    return d


def corner_branches():
    d = Drawing(560, 250)
    d.path([(0.3, 0.3), (0.3, 0.7), (4.2, 2.3), (8.6, 1.72), (8.6, 0.3)], "none", FILL2, close=True)
    d.path([(0.3, 0.7), (4.2, 2.3), (8.6, 1.72)], INK, width=2)
    d.path([(4.2, 2.3), (6.9, 3.4)], RED, dash="6 4"), d.path([(4.2, 2.3), (1.2, 2.7)], BLUE, dash="6 4")
    d.arrow((2.1, 1.44), (1.78, 2.2), RED), d.arrow((6.4, 2.01), (6.49, 2.8), BLUE)
    d.text((1.2, 2.28), "n&#8321;", RED), d.text((6.6, 2.7), "n&#8322;", BLUE)
    for x, y in [(2.9, 1.9), (3.9, 2.32), (4.9, 2.32), (5.9, 2.18)]:
        d.dot((x, y), INK, 4)
    d.path([(2.9, 1.9), (3.9, 2.32), (4.9, 2.32), (5.9, 2.18)], INK, width=1, dash="2 3")
    d.text((6.2, 3.55), "extension of the ramp (convex: holds it up here)", RED, 12, "middle")
    d.text((4.3, 0.8), "outside of 1 or of 2 is free: max(&#968;&#8321;, &#968;&#8322;) &#8805; 0", INK, 13, "middle")
    return d


def friction_cone():
    d = Drawing(640, 280)
    d.ground((0.2, 0.8), (4.0, 0.8))
    apex, mu = (2.1, 0.8), 0.55
    d.path([apex, (2.1 - 2.6 * mu, 3.4), (2.1 + 2.6 * mu, 3.4)], "none", FILL, close=True)
    d.path([(2.1 - 2.6 * mu, 3.4), apex, (2.1 + 2.6 * mu, 3.4)], INK)
    d.ellipse((2.1, 3.4), 2.6 * mu, 0.28)
    d.arrow(apex, (2.1, 2.9), RED), d.arrow(apex, (2.9, 2.55), BLUE)
    d.text((1.72, 2.7), "p&#8345;", RED), d.text((2.98, 2.5), "p", BLUE, italic=True)
    d.path(arc(apex, 1.1, math.pi / 2, math.pi / 2 - math.atan(mu)), GREEN)
    d.text((2.2, 2.05), "arctan &#956;", GREEN, 12)
    c, r = (7.0, 2.1), 1.45
    d.circle(c, r, INK, FILL)
    hexa = arc(c, r, 0, 2 * math.pi, 8)
    d.path(hexa, RED, close=True)
    out = arc(c, r / math.cos(math.pi / 8), math.pi / 8, 2 * math.pi + math.pi / 8, 8)
    d.path(out, BLUE, dash="5 4", close=True)
    d.dot(c), d.arrow(c, (c[0] + r, c[1]), INK, 1.2), d.text((7.3, 2.2), "&#956; p&#8345;")
    d.text((8.75, 3.5), "quadratic", INK, 12), d.text((8.75, 3.2), "polygon: 8", RED, 12), d.text((8.75, 2.9), "box: 4", BLUE, 12)
    d.text((2.1, 0.25), "the cone at a contact", INK, 12, "middle"), d.text((7.0, 0.25), "seen along the normal", INK, 12, "middle")
    return d


def closing():
    d = Drawing(540, 290, origin=(0, 20))
    left, right, ball, r = (2.4, 1.3), (6.0, 1.3), (4.2, 3.05), 0.9
    d.circle(left, 1.3, INK, FILL2), d.circle(right, 1.3, INK, FILL2), d.circle(ball, r, INK, FILL)
    for c in (left, right):
        far = math.hypot(ball[0] - c[0], ball[1] - c[1])
        n = ((ball[0] - c[0]) / far, (ball[1] - c[1]) / far)
        a, b = (c[0] + 1.3 * n[0], c[1] + 1.3 * n[1]), (ball[0] - r * n[0], ball[1] - r * n[1])
        d.path([a, b], GREEN, width=2.5), d.dot(a, GREEN), d.dot(b, GREEN)
        side = -1 if c is left else 1
        t = (side * n[1], -side * n[0]) if n[1] > 0 else (0, 0)
        down = (-side * abs(t[0]), -abs(t[1]))
        d.arrow(b, (b[0] + 0.85 * down[0], b[1] + 0.85 * down[1]), RED)
        d.text((a[0] - 0.35 if side < 0 else a[0] + 0.3, a[1] + 0.12), "&#968;", GREEN, 14, "end" if side < 0 else "start")
    d.arrow(ball, (ball[0], ball[1] - 1.15), BLUE), d.text((ball[0] + 1.2, ball[1] + 0.3), "down closes both gaps", BLUE, 12)
    d.text((4.2, -0.2), "it slides both contact points inwards, which friction must not resist", INK, 12, "middle")
    return d


def rolling_rim():
    d = Drawing(480, 270)
    d.ground((0.3, 0.7), (7.7, 0.7))
    c, a, b, turn = (3.8, 2.15), 1.7, 0.5, math.radians(58)
    d.ellipse(c, a, b, turn, INK, FILL)
    u = (-math.sin(turn), math.cos(turn))
    d.arrow(c, (c[0] + 1.2 * u[0], c[1] + 1.2 * u[1]), BLUE), d.text((c[0] + 1.25 * u[0] - 0.15, c[1] + 1.25 * u[1] + 0.1), "u", BLUE, italic=True)
    d.dot(c), d.text((c[0] + 0.12, c[1] - 0.02), "c", italic=True)
    low = min(((c[0] + a * math.cos(t) * math.cos(turn) - b * math.sin(t) * math.sin(turn),
                c[1] + a * math.cos(t) * math.sin(turn) + b * math.sin(t) * math.cos(turn)) for t in [i * math.pi / 180 for i in range(360)]), key=lambda p: p[1])
    t0 = math.radians(215)
    x = (c[0] + a * math.cos(t0) * math.cos(turn) - b * math.sin(t0) * math.sin(turn), c[1] + a * math.cos(t0) * math.sin(turn) + b * math.sin(t0) * math.cos(turn))
    d.dot(low, RED, 4), d.text((low[0] - 0.2, low[1] - 0.3), "lowest point", RED, 12, "end")
    d.dot(x, GREEN, 4), d.path([c, x], GREEN, dash="4 3"), d.text((x[0] + 0.9, x[1] + 0.75), "x: other points of the rim", GREEN, 12)
    d.text((x[0] + 0.9, x[1] + 0.42), "take its place, its height stays", GREEN, 12)
    d.arrow((x[0], x[1]), (x[0], x[1] + 0.75), SOFT, 1.2), d.text((x[0] - 0.22, x[1] + 0.6), "n", SOFT, italic=True)
    return d


def compliant():
    d = Drawing(560, 260)
    d.ground((0.3, 0.5), (4.0, 0.5)), d.ground((5.0, 0.5), (8.9, 0.5))
    for x0, y, name in [(2.1, 2.55, "free"), (6.9, 1.95, "pressed")]:
        d.path([(x0 - 1.2, y), (x0 + 1.2, y), (x0 + 1.2, y + 0.9), (x0 - 1.2, y + 0.9)], INK, FILL, close=True)
        d.path([(x0 - 0.75, 0.5), (x0 - 0.75, 1.15), (x0 + 0.05, 1.15), (x0 + 0.05, 0.5)], INK, "#cfcfcf", close=True)
        d.text((x0 - 0.35, 0.72), "core", INK, 11, "middle")
        d.spring((x0 + 0.5, 0.5), (x0 + 0.5, min(y, 2.3)))
        d.path([(x0 + 0.9, 0.5), (x0 + 0.9, 1.2)]), d.path([(x0 + 0.78, 1.35), (x0 + 0.78, 1.1), (x0 + 1.02, 1.1), (x0 + 1.02, 1.35)]), d.path([(x0 + 0.9, 1.2), (x0 + 0.9, min(y, 2.3))])
        d.path([(x0 + 0.3, min(y, 2.3)), (x0 + 1.1, min(y, 2.3))], BLUE, width=2)
        d.text((x0, y + 0.4), name, INK, 12, "middle")
    d.arrow((3.55, 2.3), (3.55, 2.55), GREEN, 1.2, both=True), d.text((3.65, 2.36), "&#968;", GREEN)
    d.path([(5.4, 2.3), (8.6, 2.3)], SOFT, dash="4 3")
    d.arrow((8.35, 1.95), (8.35, 2.3), RED, 1.2, both=True), d.text((8.45, 2.05), "x&#8345;", RED)
    d.arrow((5.55, 1.15), (5.55, 2.3), GREEN, 1.2, both=True), d.text((5.3, 1.65), "d", GREEN, italic=True)
    return d


def support_tripod():
    d = Drawing(480, 280)
    d.path([(0.8, 0.9), (6.6, 0.6), (7.2, 3.2), (1.3, 3.9)], INK, FILL, close=True)
    pts = [(1.9, 1.5), (5.9, 1.3), (3.6, 3.2)]
    d.path(pts, SOFT, dash="5 4", close=True)
    for i, (p, r) in enumerate(zip(pts, (0.42, 0.3, 0.55)), 1):
        d.circle(p, r, RED, "#f6dcd9"), d.dot(p)
        d.text((p[0] + 0.08, p[1] - r - 0.28), f"&#956; N{chr(0x2080 + i)}", RED, 12)
    d.dot((3.75, 2.05), BLUE, 4), d.text((3.85, 1.82), "centre of mass and load", BLUE, 12)
    d.arrow(pts[2], (4.5, 3.5), GREEN), d.text((4.6, 3.25), "slip u", GREEN, 12)
    d.arrow(pts[2], (3.6 - 0.52, 3.2 - 0.17), RED), d.text((2.15, 3.25), "friction", RED, 12)
    return d


def midpoint_step():
    d = Drawing(520, 250)
    c, r = (4.2, -1.2), 4.2
    a, b = math.radians(125), math.radians(55)
    d.path(arc(c, r, a, b), SOFT, width=1.2)
    q, q1, m = [(c[0] + r * math.cos(t), c[1] + r * math.sin(t)) for t in (a, b, (a + b) / 2)]
    d.dot(q), d.dot(q1), d.dot(m, BLUE)
    d.arrow(q, (q[0] + 1.5 * math.sin(a), q[1] - 1.5 * math.cos(a)), RED), d.text((q[0] + 0.55, q[1] + 1.0), "v", RED, italic=True)
    d.arrow(q1, (q1[0] + 1.5 * math.sin(b), q1[1] - 1.5 * math.cos(b)), RED), d.text((q1[0] + 1.1, q1[1] - 0.6), "v&#8242;", RED, italic=True)
    d.path([q, q1], GREEN, dash="6 4"), d.text((4.2, q[1] - 0.3), "h (v + v&#8242;)/2", GREEN, 13, "middle")
    d.text((m[0], m[1] + 0.15), "middle: rows and forces", BLUE, 12, "middle")
    d.text((q[0] - 0.3, q[1] - 0.3), "q"), d.text((q1[0] + 0.1, q1[1] - 0.3), "q&#8321;")
    return d


def implicit_geometry():
    d = Drawing(560, 240)
    c, r = (4.4, -3.0), 4.4
    d.path(arc(c, r, math.radians(140), math.radians(40)), "none", FILL2, close=True)
    d.path(arc(c, r, math.radians(140), math.radians(40)))
    a, b = math.radians(112), math.radians(72)
    q = (c[0] + r * math.cos(a), c[1] + r * math.sin(a))
    tangent = (q[0] + 3.0 * math.sin(a), q[1] - 3.0 * math.cos(a))
    e = (c[0] + r * math.cos(b), c[1] + r * math.sin(b))
    d.dot(q), d.text((q[0] - 0.3, q[1] + 0.15), "q")
    d.arrow(q, tangent, RED), d.text((tangent[0] - 1.5, tangent[1] + 0.25), "explicit: along the surface at the start", RED, 12)
    d.arrow(q, e, BLUE), d.dot(e, BLUE)
    d.arrow(e, (e[0] + 0.8 * math.cos(b), e[1] + 0.8 * math.sin(b)), BLUE), d.text((e[0] + 0.35, e[1] + 0.25), "implicit: on it at the end,", BLUE, 12), d.text((e[0] + 0.55, e[1] - 0.05), "with the normal there", BLUE, 12)
    return d


def peg():
    d = Drawing(420, 320)
    lean, D, l = math.radians(9), 2.2, 2.3
    left, right, top = 2.4, 2.4 + D, 3.0
    d.path([(0.6, 0.2), (0.6, top), (left, top), (left, 0.2)], INK, FILL2, close=True)
    d.path([(right, 0.2), (right, top), (6.4, top), (6.4, 0.2)], INK, FILL2, close=True)
    B, C = (left, top - l), (right, top)
    e, up = (math.cos(lean), -math.sin(lean)), (math.sin(lean), math.cos(lean))
    w = (C[0] - B[0]) * e[0] + (C[1] - B[1]) * e[1]
    P = [B, (B[0] + w * e[0], B[1] + w * e[1])]
    d.path([P[0], P[1], (P[1][0] + 4.1 * up[0], P[1][1] + 4.1 * up[1]), (P[0][0] + 4.1 * up[0], P[0][1] + 4.1 * up[1])], INK, FILL, close=True)
    d.dot(B, RED, 4), d.dot(C, RED, 4), d.text((B[0] - 0.35, B[1] - 0.1), "B"), d.text((C[0] + 0.15, C[1] - 0.3), "C")
    d.path([B, C], RED, dash="5 4")
    d.arrow(B, (B[0] + 1.0, B[1]), BLUE), d.text((B[0] + 0.75, B[1] - 0.3), "n&#8336;".replace("8336", "7470"), BLUE, 12)
    d.arrow(C, (C[0] - 1.0 * e[0], C[1] - 1.0 * e[1]), BLUE)
    d.arrow((1.9, top - l), (1.9, top), GREEN, 1.2, both=True), d.text((1.65, top - l / 2), "l", GREEN, italic=True)
    d.arrow((left, 0.45), (right, 0.45), GREEN, 1.2, both=True), d.text((left + D / 2, 0.2), "D", GREEN, 13, "middle", True)
    d.text((4.9, 4.7), "lean t", INK, 12)
    return d


def passage():
    d = Drawing(560, 220)
    d.path([(4.4, 0.5), (4.6, 0.5), (4.6, 3.2), (4.4, 3.2)], INK, FILL2, close=True)
    y, xs = 1.85, [0.9, 2.45, 3.35, 3.75]
    for i, x in enumerate(xs):
        d.circle((x, y), 0.45, INK if i in (0,) else SOFT, FILL if i == 0 else "none", dash=None if i == 0 else "3 3")
    d.circle((7.9, y), 0.45, RED, "none")
    d.path([(0.9, y), (7.9, y)], SOFT, dash="2 4")
    for i in range(3):
        d.arrow((xs[i], y - 0.75), (xs[i + 1], y - 0.75), BLUE, 1.2)
    d.text((1.6, y - 1.1), "(g + d)/c", BLUE, 12, "middle")
    d.text((0.9, y + 0.6), "start", INK, 12, "middle"), d.text((7.5, y + 0.6), "end: the gap says nothing", RED, 12, "middle")
    d.text((3.95, 3.3), "a thin plate", INK, 12, "end")
    return d


def painleve_rod():
    d = Drawing(460, 270)
    d.ground((0.3, 0.7), (7.3, 0.7))
    t, foot = math.radians(62), (4.6, 0.7)
    top = (foot[0] - 3.3 * math.cos(t), foot[1] + 3.3 * math.sin(t))
    d.path([foot, top], INK, width=6), d.dot(((foot[0] + top[0]) / 2, (foot[1] + top[1]) / 2), "white", 4)
    d.path(arc(foot, 0.9, math.pi, math.pi - t), GREEN), d.text((foot[0] - 1.2, 1.05), "&#952;", GREEN)
    d.arrow(foot, (foot[0], foot[1] + 1.4), RED), d.text((foot[0] + 0.1, foot[1] + 1.3), "p", RED, italic=True)
    d.arrow(foot, (foot[0] - 1.25, foot[1] - 0.0), RED), d.text((foot[0] - 1.75, 0.42), "&#956; p", RED)
    d.arrow((5.0, 0.42), (6.3, 0.42), BLUE), d.text((6.4, 0.38), "slip", BLUE, 12)
    d.path(arc(((foot[0] + top[0]) / 2, (foot[1] + top[1]) / 2), 0.7, math.radians(20), math.radians(-60)), BLUE), d.text((4.75, 2.45), "&#969;", BLUE)
    return d


def joint_frames():
    d = Drawing(480, 250)
    d.path([(0.4, 0.8), (3.4, 0.5), (3.9, 1.9), (1.0, 2.6)], INK, FILL2, close=True)
    d.path([(3.6, 1.5), (6.8, 1.2), (7.3, 3.0), (4.2, 3.4)], INK, FILL, close=True)
    a, b = (3.45, 1.55), (4.15, 2.05)
    for p, turn, name, colour in [(a, 0.1, "A", RED), (b, 0.35, "B", BLUE)]:
        d.arrow(p, (p[0] + math.cos(turn), p[1] + math.sin(turn)), colour), d.arrow(p, (p[0] - math.sin(turn), p[1] + math.cos(turn)), colour)
        d.dot(p), d.text((p[0] - 0.35, p[1] - 0.2), name, colour)
    d.arrow(a, b, GREEN, 1.2, both=True), d.text((3.9, 1.6), "&#966;", GREEN)
    d.text((1.2, 1.1), "body a"), d.text((5.6, 2.6), "body b")
    d.text((4.0, 0.25), "the opening &#966;, drawn large: it is 0 where the joint is closed", INK, 12, "middle")
    return d


def rest_logs():
    d = Drawing(520, 230)
    d.ground((0.3, 0.5), (8.3, 0.5))
    r = 0.62
    low = [(1.6 + 2 * r * i, 0.5 + r) for i in range(2)]
    top = ((low[0][0] + low[1][0]) / 2, 0.5 + r + r * math.sqrt(3))
    for c in low + [top]:
        d.circle(c, r, INK, FILL)
    d.arrow(top, (top[0], top[1] - 0.5), RED), d.text((2.2, 0.12), "rests: the load closes every contact", INK, 12, "middle")
    d.path([(5.1, 0.5), (5.1, 3.0), (5.5, 3.0), (5.5, 0.5)], INK, FILL2, close=True), d.path([(7.1, 0.5), (7.1, 3.0), (7.5, 3.0), (7.5, 0.5)], INK, FILL2, close=True)
    d.path([(5.5, 1.5), (7.1, 1.5), (7.1, 2.5), (5.5, 2.5)], INK, FILL, close=True)
    d.arrow((6.3, 2.0), (6.3, 1.1), RED)
    d.text((6.3, 0.12), "falls: what closes one wall opens the other", INK, 12, "middle")
    return d


def poisson():
    d = Drawing(560, 200)
    for x0, words, v in [(1.3, "before: u&#8315; &lt; 0", -0.8), (4.5, "compression ends: u = 0", 0), (7.7, "expansion: e c back", 0.55)]:
        d.ground((x0 - 1.2, 0.6), (x0 + 1.2, 0.6))
        y = 1.55 if v < 0 else 1.08
        d.circle((x0, y), 0.48, INK, FILL)
        if v:
            d.arrow((x0, y), (x0, y + v), RED)
        if v >= 0:
            d.arrow((x0 + 0.25, 0.6), (x0 + 0.25, 0.6 + (1.1 if v == 0 else 0.7)), BLUE)
            d.text((x0 + 0.36, 1.75 if v == 0 else 1.6), "c" if v == 0 else "e c", BLUE, italic=True)
        d.text((x0, 0.1), words, INK, 12, "middle")
    return d


FIGURES = {"contact-frame": contact_frame, "corner-branches": corner_branches, "friction-cone": friction_cone, "closing": closing,
           "rolling-rim": rolling_rim, "compliant": compliant, "support-tripod": support_tripod, "midpoint-step": midpoint_step,
           "implicit-geometry": implicit_geometry, "peg": peg, "passage": passage, "painleve-rod": painleve_rod, "joint-frames": joint_frames,
           "rest-logs": rest_logs, "poisson": poisson}


def main():
    check, bad = "--check" in sys.argv, 0
    os.makedirs(FOLDER, exist_ok=True)
    for name, draw in FIGURES.items():
        path, text = os.path.join(FOLDER, name + ".svg"), draw().svg()
        if not check:
            with open(path, "w", encoding="utf-8") as f:
                f.write(text)
        elif not os.path.exists(path) or open(path, encoding="utf-8").read() != text:
            print(f"docs/figures/{name}.svg is not what tools/figures.py draws: run it")
            bad = 1
    return bad


sys.exit(main())
