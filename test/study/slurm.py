#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A study as a Slurm array with a real controller on this machine: the same rows as without one; a part that was
cancelled is submitted again and goes on; the parts are merged by a job that depends on them.
Skipped (77), loudly, where Slurm and MUNGE are not installed or may not be started.
usage: slurm.py STICKSLIP"""
import csv
import os
import pathlib
import shutil
import socket
import subprocess
import sys
import tempfile
import time

NEEDED = ("munged", "slurmctld", "slurmd", "sbatch", "squeue", "scancel")
SKIP = 77
os.environ["PATH"] += ":/usr/sbin:/sbin"
command = os.path.abspath(sys.argv[1])


def skip(why):
    print(f"NOT TESTED: {why}: studies were not run as Slurm arrays", file=sys.stderr)
    sys.exit(SKIP)


missing = [name for name in NEEDED if shutil.which(name) is None]
if missing:
    skip(f"there is no {', '.join(missing)} (apt install slurm-wlm munge)")
if os.getuid() != 0:
    skip("a controller of its own needs root")

place = pathlib.Path(tempfile.mkdtemp(prefix="slurm"))
place.chmod(0o755)
daemons = []


def free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def start(name, *arguments):
    log = open(place / f"{name}.out", "w", encoding="utf8")
    daemons.append((name, subprocess.Popen([name, *arguments], stdout=log, stderr=log)))


def call(*arguments):
    done = subprocess.run(arguments, capture_output=True, text=True, cwd=place, timeout=120)
    assert done.returncode == 0, (arguments, done.stdout, done.stderr)
    return done.stdout.strip()


def start_cluster():
    key = place / "munge.key"
    key.write_bytes(os.urandom(128))
    key.chmod(0o400)
    start("munged", "--foreground", "--force", f"--key-file={key}", f"--socket={place}/munge.socket", f"--pid-file={place}/munge.pid",
          f"--log-file={place}/munge.log", f"--seed-file={place}/munge.seed")
    host = socket.gethostname().split(".")[0]
    (place / "state").mkdir()
    (place / "spool").mkdir()
    (place / "slurm.conf").write_text(f"""
ClusterName=here
SlurmctldHost={host}(127.0.0.1)
SlurmctldPort={free_port()}
SlurmdPort={free_port()}
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={place}/munge.socket
CredType=cred/munge
StateSaveLocation={place}/state
SlurmdSpoolDir={place}/spool
SlurmctldPidFile={place}/slurmctld.pid
SlurmdPidFile={place}/slurmd.pid
SlurmctldLogFile={place}/slurmctld.log
SlurmdLogFile={place}/slurmd.log
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SchedulerParameters=sched_interval=1,batch_sched_delay=1
ReturnToService=2
SlurmdParameters=config_overrides
NodeName={host} NodeAddr=127.0.0.1 CPUs=2 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
""")
    os.environ["SLURM_CONF"] = str(place / "slurm.conf")
    time.sleep(1)
    start("slurmctld", "-D", "-f", str(place / "slurm.conf"))
    start("slurmd", "-D", "-f", str(place / "slurm.conf"), "-N", host)
    for _ in range(60):
        time.sleep(0.5)
        fallen = [name for name, p in daemons if p.poll() is not None]
        if fallen:
            skip(f"{fallen[0]} does not run here: {(place / (fallen[0] + '.out')).read_text()[-300:]}")
        told = subprocess.run(["sinfo", "-h", "-o", "%T"], capture_output=True, text=True)
        if told.returncode == 0 and told.stdout.strip() in ("idle", "mixed", "allocated"):
            return
    skip(f"the node did not come up: {told.stdout} {told.stderr}")


def wait_for(job):
    for _ in range(240):
        if not subprocess.run(["squeue", "-h", "-j", job], capture_output=True, text=True).stdout.strip():
            return
        time.sleep(0.5)
    raise AssertionError(f"job {job} does not end: " + call("squeue"))


def rows(path):
    """All columns but the time that it took."""
    with open(place / path, encoding="utf8") as f:
        return [{k: v for k, v in row.items() if k != "seconds"} for row in csv.DictReader(f)]


def study():
    (place / "box.yaml").write_text("""
dimension: 2
params: {mu: 0.3, v0: 1}
materials: {default: {friction: mu}}
bodies:
  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}}, position: [0, 0.025], velocity: [v0, 0]}
simulation: {step: 0.0005, duration: 2}
""")
    (place / "study.yaml").write_text("""
study: sweep
scene: box.yaml
seed: 3
vary: {params.v0: {grid: [0.5, 2, 4]}, params.mu: {uniform: [0.2, 0.4]}}
trials: 9
measure: {distance: "x('box')"}
""")
    # as docs/howto/run-on-slurm.md has it
    (place / "array.sh").write_text(f"""#!/bin/bash
#SBATCH --job-name=boxes
#SBATCH --array=1-3
#SBATCH --cpus-per-task=1
#SBATCH --output=%x-%a.log
{command} sweep study.yaml --out grasp.h5 --threads "$SLURM_CPUS_PER_TASK" \\
          --part "$SLURM_ARRAY_TASK_ID/$SLURM_ARRAY_TASK_COUNT" --resume --quiet
""")


def main():
    study()
    call(command, "sweep", "study.yaml", "--out", "alone.h5", "--csv", "alone.csv", "--quiet")
    start_cluster()
    job = call("sbatch", "--parsable", "array.sh")
    subprocess.run(["scancel", f"{job}_2"], check=True)  # whatever it had done by then
    wait_for(job)
    again = call("sbatch", "--parsable", "--array=1-3", "array.sh")  # as it is; finished parts have nothing to do
    merge = call("sbatch", "--parsable", f"--dependency=afterok:{again}", "--output=merge.log",
                 f"--wrap={command} sweep study.yaml --out grasp.h5 --merge --csv merged.csv")
    wait_for(merge)
    log = place / "merge.log"
    assert (place / "merged.csv").exists(), (log.read_text() if log.exists() else "no log", [p.name for p in place.iterdir()])
    alone, merged = rows("alone.csv"), rows("merged.csv")
    assert len(alone) == 36 and alone == merged, "a Slurm array gives other rows"
    print("a study as a Slurm array: 36 trials in 3 parts, one cancelled and submitted again, merged by a dependent job: the same rows")


try:
    main()
finally:
    for _, process in reversed(daemons):
        process.terminate()
    for _, process in daemons:
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
    shutil.rmtree(place, ignore_errors=True)
