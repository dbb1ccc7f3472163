#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Values by a grid, chosen on folds: choose.py STICKSLIP STUDY.yaml METRIC PATH=A,B,.. [PATH=..] [--set ..].

Every combination is scored on all recordings (method: none). Recording i belongs to fold i mod 2; each fold is scored with the
combination that is best on the other. The last line is the combination that is best on all: the one to freeze.
"""
import itertools
import os
import subprocess
import sys
import tempfile

import score

FOLDS = 2


def scores(command, study, metric, settings):
    with tempfile.TemporaryDirectory() as folder:
        table = os.path.join(folder, "seen.csv")
        subprocess.run([command, "identify", study, "--set", "method=none", *settings, "--quiet", "--csv", table], check=True)
        name = os.path.splitext(os.path.basename(study))[0]
        return [one[metric] for one in getattr(score, name)(table)]


def mean(values):
    values = list(values)
    return sum(values) / len(values)


def main(command, study, metric, *rest):
    axes = [a for a in rest if "=" in a and not a.startswith("-") and rest[max(0, rest.index(a) - 1)] != "--set"]
    fixed = [a for a in rest if a not in axes]
    names, grids = zip(*((a.split("=")[0], a.split("=", 1)[1].split(",")) for a in axes))
    found = {}
    for point in itertools.product(*grids):
        settings = [x for n, v in zip(names, point) for x in ("--set", f"{n}={v}")]
        found[point] = scores(command, study, metric, [*fixed, *settings])
        print(" ".join(point), f"{mean(found[point]):.4f}", flush=True)
    unseen = {}
    for fold in range(FOLDS):
        other = {p: mean(s for i, s in enumerate(v) if i % FOLDS != fold) for p, v in found.items()}
        best = min(other, key=other.get)
        unseen.update({i: s for i, s in enumerate(found[best]) if i % FOLDS == fold})
        print(f"fold {fold}: {dict(zip(names, best))}")
    s = score.summary(list(unseen.values()))
    print(f"unseen: {s['mean']:.4f} ({s['low']:.4f} .. {s['high']:.4f}), median {s['median']:.4f}, n {s['n']}")
    best = min(found, key=lambda p: mean(found[p]))
    print(f"all: {dict(zip(names, best))} {mean(found[best]):.4f}")


if __name__ == "__main__":
    main(*sys.argv[1:])
