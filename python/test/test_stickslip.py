# SPDX-License-Identifier: Apache-2.0
"""The Python module against closed forms, and as a user would misuse it."""
import json
import os
import pathlib
import subprocess
import tempfile
import threading
import time
import timeit
import unittest

import numpy as np
import scipy.sparse

import stickslip

ROOT = pathlib.Path(__file__).resolve().parents[2]
SPHERE = ROOT / "scenes" / "sphere-slide-roll.yaml"
FALLING = {
    "gravity": [0, 0, -10],
    "bodies": [{"name": "ball", "type": "dynamic", "mass": 2, "shape": {"sphere": {"radius": 1}}}],
    "simulation": {"step": 0.01, "duration": 0.5},
}


class Stepping(unittest.TestCase):
    def test_sphere_slides_then_rolls(self):
        data = stickslip.Scene.load(SPHERE).compile().data()
        data.step(5)
        row = data.model.index("ball")
        self.assertAlmostEqual(data.velocities[row, 0], 10 / 7, delta=1e-12)
        self.assertAlmostEqual(data.angular_velocities[row, 1], 10 / 7, delta=1e-12)
        self.assertAlmostEqual(data.time, 0.6, delta=1e-14)
        self.assertEqual(data.report["outcome"], "solved")

    def test_arrays_are_views_that_follow_the_state(self):
        data = stickslip.Scene.from_dict(FALLING).compile().data()
        velocities = data.velocities
        data.step(10)
        self.assertAlmostEqual(velocities[0, 2], -1.0, delta=1e-12)
        self.assertIs(velocities.base, data.velocities.base)
        with self.assertRaises(ValueError):
            velocities[0, 2] = 3  # would change nothing: set_body does

    def test_contacts_carry_the_weight(self):
        data = stickslip.Scene.load(SPHERE).compile().data()
        data.step(1, h=0.01)
        contacts = data.contacts
        self.assertEqual(len(contacts), 1)
        np.testing.assert_allclose(contacts["impulse"][0][0], 9.81 * 0.01, rtol=1e-12)
        np.testing.assert_allclose(contacts["normal"][0], [0, 0, 1], atol=1e-15)
        self.assertEqual(stickslip.data.STATES[contacts["state"][0]], "slip")

    def test_joints(self):
        data = stickslip.Scene.load(ROOT / "scenes" / "pendulum.yaml").compile().data()
        data.step(3)
        self.assertEqual(len(data.joints), len(data.model.joints))
        self.assertLess(data.joints["error"].max(), 1e-3)

    def test_snapshots_give_the_same_bits(self):
        data = stickslip.Scene.load(ROOT / "scenes" / "stack.yaml").compile().data()
        data.step(5)
        snapshot = data.snapshot()
        data.step(5)
        after = data.state_hash
        data.restore(snapshot)
        data.step(5)
        self.assertEqual(data.state_hash, after)
        with self.assertRaises(stickslip.StickslipError):
            data.restore(snapshot[:-8])

    def test_interrupts_in_controllers_are_no_input_errors(self):
        def interrupted(*_):
            raise KeyboardInterrupt

        scene = stickslip.Scene.from_dict(FALLING)
        scene.control(interrupted, body="ball")
        with self.assertRaises(KeyboardInterrupt):
            stickslip.run(scene)

    def test_snapshots_and_threads_are_checked(self):
        data = stickslip.Scene.from_dict(FALLING).compile().data()
        other = {**FALLING, "bodies": [{"name": "ball", "type": "particle", "mass": 2}]}
        with self.assertRaisesRegex(stickslip.InputError, "no snapshot of this model"):
            stickslip.Scene.from_dict(other).compile().data().restore(data.snapshot())
        heavier = {**FALLING, "bodies": [{**FALLING["bodies"][0], "mass": 3}]}
        stickslip.Scene.from_dict(heavier).compile().data().restore(data.snapshot())  # values may change
        for threads in (0, -1, 10**9):
            with self.assertRaisesRegex(stickslip.InputError, "threads must lie between 1 and 4096"):
                data.set_threads(threads)
        data.reset()
        self.assertEqual(data.time, 0)

    def test_bodies_can_be_put_and_pushed(self):
        data = stickslip.Scene.from_dict(FALLING).compile().data()
        data.set_body("ball", position=[1, 2, 3], velocity=[4, 0, 0])
        np.testing.assert_array_equal(data.positions[0], [1, 2, 3])
        data.push("ball", force=[0, 0, 20])
        data.step()
        np.testing.assert_allclose(data.velocities[0], [4, 0, 0], atol=1e-15)
        with self.assertRaises(KeyError):
            data.push("nobody")
        with self.assertRaises(stickslip.InputError):
            data.set_body("ball", position=[1])
        for wrong in ({"position": [1, 2]}, {"velocity": [1, 2]}, {"angular_velocity": [1, 2]}, {"quaternion": [0, 0, 0, 0]}):
            with self.assertRaises(stickslip.InputError):
                data.set_body("ball", **wrong)
        with self.assertRaises(stickslip.InputError):
            data.push("ball", [1, 2])

    def test_verdicts_of_steps(self):
        text = (ROOT / "scenes" / "painleve-plane.yaml").read_text()
        text = text.replace("mu: 1.5", "mu: 0.5").replace("duration: 0.1", "duration: 0.1, verdicts: true")
        data = stickslip.Scene.from_text(text).compile().data()
        data.step()
        self.assertEqual(data.report["verdict"], {"unique": "yes", "forces_unique": "yes", "stable": "yes",
                                                  "solutions": 1, "active": 1})

    def test_a_controller_holds_the_ball(self):
        scene = stickslip.Scene.from_dict(FALLING)
        seen = []

        def hold(t, data):
            seen.append((t, data.velocities[0, 2]))
            return [0, 0, 20, 0, 0, 0]

        data = scene.control(hold, body="ball").compile().data()
        data.step(20)
        np.testing.assert_allclose(data.velocities[0], 0, atol=1e-15)
        self.assertEqual(len(seen), 20)

    def test_what_a_controller_raises_comes_back(self):
        def fails(t, data):
            raise RuntimeError("no signal")

        data = stickslip.Scene.from_dict(FALLING).control(fails, body="ball").compile().data()
        with self.assertRaises(stickslip.InputError) as caught:
            data.step()
        self.assertIsInstance(caught.exception.__cause__, RuntimeError)
        wrong = stickslip.Scene.from_dict(FALLING).control(lambda t, d: [1], body="ball")
        with self.assertRaises(stickslip.InputError):
            wrong.compile().data().step()

    def test_threads_share_a_model_and_the_interpreter_is_free(self):
        model = stickslip.Scene.load(ROOT / "scenes" / "stack.yaml").compile()
        hashes, ticks = [], []

        def work():
            data = model.data()
            data.step(60)
            hashes.append(data.state_hash)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        while any(thread.is_alive() for thread in threads):
            ticks.append(time.monotonic())
            time.sleep(0.001)
        self.assertEqual(len(set(hashes)), 1)
        self.assertGreater(len(ticks), 1)

    def test_overhead_of_a_call(self):
        """step(n) is one call into C of less than a microsecond beside the n steps: on a machine that runs a method that
        does nothing in 60 ns, 15 times that. The least of many tries: others may use the machine."""
        data = stickslip.Scene.load(SPHERE).compile().data()
        data.step(1000)

        class Nothing:
            def step(self, n=1, h=None):
                return n

        def least(call):
            return min(timeit.repeat(lambda: call(0), number=1000, repeat=50)) / 1000

        ratio = least(data.step) / least(Nothing().step)
        print(f"a call of step(0): {ratio:.1f} times one of a method that does nothing")
        self.assertLess(ratio, 15)


class Scenes(unittest.TestCase):
    def test_errors_say_where(self):
        with self.assertRaisesRegex(stickslip.InputError, "nowhere.yaml"):
            stickslip.Scene.load("nowhere.yaml")
        with self.assertRaisesRegex(stickslip.InputError, "mass"):
            stickslip.Scene.from_dict(FALLING).set("bodies.ball.mas", 2)
        with self.assertRaisesRegex(stickslip.InputError, "<text>:1"):
            stickslip.Scene.from_text("bodies: 3")
        with self.assertRaisesRegex(stickslip.InputError, "nan"):
            stickslip.Scene.from_dict({"gravity": [0, 0, float("nan")]})

    def test_a_key_that_yaml_1_1_takes_for_true(self):
        support = {"points": [[0.1, 0], [-0.1, 0.1], [-0.1, -0.1]], "friction": 0.4, True: "belt"}
        scene = {"dimension": 2, "gravity": [0, 0],
                 "bodies": [{"name": "belt", "type": "static", "surface_velocity": [0.5, 0]},
                            {"name": "part", "type": "dynamic", "mass": 1, "inertia": 0.01, "support": support}]}
        data = stickslip.Scene.from_dict(scene).compile().data()
        data.step(300)
        self.assertAlmostEqual(data.velocities[1][0], 0.5)

    def test_a_refused_change_leaves_the_scene_as_it_was(self):
        scene = stickslip.Scene.from_dict(FALLING)
        with self.assertRaises(stickslip.InputError):
            scene.set("bodies.ball.mass", -1).compile()
        self.assertEqual(stickslip.Scene.from_dict(FALLING).compile().mass("ball"), 2)

    def test_built_in_scenes_and_studies(self):
        scene = stickslip.Scene.load("builtin:sphere-slide-roll").set("params.mu", 0.3)
        self.assertEqual(scene.compile().dimension, 3)
        with self.assertRaisesRegex(stickslip.InputError, "did you mean 'mu'"):
            scene.set("params.muu", 0.3)
        with self.assertRaisesRegex(stickslip.InputError, "did you mean 'sphere-slide-roll'"):
            stickslip.Scene.load("builtin:sphere-slid-roll")
        study = {"study": "sweep", "scene": "builtin:sphere-slide-roll", "vary": {"params.mu": {"list": [0.2, 0.3]}},
                 "measure": {"v": "vx('ball')"}}
        self.assertEqual(stickslip.sweep(study).trials, 2)
        with self.assertRaisesRegex(stickslip.InputError, "no built-in scene 'sphere'"):
            stickslip.sweep({**study, "scene": "builtin:sphere"})
        with self.assertRaisesRegex(stickslip.InputError, "no built-in study 'plat-field'; did you mean 'plate-field'"):
            stickslip.sweep("builtin:plat-field")

    def test_numpy_values(self):
        scene = stickslip.Scene.from_dict({**FALLING, "gravity": np.array([0, 0, -1.0])})
        data = scene.set("bodies.ball.mass", np.float64(3)).compile().data()
        data.step(1)
        self.assertAlmostEqual(data.velocities[0, 2], -0.01)
        self.assertEqual(data.model.mass("ball"), 3)


class Parts(unittest.TestCase):
    def test_four_parts_are_a_step(self):
        model = stickslip.Scene.load(ROOT / "scenes" / "stack.yaml").compile()
        whole, parts = model.data(), model.data()
        for _ in range(5):
            whole.step()
            parts.collide()
            parts.formulate()
            parts.solve()
            parts.update()
            np.testing.assert_array_equal(whole.positions, parts.positions)
            np.testing.assert_array_equal(whole.velocities, parts.velocities)
        with self.assertRaisesRegex(stickslip.StickslipError, "comes after"):
            parts.solve()

    def test_the_active_set_has_gaps_of_what_does_not_touch(self):
        data = stickslip.Scene.from_dict({"bodies": [
            {"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 0, 1]}}},
            {"name": "ball", "type": "dynamic", "shape": {"sphere": {"radius": 0.5}}, "position": [0, 0, 2]}]}).compile().data()
        self.assertEqual(len(data.active_set(1)), 0)
        near = data.active_set(1.6)
        self.assertEqual(len(near), 1)
        self.assertAlmostEqual(near["gap"][0], 1.5, places=14)
        np.testing.assert_allclose(near["normal"][0], [0, 0, 1])
        self.assertEqual({near["body_a"][0], near["body_b"][0]}, {0, 1})


class Plugins(unittest.TestCase):
    def test_a_force_from_a_shared_object(self):
        with tempfile.TemporaryDirectory() as place:
            made = pathlib.Path(place) / "attraction.so"
            subprocess.run(["cc", "-std=c17", "-shared", "-fPIC", f"-I{ROOT / 'include'}", "-o", made,
                            ROOT / "samples" / "plugins" / "force.c"], check=True)
            scene = {"gravity": [0, 0, 0], "simulation": {"step": 0.01},
                     "bodies": [{"name": "moon", "type": "particle", "mass": 2, "position": [2, 0, 0]}],
                     "forces": [{"type": "attraction", "bodies": ["world", "moon"], "settings": {"strength": 8}}]}
            with self.assertRaisesRegex(stickslip.InputError, "attraction"):
                stickslip.Scene.from_dict(scene)
            data = stickslip.Scene.from_dict(scene, plugins=[made]).compile().data()
            data.step()
            self.assertAlmostEqual(data.velocities[0][0], -8 / 2 / 4 * 0.01, places=6)
            with self.assertRaisesRegex(stickslip.InputError, "cannot be loaded"):
                stickslip.Scene.from_dict(scene, plugins=["gone.so"])


class Runs(unittest.TestCase):
    def test_arrays_of_a_run(self):
        run = stickslip.run(SPHERE, step=0.01)
        self.assertEqual(run.positions.shape, (61, 2, 3))
        np.testing.assert_allclose(run.t, 0.01 * np.arange(61), atol=1e-12)
        self.assertAlmostEqual(run.body("ball")["velocity"][-1, 0], 10 / 7, delta=1e-9)
        self.assertLess(run.summary["residual_max"], 1e-9)
        self.assertEqual(run.stopped, "")
        total = run.kinetic + run.potential + run.dissipated
        np.testing.assert_allclose(total, total[0], atol=1e-9)

    def test_model_and_values(self):
        run = stickslip.run(SPHERE, model="cone=polygon:8", set={"params.mu": 0.4}, duration=0.12)
        self.assertEqual(len(run.t), 2)
        run = stickslip.run(SPHERE, model={"cone": {"polygon": 8}}, duration=0.12)
        self.assertEqual(len(run.t), 2)

    def test_the_report(self):
        run = stickslip.run(SPHERE)
        page = run.to_html()
        self.assertTrue(page.lstrip().lower().startswith("<!doctype html"))
        self.assertIn("<iframe", run._repr_html_())

    def test_arrays_outlive_the_run(self):
        positions = stickslip.run(SPHERE).positions
        self.assertEqual(positions.shape, (6, 2, 3))
        self.assertTrue(np.isfinite(positions).all())


class Problems(unittest.TestCase):
    M, q = np.array([[2.0, 1.0], [1.0, 2.0]]), np.array([-5.0, -6.0])

    def test_lcp_dense_and_sparse(self):
        for matrix in (self.M, scipy.sparse.csr_matrix(self.M), self.M.tolist()):
            x = stickslip.solve_lcp(matrix, self.q)
            self.assertTrue(x.solved)
            np.testing.assert_allclose(x.z, [4 / 3, 7 / 3], rtol=1e-12)

    def test_lcp_without_a_solution(self):
        x = stickslip.solve_lcp(np.array([[-1.0]]), np.array([-1.0]))
        self.assertFalse(x.solved)

    def test_mlcp(self):
        x = stickslip.solve_mlcp(self.M, [-5, 6], [True, False])
        np.testing.assert_allclose(x.z, [2.5, 0], rtol=1e-12)

    def test_friction(self):
        x = stickslip.solve_friction(np.eye(3), [-1, 2, 0], [0.5])
        np.testing.assert_allclose(x.z, [1, -0.5, 0], atol=1e-10)
        x = stickslip.solve_friction(np.eye(4), [-1, 0.1, 1, 0], [0.5, 0.5])
        np.testing.assert_allclose(x.z, [1, -0.1, 0, 0], atol=1e-10)

    def test_wrong_sizes(self):
        for call in (lambda: stickslip.solve_lcp(np.ones((2, 3)), [1, 2]),
                     lambda: stickslip.solve_lcp(self.M, [1]),
                     lambda: stickslip.solve_friction(np.eye(4), np.zeros(4), [1, 1, 1]),
                     lambda: stickslip.solve_lcp(self.M, self.q, solver="nobody"),
                     lambda: stickslip.solve_lcp(self.M * np.nan, self.q)):
            with self.assertRaises(stickslip.InputError):
                call()


class Notebook(unittest.TestCase):
    def test_the_cells_run(self):
        path = ROOT / "python" / "examples" / "first-steps.ipynb"
        names = {"__name__": "__main__"}
        for cell in json.loads(path.read_text())["cells"]:
            if cell["cell_type"] == "code":
                exec(compile("".join(cell["source"]), str(path), "exec"), names)
        self.assertAlmostEqual(names["speed"], 10 / 7, delta=1e-6)


class Studies(unittest.TestCase):
    """Many runs as arrays: the same numbers as the runs themselves, whatever the number of threads."""

    SCENE = {"params": {"mu": 0.3}, "materials": {"default": {"friction": "mu"}},
             "bodies": [{"name": "floor", "type": "static", "shape": {"plane": {"normal": [0, 0, 1]}}},
                        {"name": "box", "type": "dynamic", "mass": 1, "shape": {"box": {"size": [1, 1, 1]}},
                         "position": [0, 0, 0.5], "velocity": [1, 0, 0]}],
             "simulation": {"step": 0.01, "duration": 0.2}}

    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.scene = os.path.join(self.folder.name, "scene.yaml")
        with open(self.scene, "w", encoding="utf8") as out:
            json.dump(self.SCENE, out)
        self.study = {"study": "sweep", "name": "friction", "scene": self.scene, "trials": 2, "seed": 5,
                      "vary": {"params.mu": {"grid": [0.1, 0.3, 3]}, "bodies.box.velocity.0": {"uniform": [1, 2]}},
                      "measure": {"vx": "vx('box')"}}

    def tearDown(self):
        self.folder.cleanup()

    def test_sweep_is_its_runs(self):
        told = []
        found = stickslip.sweep(self.study, threads=2, progress=lambda done, of: told.append((done, of)))
        self.assertEqual((found.trials, found.cells), (6, 3))
        self.assertEqual(told, [(k, 6) for k in range(1, 7)])
        self.assertTrue(all(found.status == "done"))
        self.assertTrue(np.array_equal(found.inputs["params.mu"], [0.1, 0.1, 0.2, 0.2, 0.3, 0.3]))
        for mu, start, vx in zip(found.inputs["params.mu"], found.inputs["bodies.box.velocity.0"], found.measures["vx"]):
            alone = stickslip.run(self.scene, set={"params.mu": mu, "bodies.box.velocity.0": start})
            self.assertEqual(alone.velocities[-1, 1, 0], vx)
        again = stickslip.sweep(self.study, threads=1)
        self.assertTrue(np.array_equal(found.measures["vx"], again.measures["vx"]))
        estimate = found.estimate("vx")
        self.assertAlmostEqual(estimate["mean"], float(np.mean(found.measures["vx"])), places=12)
        self.assertEqual(estimate["count"], 6)
        csv, page = os.path.join(self.folder.name, "t.csv"), os.path.join(self.folder.name, "t.html")
        found.to_csv(csv)
        found.to_html(page)
        self.assertEqual(len(pathlib.Path(csv).read_text(encoding="utf8").splitlines()), 7)
        self.assertGreater(os.path.getsize(page), 1000)
        self.assertIn("6 of 6 trials", repr(found))

    def test_mistakes_and_changes(self):
        with self.assertRaises(stickslip.InputError):
            stickslip.sweep({**self.study, "mesure": {}})
        with self.assertRaises(stickslip.InputError):
            stickslip.sweep(os.path.join(self.folder.name, "missing.yaml"))
        with self.assertRaises(KeyError):
            stickslip.sweep(self.study).estimate("vy")
        self.assertEqual(stickslip.sweep(self.study, set={"trials": 1}).trials, 3)
        with self.assertRaises(ZeroDivisionError):
            stickslip.sweep(self.study, progress=lambda done, of: 1 / 0)

    def test_design_finds_the_friction_that_stops_the_box(self):
        """A box of 1 m/s has stopped after x = v^2/(2 mu g), 0.1 m for mu = 0.51: the least friction that keeps x below that."""
        tried = []
        study = {"study": "design", "scene": self.scene, "vary": {"params.mu": {"bounds": [0.3, 0.9, 0.8]}},
                 "measure": {"x": "x('box')"}, "objective": {"maximise": "mean(x)"}, "constraints": ["most(x) <= 0.1"],
                 "method": {"algorithm": "cobyla", "evaluations": 60}}
        found = stickslip.design(study, progress=lambda number, value, feasible: tried.append((number, value, feasible)))
        self.assertTrue(found.feasible)
        self.assertAlmostEqual(found.best["params.mu"], 0.51, delta=0.02)
        self.assertGreaterEqual(found.constraints["most(x) <= 0.1"], 0)
        self.assertEqual(found.objective, found.trials.measures["x"][0])
        self.assertEqual(len(tried), found.tried)
        self.assertIn("params.mu", repr(found))
        with self.assertRaises(ZeroDivisionError):
            stickslip.design(study, progress=lambda *_: 1 / 0)
        with self.assertRaises(stickslip.InputError):
            stickslip.design(self.study)

    def test_plan_pushes_the_box_to_its_place(self):
        study = {"study": "plan", "scene": self.scene, "seed": 3, "carry": ["box"], "length": [1, 2],
                 "actions": {"toss": {"choose": {"bodies.box.velocity.0": {"bounds": [0, 3]}}}},
                 "measure": {"off": "x('box') - 0.2"}, "goal": {"off": 0.002},
                 "method": {"samples": 20, "width": 4, "refine": 3, "steps": 3}}
        found = stickslip.plan(study)
        self.assertTrue(found.found)
        self.assertEqual(found.actions[0][0], "toss")
        self.assertLessEqual(float(np.max(np.abs(found.errors))), 1)
        csv = os.path.join(self.folder.name, "plan.csv")
        found.to_csv(csv)
        self.assertIn("toss", pathlib.Path(csv).read_text(encoding="utf8"))
        with self.assertRaises(stickslip.InputError):
            stickslip.plan(self.study)


if __name__ == "__main__":
    unittest.main()
