#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Imported files: what MuJoCo makes of them to 1e-9, where it is there; what is not carried over is listed; bad files
are refused. usage: imports.py STICKSLIP FILES [MUJOCO_SAYS]"""
import glob
import json
import os
import resource
import subprocess
import sys
import tempfile

import numpy as np
import yaml

command, files = sys.argv[1:3]
mujoco = sys.argv[3] if len(sys.argv) > 3 else None
CLOSE = 1e-9


def bring(path, *options):
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "scene.yaml")
        told = subprocess.run([command, "import", path, "-o", out, "--json", *options], capture_output=True, text=True)
        assert told.returncode == 0, (path, told.stderr)
        return yaml.safe_load(open(out, encoding="utf8")), json.loads(told.stdout)


def rotation(q):
    w, x, y, z = np.array(q) / np.linalg.norm(q)
    return np.array([[1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
                     [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
                     [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)]])


def spread(parts):
    """Mass, centre and inertia about the origin, world axes."""
    mass = sum(m for m, _, _ in parts)
    centre = sum((m * c for m, c, _ in parts), np.zeros(3))
    inertia = sum((i + m * (c @ c * np.eye(3) - np.outer(c, c)) for m, c, i in parts), np.zeros((3, 3)))
    return mass, centre, inertia


def ours(body):
    R = rotation(body.get("quat_wxyz", [1, 0, 0, 0]))
    return body["mass"], np.array(body["position"]) + R @ np.array(body["com"]), R @ np.array(body["inertia"]) @ R.T


def theirs(body):
    A = np.array(body["axes"]).reshape(3, 3)
    return body["mass"], np.array(body["com"]), A @ np.diag(body["inertia"]) @ A.T


def near(a, b, what, scale=1.0):
    gap = np.max(np.abs(np.array(a) - np.array(b)))
    assert gap <= CLOSE * scale, f"{what}: {a} here, {b} there, {gap} apart"


def against_mujoco(path, at=()):
    options = [o for one in at for o in ("--at", one)]
    scene, told = bring(path, *options)
    said = json.loads(subprocess.run([mujoco, path, *at], check=True, capture_output=True, text=True).stdout)
    bodies = {b["name"]: b for b in scene["bodies"] if b["type"] == "dynamic"}
    groups = {}  # bodies that MuJoCo welds together
    for i, b in enumerate(said["bodies"], 1):
        groups.setdefault(b["weld"], []).append(b)
    compared = 0
    for weld, members in groups.items():
        head = said["bodies"][weld - 1]
        if weld == 0:
            continue
        if not head["name"]:  # found by its place
            assert any(np.max(np.abs(np.array(b["position"]) - head["position"])) < CLOSE for b in bodies.values()), (path, head)
            compared += 1
            continue
        if head["name"] not in bodies and any("<composite>" in note for note in told["not_carried_over"]):
            continue  # cloth and ropes, which are said not to be carried over
        body = bodies[head["name"]]
        near(body["position"], head["position"], f"{path}: place of {head['name']}")
        near(rotation(body.get("quat_wxyz", [1, 0, 0, 0])), rotation(head["quat"]), f"{path}: turn of {head['name']}")
        between = [b for n, b in bodies.items() if n.startswith(head["name"] + "/")]
        mass, centre, inertia = spread([theirs(m) for m in members])
        own_mass, own_centre, own_inertia = spread([ours(body)])
        total = own_mass + sum(b["mass"] for b in between)
        near(total, mass, f"{path}: mass of {head['name']}")
        if not between:
            near(own_centre, centre, f"{path}: centre of {head['name']}", max(1, mass))
            # MuJoCo keeps principal axes, found by an iteration that ends at about 1e-8 of the inertia
            near(own_inertia, inertia, f"{path}: inertia of {head['name']}", 100 * max(1, mass))
        compared += 1
    joints = {j["name"]: j for j in scene.get("joints", [])}
    for j in said["joints"]:
        if j["name"] not in joints and any("<composite>" in note for note in told["not_carried_over"]):
            continue
        if j["type"] != 1:  # a ball has no axis
            near(joints[j["name"]]["axis"], j["axis"], f"{path}: axis of {j['name']}")
            line = np.cross(np.array(joints[j["name"]]["anchor"]) - j["anchor"], j["axis"]) if j["type"] == 2 else np.zeros(3)
            near(line, np.zeros(3), f"{path}: line of {j['name']}")
        if j["type"] == 3:
            near(joints[j["name"]]["anchor"], j["anchor"], f"{path}: anchor of {j['name']}")
    return compared, len(said["joints"])


def run(path, seconds="0.005"):
    with tempfile.TemporaryDirectory() as place:
        out = os.path.join(place, "s.yaml")
        subprocess.run([command, "import", path, "-o", out, "--quiet"], check=True, capture_output=True)
        done = subprocess.run([command, "run", out, "--duration", seconds, "--quiet", "--json"], capture_output=True, text=True)
        assert done.returncode == 0, (path, done.stderr)


name = lambda f: os.path.join(files, f)  # noqa: E731
told = {}
for f in sorted(os.listdir(files)):
    if f.startswith("entity") or f.endswith(("_body.xml", ".obj")):
        continue
    told[f] = bring(name(f))[1]["not_carried_over"]
    run(name(f))
assert len(told) >= 12, told.keys()

# what is not carried over is said
for f, words in {"arm.urdf": "effort", "gripper.urdf": "effort", "inertial.xml": "<actuator> <motor>", "box.sdf": "model://sun", "universal.sdf": "'screw'",
                 "joints2.xml": "several joints", "classes.xml": "only weigh"}.items():
    assert any(words in note for note in told[f]), (f, words, told[f])
assert any("<plugin>" in n for n in told["universal.sdf"])

# joints that mimic others are coupled with them, and start where those have them
scene, told_hand = bring(name("hand.urdf"), "--at", "close=0.01")
joints = {j["name"]: j for j in scene["joints"]}
assert joints["follow follows"] == {"name": "follow follows", "type": "coupling", "joints": ["close", "follow"], "ratio": -0.5}, joints
near(joints["follow"]["limits"], [-0.03 - 0.015, 0.03 - 0.015], "a joint that mimics starts at multiplier x value + offset")
assert not any("follow" in note for note in told_hand["not_carried_over"]), told_hand
scene, told_gears = bring(name("gears.xml"))
joints = {j["name"]: j for j in scene["joints"]}
assert joints["second follows"]["ratio"] == -2 and joints["second follows"]["joints"] == ["first", "second"]
assert any("<equality> <joint>" in note for note in told_gears["not_carried_over"])  # the one that is no ratio

# .. and so in SDF, also jaws along one line of a palm that is free
scene, told_sdf = bring(name("fingers.sdf"))
joints = {j["name"]: j for j in scene["joints"]}
assert joints["curl follows"] == {"name": "curl follows", "type": "coupling", "joints": ["bend", "curl"], "ratio": 0.8}, joints
assert joints["right follows"] == {"name": "right follows", "type": "coupling", "joints": ["left", "right"], "ratio": 1}, joints
assert any("would start at 0.1" in note for note in told_sdf["not_carried_over"]), told_sdf
with tempfile.TemporaryDirectory() as place:
    out = os.path.join(place, "s.yaml")
    subprocess.run([command, "import", name("fingers.sdf"), "-o", out, "--quiet"], check=True, capture_output=True)
    done = subprocess.run([command, "run", out, "--duration", "0.1", "--quiet", "--json"], capture_output=True, text=True, check=True)
    ends = json.loads(done.stdout)["joints"]
near([ends["right"]["value"][0]], [ends["left"]["value"][0]], "the jaws go together")
near([ends["curl"]["value"][0]], [0.8 * ends["bend"]["value"][0]], "the finger curls as it bends")
assert abs(ends["left"]["value"][0]) > 1e-4 and abs(ends["bend"]["value"][0]) > 1e-4, ends

# joints that have no body in common, on a robot that is free
with tempfile.TemporaryDirectory() as place:
    mass = "<inertial><mass value='0.3'/><inertia ixx='1e-3' iyy='1e-3' izz='1e-3' ixy='0' ixz='0' iyz='0'/></inertial>"
    links = "".join(f"<link name='{n}'>{mass}</link>" for n in "abcd")
    turns = "".join(f"<joint name='{p}{c}' type='continuous'><parent link='{p}'/><child link='{c}'/><origin xyz='0.1 0.02 0'/><axis xyz='{axis}'/>{more}</joint>"
                    for p, c, axis, more in [("a", "b", "0 0 1", ""), ("b", "c", "0 1 0", ""), ("c", "d", "1 0 0", "<mimic joint='ab' multiplier='-1.5'/>")])
    urdf, out = os.path.join(place, "free.urdf"), os.path.join(place, "free.yaml")
    with open(urdf, "w") as f:
        f.write(f"<robot name='free'>{links}{turns}</robot>")
    subprocess.run([command, "import", urdf, "-o", out, "--free", "--quiet"], check=True, capture_output=True)
    done = subprocess.run([command, "run", out, "--duration", "0.2", "--quiet", "--json", "--set", "bodies.b.angular_velocity=[0, 0, 2]"], capture_output=True, text=True, check=True)
    ends = json.loads(done.stdout)["joints"]
near([ends["cd"]["value"][0]], [-1.5 * ends["ab"]["value"][0]], "joints without a common body go together")
assert abs(ends["ab"]["value"][0]) > 1e-2, ends

# SDF by hand
scene, _ = bring(name("box.sdf"))
crate = [b for b in scene["bodies"] if b["name"] == "crate"][0]
assert crate["mass"] == 2.5 and scene["gravity"] == [0, 0, -9.8] and scene["materials"]["mu_0.4"]["friction"] == 0.4
near(crate["position"], [0, 0, 0.5], "crate")
scene, _ = bring(name("pendulum.sdf"))
joints = {j["name"]: j for j in scene["joints"]}
near(joints["upper_joint"]["anchor"], [0, 0, 2.1], "upper anchor")
near(joints["lower_joint"]["anchor"], [0.25, 1.0, 2.1], "lower anchor")
near(joints["lower_joint"]["axis"], [1, 0, 0], "lower axis")
assert joints["lower_joint"]["limits"] == [-2, 2] and joints["upper_joint"]["damping"] == 0.2 and joints["upper_joint"]["bodies"][0] == "world"
scene, _ = bring(name("universal.sdf"))
near(scene["joints"][0]["anchor"], [0.25, 0, 1], "universal anchor")
assert len(scene["joints"]) == 1 and scene["joints"][0]["type"] == "universal"

# limits, friction and springs move with the start
scene, _ = bring(name("chain.xml"), "--at", "j1=0.25", "--at", "j2=0.05")
joints = {j["name"]: j for j in scene["joints"]}
near(joints["j1"]["limits"], [-1.25, 0.75], "limits from where it starts")
assert joints["j1"]["friction"] == 0.05 and joints["j1"]["damping"] == 0.2 and joints["j2"]["stiffness"] == 30
near(joints["j2"]["rest"], 0.0, "rest from where it starts")

# what hangs in the world stays there, and moves nothing
scene, _ = bring(name("chain.xml"))
bodies = {b["name"]: b for b in scene["bodies"]}
assert len(bodies) == 4 and bodies["world_0"]["type"] == "static" and list(bodies["world_0"]["shape"]) == ["plane"], bodies.keys()
near(bodies["world_0"]["shape"]["plane"]["normal"], [0, 0, 1], "normal of the floor")
assert list(bodies["a"]["shape"]) == ["capsule"], bodies["a"]["shape"]

# bad files
with tempfile.TemporaryDirectory() as place:
    bad = {"nothing.xml": "", "html.xml": "<html/>", "torn.urdf": "<robot><link name='a'>", "circle.urdf": "<robot><link name='a'/><link name='b'/><joint name='j' type='fixed'><parent link='a'/><child link='b'/></joint>"
           "<joint name='k' type='fixed'><parent link='b'/><child link='a'/></joint></robot>", "xacro.urdf": "<robot xmlns:xacro='x'><xacro:macro name='m'/></robot>",
           "bomb.xml": "<!DOCTYPE r [<!ENTITY a 'aaaaaaaaaa'><!ENTITY b '&a;&a;&a;&a;&a;'>]><mujoco model='&b;'/>", "include.xml": "<mujoco><include file='include.xml'/></mujoco>",
           "joint.sdf": "<sdf version='1.6'><model name='m'><link name='a'/><joint name='j' type='revolute'><parent>x</parent><child>a</child></joint></model></sdf>"}
    bad["held.urdf"] = "<robot name='r'><link name='a'/></robot>"
    for f, text in bad.items():
        path = os.path.join(place, f)
        open(path, "w", encoding="utf8").write(text)
        done = subprocess.run([command, "import", path], capture_output=True, text=True)
        assert done.returncode == 2 and f in done.stderr, (f, done.returncode, done.stderr)
    done = subprocess.run([command, "import", name("entity.urdf")], capture_output=True, text=True)
    assert done.returncode == 2 and "entity.urdf" in done.stderr and done.stdout == "", done
    # joints that would follow themselves, or by no number, move on their own
    link = "<inertial><mass value='1'/><inertia ixx='1' iyy='1' izz='1' ixy='0' ixz='0' iyz='0'/></inertial></link>"
    for mimic, words in ("joint='j'", "that is itself"), ("joint='i' multiplier='inf'", "its ratio is none"):
        path = os.path.join(place, "odd.urdf")
        with open(path, "w", encoding="utf8") as odd:
            odd.write(f"<robot name='r'><link name='a'>{link}<link name='b'>{link}<link name='c'>{link}<joint name='i' type='continuous'><parent link='a'/><child link='b'/></joint>"
                      f"<joint name='j' type='continuous'><parent link='b'/><child link='c'/><mimic {mimic}/></joint></robot>")
        done = subprocess.run([command, "import", path], capture_output=True, text=True)
        assert done.returncode == 0 and words in done.stderr and "coupling" not in done.stdout, done
    done = subprocess.run([command, "import", os.path.join(place, "missing.urdf")], capture_output=True, text=True)
    assert done.returncode == 2 and "cannot be opened" in done.stderr
    # the time is that of the file's size: chains in the order of the file and against it, many attributes
    def chain(count, backwards):
        each = [f"<link name='l{i}'>{link}" + (f"<joint name='j{i}' type='continuous'><parent link='l{i - 1}'/><child link='l{i}'/></joint>" if i else "")
                for i in range(count)]
        return "<robot name='r'>" + "\n".join(reversed(each) if backwards else each) + "</robot>"

    for file, text, words in (("long.urdf", chain(10000, False), None), ("back.urdf", chain(10000, True), None),
                              ("wide.urdf", "<robot name='r'><link name='a' " + " ".join(f"a{i}='1'" for i in range(80000)) + "/></robot>", "more than 256 attributes"),
                              ("many.xml", "<mujoco>" + "<include file='less.xml'/>" * 300 + "</mujoco>", "files are included"),
                              ("less.xml", "<mujoco>" + "<include file='none.xml'/>" * 300 + "</mujoco>", "nothing"),
                              ("none.xml", "<mujoco/>", "nothing")):
        with open(os.path.join(place, file), "w", encoding="utf8") as large:
            large.write(text)
    for file, words in ("long.urdf", None), ("back.urdf", None), ("wide.urdf", "more than 256 attributes"), ("many.xml", "files are included"):
        before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
        done = subprocess.run([command, "import", os.path.join(place, file)], capture_output=True, text=True)
        took = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
        assert done.returncode == (2 if words else 0) and (words is None or words in done.stderr), (file, done.returncode, done.stderr[:300])
        assert took < 10, (file, took)
        assert words or done.stdout.count("type: revolute") == 9999
# values of joints that are not there
for f in ("hand.urdf", "chain.xml", "pendulum.sdf"):
    got = subprocess.run([command, "import", name(f), "--at", "clos=0.01"], capture_output=True, text=True)
    assert got.returncode == 2 and "there is no joint 'clos'" in got.stderr and not got.stdout, (f, got)
assert "did you mean 'close'" in subprocess.run([command, "import", name("hand.urdf"), "--at", "clos=0.01"], capture_output=True, text=True).stderr

print(f"{len(told)} files imported and run, {len(bad) + 2} refused")

if mujoco is None:
    print("SKIPPED: MuJoCo is not installed (libmujoco-dev): masses, axes and kinematics were not compared")
    sys.exit(0)
AT = {"chain.xml": ("j1=0.4", "j2=-0.05"), "classes.xml": ("knee=0.3",), "joints2.xml": ("yaw=0.7", "pitch=-0.4", "slide=0.1", "turn=0.2"), "inertial.xml": ("h1=1.1", "h2=-0.6"), "mesh.xml": (),
      "arm.urdf": ("shoulder=0.5", "elbow=-0.9"), "gripper.urdf": ("lift=0.1", "close=0.02", "follow=0.02"), "gears.xml": ("first=0.3", "second=-0.6"), "wheel.urdf": ("axle=0.4",)}
for f, at in AT.items():
    for where in ((), at):
        compared = against_mujoco(name(f), where)
    print(f"{f}: {compared[0]} bodies and {compared[1]} joints as MuJoCo has them, at the start and at {', '.join(at)}")
models = "/usr/share/mujoco/model"
for f in ("humanoid/humanoid.xml", "humanoid100/humanoid100.xml", "slider_crank/slider_crank.xml", "tendon_arm/arm26.xml", "hammock/hammock.xml"):
    if not os.path.exists(os.path.join(models, f)):
        print(f"SKIPPED: {f} (Debian's libmujoco-samples)")
        continue
    compared = against_mujoco(os.path.join(models, f))
    run(os.path.join(models, f), "0.004")
    print(f"{f}: {compared[0]} bodies, {compared[1]} joints as MuJoCo has them")
# the others are brought and run; each says what it leaves out
others = sorted(set(glob.glob(os.path.join(models, "*", "*.xml"))))
for path in others:
    assert bring(path)[1]["not_carried_over"], path
    run(path, "0.002")
print(f"{len(others)} models of Debian's libmujoco-samples imported and run")
