// SPDX-License-Identifier: Apache-2.0
// What is drawn besides bodies and contacts: joints, support points and the paths of bodies.
import * as THREE from 'three';
import { cross, Points, Pool } from './contacts';
import { palette, PURPLE } from './palette';
import type { Run } from './payload';
import { Poses, toWorld } from './pose';

const AXIAL = new Set(['revolute', 'prismatic', 'cylindrical', 'planar']);

// Joint anchors as rings and their axes as lines.
export class JointLayer {
  readonly group = new THREE.Group();
  anchors: number[][] = [];
  private points = new Points(11, true);
  private axes: THREE.LineSegments;
  private colour = new THREE.Color(PURPLE);

  constructor(private run: Run, private unit: number) {
    const room = new Float32Array(6 * Math.max(1, run.header.joints.length));
    this.axes = new THREE.LineSegments(
      new THREE.BufferGeometry().setAttribute('position', new THREE.BufferAttribute(room, 3)),
      new THREE.LineBasicMaterial({ color: PURPLE, depthTest: false, transparent: true }));
    this.axes.frustumCulled = false;
    this.axes.renderOrder = 4;
    this.group.add(this.axes, this.points.object);
  }

  update(poses: Poses, visible: boolean): void {
    const place = this.axes.geometry.getAttribute('position') as THREE.BufferAttribute;
    const a: number[] = [0, 0, 0], b: number[] = [0, 0, 0];
    let drawn = 0, at = 0;
    this.points.clear();
    for (const joint of this.run.header.joints) {
      // a coupling has no place of its own: it is marked where its second body is
      const couples = joint.type === 'coupling', body = joint.bodies[couples ? 1 : 0];
      toWorld(poses, body, couples ? joint.anchor_b : joint.anchor, a);
      this.anchors[at++] = [...a];
      this.points.add(a, joint.type === 'fixed' ? 4 : 0, this.colour);
      if (!joint.axis || !AXIAL.has(joint.type) || this.run.header.dimension === 2) continue;
      for (const side of [-1, 1]) {
        const along = joint.anchor.map((x, i) => x + side * 0.6 * this.unit * joint.axis![i]);
        toWorld(poses, body, along, b);
        place.setXYZ(drawn++, b[0], b[1], b[2]);
      }
    }
    place.needsUpdate = true;
    this.axes.geometry.setDrawRange(0, drawn);
    this.axes.visible = visible && drawn > 0;
    this.points.done(visible);
  }
}

const LINKS = new Set(['spring', 'damper']);
const DOTS = new Set(['point', 'points']);

// Bodies without a shape: rods from their joints to their origins, and a bead at each origin. Bodies that are points: a thin rod to each. Ropes, rods, springs and dampers:
// thin lines between their ends.
export class Skeleton {
  readonly group = new THREE.Group();
  private rods: Pool;
  private beads: Pool;
  private thick: number;
  private bare: boolean[];
  private spokes: { body: number; point: number[] }[]; // of bodies that are points: from the centre of mass

  constructor(private run: Run, size: number) {
    this.thick = 0.009 * size;
    this.rods = new Pool(this.group, new THREE.CylinderGeometry(1, 1, 1, 12).rotateX(Math.PI / 2).translate(0, 0, 0.5), 'solid');
    this.beads = new Pool(this.group, new THREE.IcosahedronGeometry(1, 3), 'solid');
    const shaped = new Set(run.header.geoms.map((g) => g.body));
    // a belt without a shape is a sheet (bodies.ts), no bead
    const sheet = (i: number): boolean => run.header.dimension === 2 && Math.hypot(...(run.header.bodies[i].surface_velocity ?? [0])) > 0;
    this.spokes = run.header.geoms.filter((g) => DOTS.has(g.type) && run.header.geoms.every((o) => o.body !== g.body || DOTS.has(o.type))).flatMap((g) => {
      const turn = new THREE.Quaternion(g.quat[1], g.quat[2], g.quat[3], g.quat[0]), all = g.vertices ?? [0, 0, 0];
      return Array.from({ length: Math.floor(all.length / 3) }, (_, k) => ({
        body: g.body, point: new THREE.Vector3(...all.slice(3 * k, 3 * k + 3)).applyQuaternion(turn).add(new THREE.Vector3(...g.position)).toArray(),
      }));
    });
    this.bare = run.header.bodies.map((_, i) => !shaped.has(i) && !sheet(i));
  }

  update(poses: Poses): void {
    const p = palette(), from: number[] = [0, 0, 0], to: number[] = [0, 0, 0];
    const colour = (body: number): THREE.Color => new THREE.Color(p.bodies[body % p.bodies.length]);
    this.rods.clear(); this.beads.clear();
    this.bare.forEach((bare, body) => {
      if (!bare) return;
      toWorld(poses, body, [0, 0, 0], from);
      const r = 2.2 * this.thick;
      this.beads.add([1, 0, 0], [0, 1, 0], [0, 0, 1], from, r, r, r, colour(body));
    });
    for (const { body, point } of this.spokes) {
      toWorld(poses, body, this.run.header.bodies[body].com ?? [0, 0, 0], from);
      this.addRod(from, toWorld(poses, body, point, to), colour(body), 0.5 * this.thick);
    }
    for (const joint of this.run.header.joints) {
      [joint.anchor, joint.anchor_b].forEach((anchor, side) => {
        const body = joint.bodies[side];
        if (body < 0 || !this.bare[body]) return;
        toWorld(poses, body, [0, 0, 0], from);
        this.addRod(from, toWorld(poses, body, anchor, to), colour(body));
      });
    }
    const thin = new THREE.Color(p.muted);
    for (const link of [...this.run.header.joints.filter((j) => j.type === 'distance'), ...(this.run.header.forces ?? []).filter((f) => LINKS.has(f.type))]) {
      toWorld(poses, link.bodies[0], link.anchor, from);
      this.addRod(from, toWorld(poses, link.bodies[1], link.anchor_b, to), thin, 0.4 * this.thick);
    }
    this.rods.done(true); this.beads.done(true);
  }

  private addRod(from: number[], to: number[], colour: THREE.Color, thick = this.thick): void {
    const v = to.map((x, i) => x - from[i]), length = Math.hypot(v[0], v[1], v[2]);
    if (length < 1e-9) return;
    const z = v.map((a) => a / length);
    let x = cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z);
    const n = Math.hypot(x[0], x[1], x[2]);
    x = x.map((a) => a / n);
    this.rods.add(x, cross(z, x), z, from, thick, thick, length, colour);
  }
}

// The points on which a body slides in 2.5D models.
export class SupportLayer {
  readonly points = new Points(11, true);
  constructor(private run: Run) {}

  update(poses: Poses): void {
    const colour = new THREE.Color(palette().accent);
    const at: number[] = [0, 0, 0];
    this.points.clear();
    this.run.header.bodies.forEach((body, i) => {
      for (const p of body.support ?? []) this.points.add(toWorld(poses, i, p, at), 4, colour);
    });
    this.points.done(true);
  }
}

const PATH_POINTS = 3000;
const PATH_BODIES = 40;

// The whole path of each moving body, faint, and what it has covered so far, strong.
export class Trails {
  readonly group = new THREE.Group();
  private paths: { past: THREE.Line; body: number }[] = [];
  private kept: number[] = [];
  private built = 0; // steps of the run when the paths were built

  constructor(private run: Run) { this.group.visible = false; }

  async build(): Promise<void> {
    const { bodies, dimension } = this.run.header;
    const moving = bodies.map((b, i) => (b.type === 'static' ? -1 : i)).filter((i) => i >= 0).slice(0, PATH_BODIES);
    const stride = Math.max(1, Math.ceil(this.run.count / PATH_POINTS));
    const flat = moving.map(() => [] as number[]);
    const kept: number[] = [];
    await this.run.pose.all((chunk) => {
      const p = chunk.fields.position, n = chunk.rows;
      for (let row = 0; row < n; row++) {
        const step = chunk.first + row;
        if (step % stride !== 0 && step !== this.run.count - 1) continue;
        kept.push(step);
        moving.forEach((b, i) => {
          const at = dimension * b * n + row;
          flat[i].push(p[at], p[at + n], dimension === 3 ? p[at + 2 * n] : 0);
        });
      }
    });
    this.kept = kept;
    this.built = this.run.count;
    this.show(moving, flat);
  }

  private show(moving: number[], flat: number[][]): void {
    this.group.clear();
    this.paths = moving.map((body, i) => {
      const g = new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat[i], 3));
      const future = new THREE.Line(g.clone(), new THREE.LineBasicMaterial({ transparent: true, opacity: 0.22 }));
      const past = new THREE.Line(g, new THREE.LineBasicMaterial({ transparent: true, opacity: 0.9 }));
      future.frustumCulled = past.frustumCulled = false;
      this.group.add(future, past);
      return { past, body };
    });
    this.recolour();
  }

  recolour(): void {
    const p = palette();
    this.group.children.forEach((line, i) => {
      const body = this.paths[i >> 1]?.body ?? 0;
      ((line as THREE.Line).material as THREE.LineBasicMaterial).color.set(p.bodies[body % p.bodies.length]);
    });
  }

  update(step: number, visible: boolean): void {
    this.group.visible = visible;
    if (!visible) return;
    if (this.built !== this.run.count) { this.built = this.run.count; void this.build(); }
    let n = this.kept.length;
    while (n > 0 && this.kept[n - 1] > step) n--;
    for (const path of this.paths) path.past.geometry.setDrawRange(0, n);
  }
}
