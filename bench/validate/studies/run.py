#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Recorded experiments by study files, frozen: run.py STICKSLIP DATA [--all] [--identify] [--only=SET] prints a part of docs/benchmarks/validate.md.

Each set is converted (convert.py), simulated by `stickslip identify` with the values that stand in its study, and scored
(score.py). Without --all a fixed part of a large set is taken. With --identify the grids that the values were chosen from are
scored again (choose.py): each half by what is best on the other half; the values of tosses are searched for anew.
"""
import csv
import json
import os
import shutil
import subprocess
import sys
import tempfile

import choose
import convert
import score

HERE = os.path.dirname(os.path.abspath(__file__))

# set -> metrics (key, how it is called, unit), published figures
SETS = {
    "cube_toss": ([("e_q", "e_q", ""), ("mm", "distance", "mm"), ("deg", "angle", "deg"), ("last deg", "angle at rest", "deg")],
                  "e_q on other tosses of the set: Drake 0.270, Bullet 0.272"),
    "elbow_toss": ([("e_q", "e_q, mean of both links", ""), ("mm", "distance", "mm"), ("deg", "angle", "deg")], "none for these tosses"),
    "square_drop": ([("mm", "distance", "mm"), ("deg", "angle", "deg")], "none for these drops"),
    "ellipse_impact": ([("error", "relative error of velocities", "")], "0.40 to 0.50 for simple laws"),
    "two_finger_push": ([("mm", "distance", "mm"), ("deg", "angle", "deg"), ("last mm", "distance at the end", "mm"), ("last deg", "angle at the end", "deg")],
                        "ends of repeated runs scatter by 0.1 to 1.2 mm, 0.1 to 1.7 deg"),
}

# set -> the metric, seconds that values are identified on, settings of that search, and what is searched for, from the authors' first
# guesses. On which face a toss ends is chance: its first impacts tell friction and restitution without it.
SHORT = {
    "cube_toss": ("e_q", 0.145,
                  {"method": "{name: simulate, algorithm: nelder-mead, evaluations: 300}",
                   "nuisance": "{start: {cube: {measured: [x, y, z, orientation, vx, vy, vz, wx, wy, wz]}}, start_samples: 1}",
                   "confidence": "{profile: false, steps: false}"},
                  [("inertia identified", {"free": "{params.mu: {bounds: [0.05, 0.6], start: 0.18}, params.e: {bounds: [0, 0.5], start: 0.125}, "
                                                   "params.J: {bounds: [0.0005, 0.0015], start: 0.00081}}"}),
                   ("inertia as given", {"free": "{params.mu: {bounds: [0.05, 0.6], start: 0.18}, params.e: {bounds: [0, 0.5], start: 0.125}}"})]),
}

# set -> the metric that decides, and what was tried; sets that are not here have nothing that was searched for by a grid
GRIDS = {
    "square_drop": ("mm", ["free.params.mu.start=0.1,0.2,0.3", "free.params.e.start=0.4,0.5,0.6"]),
    "ellipse_impact": ("error", ["free.params.mu.start=0.16,0.19,0.22", "free.params.bias.start=0,0.03"]),
}


def values_of(study):
    """What stands in the study as start of its free values."""
    with open(study) as file:
        lines = [line.strip() for line in file]
    found = [line.split(":")[0].replace("params.", "") + " " + line.split("start:")[1].strip(" }") for line in lines if line.startswith("params.") and "start:" in line]
    scatter = next((line.split("scatter:")[1].strip(" {}") for line in lines if line.startswith("scatter:")), None)
    return ", ".join(found) + (f"; starts scatter: {scatter}" if scatter else "")


def prepare(name, data, folder, everything):
    for file in os.listdir(HERE):
        if file.endswith(".yaml"):
            shutil.copy(os.path.join(HERE, file), folder)
    convert.SETS[name](os.path.join(data, name), os.path.join(folder, f"{name}.csv"), everything)
    if name == "two_finger_push":  # the scene needs a motion before a recording names its own
        first = sorted(f for f in os.listdir(folder) if f.startswith(name + "-"))[0]
        shutil.copy(os.path.join(folder, first), os.path.join(folder, "hand.csv"))


def figure(key, title, unit, rows):
    s = score.summary([row[key] for row in rows])
    text = f"{s['mean']:.3g} ({s['low']:.3g} .. {s['high']:.3g})" + (f" {unit}" if unit else "")
    return f"{title} {text}; median {s['median']:.3g}, best 80 % {s['trimmed']:.3g}"


def score_set(command, name, data, everything):
    metrics, published = SETS[name]
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, data, folder, everything)
        seen = os.path.join(folder, "seen.csv")
        subprocess.run([command, "identify", os.path.join(folder, f"{name}.yaml"), "--set", "method=none", "--quiet", "--csv", seen], check=True)
        rows = getattr(score, name)(seen)
    gross = f"; {sum(row['last deg'] > 45 for row in rows)} of {len(rows)} end more than 45 deg off" if "last deg" in rows[0] else ""
    figures = "<br>".join(figure(*metric, rows) for metric in metrics) + gross
    print(f"| {name} | {len(rows)} | {figures} | {values_of(os.path.join(HERE, name + '.yaml'))} | {published} |", flush=True)


def score_sliding_box(command, data):
    """Each hit is predicted by the others: the command's own folds."""
    name = "sliding_box"
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, data, folder, True)
        out = subprocess.run([command, "identify", os.path.join(folder, f"{name}.yaml"), "--json"], check=False, capture_output=True, text=True)
    model = json.loads(out.stdout)["models"][0]
    ends = [1e3 * r["unseen_end"] for r in model["recordings"]]
    share = [100 * r["unseen_end"] / r["travel"] for r in model["recordings"]]
    values = ", ".join(f"{p['name'].replace('params.', '')} {p['value']:.3f} ({p['low']:.3f} .. {p['high']:.3f})" for p in model["parameters"] if not p["nuisance"])
    text = "<br>".join([figure("v", "stop error, unseen,", "mm", [{"v": v} for v in ends]), figure("v", "of the way", "%", [{"v": v} for v in share])])
    print(f"| {name} | {len(ends)} | {text} | {values}, identified | none |", flush=True)


def identify_set(command, name, data, everything):
    metric, grid = GRIDS[name]
    print(f"\n{name}: {metric}, by {' '.join(grid)}", flush=True)
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, data, folder, everything)
        choose.main(command, os.path.join(folder, f"{name}.yaml"), metric, *grid)


def half_of(path, column, fold, inside):
    """A table beside this one with the recordings of a fold, or with all others."""
    with open(path, newline="") as file:
        head, *rows = csv.reader(file)
    at = head.index(column)
    order = {name: i for i, name in enumerate(dict.fromkeys(row[at] for row in rows))}
    out = f"{os.path.splitext(path)[0]}_{'in' if inside else 'out'}_{fold}.csv"
    with open(out, "w", newline="") as file:
        csv.writer(file).writerows([head, *(row for row in rows if (order[row[at]] % choose.FOLDS == fold) == inside)])
    return os.path.basename(out)


def settings(values):
    return [x for key, value in values.items() for x in ("--set", f"{key}={value}")]


def identify_short(command, name, data, everything):
    """Values by the command's own search over the first moments of one half; the other half, whole, is scored with them."""
    metric, until, search, variants = SHORT[name]
    with tempfile.TemporaryDirectory() as folder:
        prepare(name, data, folder, everything)
        study, table = os.path.join(folder, f"{name}.yaml"), os.path.join(folder, f"{name}.csv")
        for title, more in variants:
            print(f"\n{name}, {title}: {metric}, values by the first {until} s", flush=True)
            unseen = {}
            for fold in (*range(choose.FOLDS), None):
                seen = f"{name}.csv" if fold is None else half_of(table, "toss", fold, False)
                asked = settings({**search, **more, "data.files": f"[{seen}]", "data.to": until})
                out = subprocess.run([command, "identify", study, *asked, "--json"], check=False, capture_output=True, text=True)
                found = {p["name"]: p["value"] for p in json.loads(out.stdout)["models"][0]["parameters"] if not p["nuisance"]}
                print("all:" if fold is None else f"without fold {fold}:", ", ".join(f"{k} {v:.4g}" for k, v in found.items()), flush=True)
                if fold is None:
                    continue
                left = half_of(table, "toss", fold, True)
                values = {f"free.{k}.start": v for k, v in found.items()}
                scores = choose.scores(command, study, metric, settings({**more, **values, "data.files": f"[{left}]"}))
                unseen.update({i * choose.FOLDS + fold: one for i, one in enumerate(scores)})
            s = score.summary([unseen[i] for i in sorted(unseen)])
            print(f"unseen: {s['mean']:.4f} ({s['low']:.4f} .. {s['high']:.4f}), median {s['median']:.4f}, best 80 % {s['trimmed']:.4f}, n {s['n']}")


def main(command, data, *options):
    everything = "--all" in options
    only = next((o[7:] for o in options if o.startswith("--only=")), None)
    if "--identify" in options:
        for name in GRIDS:
            if only in (None, name):
                identify_set(command, name, data, everything)
        for name in SHORT:
            if only in (None, name):
                identify_short(command, name, data, everything)
        return
    print("\n## By study files\n")
    print("| set | recordings | ours: mean (95 %) | values | published |\n|---|---|---|---|---|")
    for name in SETS:
        if only in (None, name):
            score_set(command, name, data, everything)
    if only in (None, "sliding_box"):
        score_sliding_box(command, data)


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit("usage: run.py STICKSLIP DATA [--all] [--identify] [--only=SET]")
    main(*sys.argv[1:])
