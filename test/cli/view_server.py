#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`stickslip view` serves its clients independently of each other and of the simulation.

usage: view_server.py STICKSLIP
"""
import json
import os
import re
import signal
import socket
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

COMMAND = os.path.abspath(sys.argv[1])
SLOW = """
bodies:
  - {name: floor, type: static, shape: {plane: {normal: [0, 0, 1]}}}
  - {name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 1}}, position: [0, 0, 1]}
simulation: {step: 0.01, duration: 100}
forces:
""" + "".join(f"  - {{name: c{i}, type: controller, body: ball, function: 'function(t, s) local k = 0 for i = 1, 20000 do k = k + i end return 0 end'}}\n"
              for i in range(2000))


def view(folder, what, *more, **streams):
    process = subprocess.Popen([COMMAND, "view", what, "--no-open", *more], cwd=folder, stdout=subprocess.PIPE, text=True, **streams)
    address = re.match(r"http://127.0.0.1:(\d+)/", process.stdout.readline())
    assert address, "no address was printed"
    return process, int(address.group(1))


def get(port, path, host=None):
    request = urllib.request.Request(f"http://127.0.0.1:{port}/{path}", headers={"Host": host} if host else {})
    start = time.time()
    with urllib.request.urlopen(request, timeout=60) as answer:
        return answer.read(), time.time() - start


def end(process):
    process.send_signal(signal.SIGINT)
    assert process.wait(60) == 0, process.returncode


def bad_neighbours(port):
    """Clients that send nothing, drip, ask and never read, send rubbish, go away."""
    sockets = [socket.create_connection(("127.0.0.1", port)) for _ in range(100)]
    for i, s in enumerate(sockets):
        try:
            s.sendall([b"", b"x", b"GET / HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n\r\n" % port, b"\0" * 9000, b"GET /"][i % 5])
        except OSError:
            pass  # it was hung up on
        if i % 7 == 0:
            s.close()
    return sockets


def of_a_file(folder):
    scene = SLOW[:SLOW.index("forces:")].replace("duration: 100", "duration: 1")
    with open(os.path.join(folder, "ok.yaml"), "w") as f:
        f.write(scene)
    subprocess.run([COMMAND, "run", "ok.yaml", "--out", "ok.h5", "--quiet"], cwd=folder, check=True)
    process, port = view(folder, "ok.h5")
    kept = bad_neighbours(port)
    page, _ = get(port, "")
    assert b"<title>stickslip" in page
    header = json.loads(get(port, "header.json")[0])
    assert header["runs"][0]["steps"] == 101
    blob = header["runs"][0]["tables"]["steps"]["chunks"][0]["blob"]
    assert len(get(port, f"blob/{blob}")[0]) > 10
    for path, host, code in (("nothing", None, 404), ("blob/99999999999", None, 404), ("blob/x", None, 404),
                             ("blob/-1", None, 404), ("", "evil.example", 403)):
        try:
            get(port, path, host)
            raise AssertionError(path)
        except urllib.error.HTTPError as e:
            assert e.code == code, (path, e.code)
    for line, code in ((b"HOST:\t127.0.0.1:%d", b"200"), (b"Host: evil\r\nHost: 127.0.0.1:%d", b"403"), (b"X: Host: 127.0.0.1:%d", b"403")):
        with socket.create_connection(("127.0.0.1", port)) as s:
            s.sendall(b"GET / HTTP/1.1\r\n" + line % port + b"\r\n\r\n")
            assert s.recv(12) == b"HTTP/1.1 " + code, line
    del kept
    end(process)
    print("a run file is served beside a hundred bad clients")


def of_a_simulation(folder):
    with open(os.path.join(folder, "slow.yaml"), "w") as f:
        f.write(SLOW)
    process, port = view(folder, "slow.yaml")
    header = json.loads(get(port, "header.json")[0])  # waits for the first step
    step = max(get(port, "header.json")[1] for _ in range(3))
    times = [get(port, "")[1] for _ in range(5)]
    assert header["runs"][0]["steps"] >= 1
    grown = header["runs"][0]["steps"]
    for _ in range(3):  # blocks of a header stay for a while when a newer one is published
        tables = json.loads(get(port, "header.json")[0])["runs"][0]["tables"]
        get(port, "header.json")
        time.sleep(1)
        for table in tables.values():
            get(port, f"blob/{table['chunks'][-1]['blob']}")
    until = time.time() + 60
    while json.loads(get(port, "header.json")[0])["runs"][0]["steps"] == grown and time.time() < until:
        time.sleep(0.1)
    assert time.time() < until, "the run does not grow"
    end(process)
    print(f"during steps of seconds the page came within {max(times):.2f} s, the header within {step:.2f} s")


def number_and_mass(port):
    """The number of the run that is served, and the mass of its ball."""
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/header.json", timeout=60) as answer:
        run = json.loads(answer.read())["runs"][0]
        return int(answer.headers["X-Run"]), run["bodies"][1]["mass"], run["complete"]


def wait_for(port, wanted):
    until = time.time() + 60
    while number_and_mass(port) != wanted and time.time() < until:
        time.sleep(0.1)
    assert number_and_mass(port) == wanted, (number_and_mass(port), wanted)


def of_a_watched_scene(folder):
    """A scene is computed again when its file changes, also while it is being computed; a mistake is told and waited for."""
    scene, text = os.path.join(folder, "watched.yaml"), SLOW.split("forces:")[0].replace("duration: 100", "duration: 0.1")

    def write(what):
        with open(scene + ".new", "w") as f:
            f.write(what)
        os.replace(scene + ".new", scene)  # as editors do

    write(text)
    process, port = view(folder, "watched.yaml", "--watch", stderr=subprocess.PIPE)
    wait_for(port, (1, 1, True))
    write(text.replace("mass: 1", "mass: 2"))
    wait_for(port, (2, 2, True))
    write("bodies: oops\n")
    line = process.stderr.readline()
    assert "watched.yaml:1" in line, line
    wait_for(port, (2, 2, True))  # the last run is still there
    write(text.replace("mass: 1", "mass: 3").replace("duration: 0.1", "duration: 1e6"))
    until = time.time() + 60
    while number_and_mass(port)[:2] != (3, 3) and time.time() < until:
        time.sleep(0.1)
    write(text.replace("mass: 1", "mass: 4"))  # while it is computed
    wait_for(port, (4, 4, True))
    end(process)
    print("a watched scene was computed again three times")


with tempfile.TemporaryDirectory() as place:
    of_a_file(place)
    of_a_simulation(place)
    of_a_watched_scene(place)
