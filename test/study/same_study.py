#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Same study file, same bits: 1 thread, 2 threads, killed and resumed ten times, merged from parts.

usage: same_study.py STICKSLIP
"""
import csv, json, os, random, re, shutil, signal, stat, subprocess, sys, tempfile, time

import h5py

EXE = os.path.abspath(sys.argv[1])
SCENE = """
dimension: 2
params: {mu: 0.3, v0: 1}
materials: {default: {friction: mu}}
bodies:
  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}}, position: [0, 0.025], velocity: [v0, 0]}
simulation: {step: 0.0002, duration: 2}
"""
STUDY = """
study: sweep
name: sliding boxes
scene: box.yaml
seed: 11
vary:
  params.v0: {grid: [0.5, 2, 10]}
  params.mu: {uniform: [-0.01, 0.5]}      # below 0 the scene is refused: failed trials
  start: {table: starts.csv}
trials: 8
stop: "at_rest(0.02)"
measure: {far: "x('box') > 0.5", distance: "x('box')", fastest: "max(speed('box'))"}
"""
STARTS = "bodies.box.position.0, bodies.box.angle\n0, 0\n0.25, 1e-3\n-0.5, 0\n"


def sweep(*args, check=True):
    done = subprocess.run([EXE, "sweep", "study.yaml", "--quiet", *args], capture_output=True, text=True)
    if check and done.returncode != 0:
        sys.exit(f"sweep {args}: exit {done.returncode}: {done.stderr}")
    return done


def rows(path):
    """Everything but the time it took, as bytes."""
    with h5py.File(path, "r") as f:
        table = f["trials"][:]
    return [tuple(table[n][i].tobytes() for n in table.dtype.names if n != "seconds") for i in range(len(table))]


def expect(what, found, wanted):
    if found != wanted:
        sys.exit(f"{what}: {sum(a != b for a, b in zip(found, wanted))} rows differ")
    print(f"{what}: the same {len(found)} rows")


def kill_and_resume(times):
    """Killed at random moments, each time a little further; the file opens after every kill."""
    random.seed(5)
    kills = 0
    for k in range(200):
        job = subprocess.Popen([EXE, "sweep", "study.yaml", "--quiet", "--out", "killed.h5", "--resume"])
        time.sleep(random.uniform(0.0, 0.03) + 0.002 * k)
        job.send_signal(signal.SIGKILL)
        if job.wait() != -signal.SIGKILL:
            break
        kills += 1
        if os.path.exists("killed.h5"):
            with h5py.File("killed.h5", "r") as f:
                table = f["trials"][:]
            assert ((table["status"] == 0) | (table["steps"] > 0) | (table["status"] == 3)).all()
        if kills >= times:
            break
    sweep("--out", "killed.h5", "--resume")
    return kills


def resume_when_free(command):
    """Processes outlive the mpirun that was killed for a moment, and hold their file until they end."""
    for _ in range(120):
        done = subprocess.run(command, capture_output=True, text=True)
        if done.returncode == 0:
            return
        assert "another run is writing to it" in done.stderr, done.stderr
        time.sleep(0.5)
    raise AssertionError("the file is held for ever")


def main():
    with open("box.yaml", "w") as f:
        f.write(SCENE)
    with open("study.yaml", "w") as f:
        f.write(STUDY)
    with open("starts.csv", "w") as f:
        f.write(STARTS)
    sweep("--out", "one.h5", "--threads", "1", "--csv", "one.csv")
    wanted = rows("one.h5")
    assert len(wanted) == 240
    sweep("--out", "two.h5", "--threads", "2", "--csv", "two.csv")
    expect("2 threads", rows("two.h5"), wanted)
    sweep("--out", "seven.h5", "--threads", "7")
    expect("7 threads", rows("seven.h5"), wanted)
    print(f"killed {kill_and_resume(10)} times")
    expect("killed and resumed", rows("killed.h5"), wanted)
    for part in (2, 1, 3):
        sweep("--out", "merged.h5", "--part", f"{part}/3")
    sweep("--out", "merged.h5", "--merge")
    expect("merged from 3 parts", rows("merged.h5"), wanted)

    if shutil.which("mpirun") and re.search(r"MPI\s+yes", subprocess.run([EXE, "list"], capture_output=True, text=True).stdout):
        mpirun = ["mpirun", "--allow-run-as-root", "--oversubscribe", "-n"]
        for ranks in ("2", "3"):
            subprocess.run([*mpirun, ranks, EXE, "sweep", "study.yaml", "--quiet", "--out", f"mpi{ranks}.h5"], check=True)
            expect(f"mpirun -n {ranks}", rows(f"mpi{ranks}.h5"), wanted)
        job = subprocess.Popen([*mpirun, "2", EXE, "sweep", "study.yaml", "--quiet", "--out", "lost.h5"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(0.9)
        job.kill()
        job.wait()
        resume_when_free([*mpirun, "2", EXE, "sweep", "study.yaml", "--quiet", "--out", "lost.h5", "--resume"])
        expect("mpirun killed and resumed", rows("lost.h5"), wanted)
    else:
        print("SKIPPED: mpirun or a build with MPI is missing: sweeps over processes were not tested")

    with open("one.csv") as a, open("two.csv") as b:
        one, two = list(csv.DictReader(a)), list(csv.DictReader(b))
    assert [{k: v for k, v in r.items() if k != "seconds"} for r in one] == \
           [{k: v for k, v in r.items() if k != "seconds"} for r in two]
    assert list(one[0]) == ["trial", "params.v0", "params.mu", "bodies.box.position.0", "bodies.box.angle",
                            "far", "distance", "fastest", "status", "residual", "seconds"]
    failed = [r for r in one if r["status"] == "failed"]
    assert failed and all(float(r["params.mu"]) < 0 and r["distance"] == "nan" for r in failed)

    for trial in (0, 17, 239):  # replays, bit for bit
        again = json.loads(sweep("--trial", str(trial), "--json", "--csv", "steps.csv").stdout)
        row = one[trial]
        assert again["status"] == row["status"] and again["residual"] == float(row["residual"])
        for name in ("distance", "fastest"):
            assert again["measures"][name] == (None if row[name] == "nan" else float(row[name]))

    # a table that changed is another study; an unfinished one is not overwritten
    sweep("--out", "part.h5", "--part", "1/2")
    os.rename("part.part-1-of-2.h5", "half.h5")
    again = sweep("--out", "half.h5", check=False)
    assert again.returncode == 2 and "--resume" in again.stderr, again.stderr
    with open("starts.csv", "w") as f:
        f.write(STARTS.replace("0.25", "0.26"))
    again = sweep("--out", "half.h5", "--resume", check=False)
    assert again.returncode == 2 and "other values" in again.stderr, again.stderr
    again = sweep("--out", "half.h5", "--resume", "--set", "seed=12", check=False)
    assert again.returncode == 2 and "another study" in again.stderr, again.stderr
    with open("noise.h5", "wb") as f:
        f.write(os.urandom(5000))
    again = sweep("--out", "noise.h5", "--resume", check=False)
    assert again.returncode == 2, again.stderr
    os.mkfifo("pipe")
    for place in (".", "pipe", "no/such/folder/x.h5"):  # what is no file is never replaced
        again = sweep("--out", place, "--set", "trials=1", check=False)
        assert again.returncode in (2, 4) and place in again.stderr, again.stderr
    assert stat.S_ISFIFO(os.stat("pipe").st_mode)
    # a run killed while its file was being made leaves that file and its lock, which no later run deletes; others leave nothing
    left = [f for f in os.listdir(".") if f.endswith((".part", ".lock", ".new"))]
    left = [f for f in left if not re.fullmatch(r"(killed|lost)\.h5\.(\w{6}\.part|lock)", f)]
    assert not left, left
    print("resuming what does not belong is refused")


with tempfile.TemporaryDirectory() as folder:
    os.chdir(folder)
    main()
