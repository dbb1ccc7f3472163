# SPDX-License-Identifier: Apache-2.0
"""Scores of what `stickslip identify --csv` wrote: measured beside simulated, by the metric of each set."""
import csv
import math
import random


def recordings(path):
    """recording -> time -> column -> (measured, simulated); what was not measured is left out."""
    found = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            if row["measured"] != "":
                sample = found.setdefault(row["recording"], {}).setdefault(float(row["t"]), {})
                sample[row["column"]] = (float(row["measured"]), float(row["simulated"]))
    return found


def angle_between(sample, body):
    """Of two rotations, radians."""
    pairs = [sample[f"{body}.{c}"] for c in ("qw", "qx", "qy", "qz")]
    a, b = zip(*pairs)
    dot = abs(sum(x * y for x, y in pairs)) / math.hypot(*a) / math.hypot(*b)
    return 2 * math.acos(min(1.0, dot))


def distance(sample, body, axes="xyz"):
    return math.dist(*zip(*(sample[f"{body}.{a}"] for a in axes)))


def toss(samples, body, length):
    """e_q of Acosta, Yang and Posa over one toss, mean distance, mean angle, last angle."""
    seen = [s for s in samples.values() if f"{body}.qw" in s]
    apart, turned = [distance(s, body) for s in seen], [angle_between(s, body) for s in seen]
    n = len(seen)
    return {"e_q": sum(d * d / length + a * a for d, a in zip(apart, turned)) / n, "mm": 1e3 * sum(apart) / n,
            "deg": math.degrees(sum(turned) / n), "last deg": math.degrees(turned[-1])}


def cube_toss(path):
    return [toss(s, "cube", 0.0524) for s in recordings(path).values()]


def elbow_toss(path):
    both = [(toss(s, "link1", 0.05), toss(s, "link2", 0.05)) for s in recordings(path).values()]
    return [{k: (a[k] + b[k]) / 2 for k in a} for a, b in both]


def square_drop(path):
    out = []
    for samples in recordings(path).values():
        apart = [distance(s, "square", "xy") for s in samples.values()]
        turned = [abs(s["square.angle"][0] - s["square.angle"][1]) for s in samples.values()]
        out.append({"mm": 1e3 * sum(apart) / len(apart), "deg": math.degrees(sum(turned) / len(turned)),
                    "last mm": 1e3 * apart[-1], "last deg": math.degrees(turned[-1])})
    return out


def ellipse_impact(path):
    out = []
    weights = {"ellipse.vx": 1, "ellipse.vy": 1, "ellipse.w": 0.0192}
    for samples in recordings(path).values():
        after = samples[max(samples)]
        error = math.hypot(*(weights[c] * (m - s) for c, (m, s) in after.items()))
        out.append({"error": error / math.hypot(*(weights[c] * m for c, (m, _) in after.items()))})
    return out


def two_finger_push(path):
    out = []
    for samples in recordings(path).values():
        last = samples[max(samples)]
        apart = [distance(s, "part", "xy") for s in samples.values()]
        turned = [abs(s["part.angle"][0] - s["part.angle"][1]) for s in samples.values()]
        out.append({"mm": 1e3 * sum(apart) / len(apart), "deg": math.degrees(sum(turned) / len(turned)),
                    "last mm": 1e3 * distance(last, "part", "xy"), "last deg": math.degrees(turned[-1])})
    return out


def summary(values, rounds=1000):
    """Mean, median, mean of the best 80 %, bootstrap interval (95 %) of the mean; the draws are fixed."""
    values, draw = sorted(values), random.Random(1)
    n = len(values)
    means = sorted(sum(draw.choices(values, k=n)) / n for _ in range(rounds))
    best = values[: max(1, int(0.8 * n))]
    return {"n": n, "mean": sum(values) / n, "median": (values[(n - 1) // 2] + values[n // 2]) / 2, "trimmed": sum(best) / len(best),
            "low": means[int(0.025 * rounds)], "high": means[int(0.975 * rounds)]}


if __name__ == "__main__":
    import sys
    scored = globals()[sys.argv[1]](sys.argv[2])
    for key in scored[0]:
        s = summary([x[key] for x in scored])
        print(f"{key}: {s['mean']:.4f} ({s['low']:.4f} .. {s['high']:.4f}), median {s['median']:.4f}, best 80 % {s['trimmed']:.4f}, n {s['n']}")
