// SPDX-License-Identifier: Apache-2.0
// The contacts of one step: points marked by state, normals, friction cones and force arrows.
import * as THREE from 'three';
import { palette } from './palette';
import { FLAG_NOT_UNIQUE, type Run } from './payload';

export interface Contact {
  index: number; identity: number; state: number; branch: number;
  bodyA: number; bodyB: number; geomA: number; geomB: number; featureA: number; featureB: number;
  point: number[]; normal: number[]; t: number[]; o: number[];
  gap: number; mu: number; force: number[]; slip: number[]; h: number; // force = impulse / h
  range?: [number, number]; // of the normal force: all that give the same motion
}

export const cross = (a: number[], b: number[]): number[] =>
  [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]];

// Gaps are recorded at the start of a step, everything else is shown as it is at its end: the gap that
// belongs to it is the one with which the next step starts.
export function gapsAtStart(run: Run, step: number): Map<number, number> {
  const out = new Map<number, number>();
  const chunk = step < run.count && run.header.every === 1 ? run.contacts.ready(step) : undefined;
  if (!chunk) return out;
  const first = run.firstContact[step] - run.firstContact[chunk.first];
  for (let i = 0; i < run.steps.contacts[step]; i++) out.set(chunk.fields.identity[first + i], chunk.fields.gap[first + i]);
  return out;
}

// The contacts of a step; empty while its chunk is not decoded.
export function contactsAt(run: Run, step: number): Contact[] {
  const chunk = run.contacts.ready(step);
  if (!chunk) return [];
  const { identities, geoms } = run.header;
  const f = chunk.fields, n = chunk.rows, width = run.contacts.width('impulse');
  const h = run.steps.h[step] || run.header.step;
  const first = run.firstContact[step] - run.firstContact[chunk.first];
  const at = (name: string, c: number, row: number): number => f[name][c * n + row];
  const three = (name: string, row: number): number[] => [at(name, 0, row), at(name, 1, row), at(name, 2, row)];
  const next = gapsAtStart(run, step + 1);
  return Array.from({ length: run.steps.contacts[step] }, (_, i) => {
    const row = first + i, id = f.identity[row];
    const [geomA, featureA, geomB, featureB] = identities.slice(4 * id, 4 * id + 4);
    const normal = three('normal', row), t = three('tangent', row);
    return {
      index: i, identity: id, state: f.state[row], branch: f.branch ? f.branch[row] : 0,
      geomA, geomB, featureA, featureB, bodyA: geoms[geomA].body, bodyB: geoms[geomB].body,
      point: three('point', row), normal, t, o: cross(normal, t), gap: next.get(id) ?? f.gap[row] + h * at('velocity', 0, row), mu: f.mu[row], h,
      force: Array.from({ length: width }, (_u, c) => at('impulse', c, row) / h),
      slip: Array.from({ length: width }, (_u, c) => at('velocity', c, row)),
      range: f.range && Number.isFinite(at('range', 0, row)) ? [at('range', 0, row) / h, at('range', 1, row) / h] as [number, number] : undefined,
    };
  });
}

// How a contact is told: `slip` only where something slips; friction used up at rest is `at limit`; where
// there is no friction, neither word says anything.
export function stateOf(c: Contact): string {
  if (c.state === 0) return 'separate';
  if (c.mu === 0) return 'smooth';
  if (c.state === 2) return 'slip';
  const limit = c.mu * c.force[0];
  return limit > 0 && frictionForce(c) >= (1 - 1e-6) * limit ? 'at limit' : 'stick';
}

// Is the normal force the only one that gives this motion? Undefined: the run does not say.
const RANGE_NOISE = 1e-6;
export function isUnique(c: Contact): boolean | undefined {
  return c.range && c.range[1] - c.range[0] <= RANGE_NOISE * Math.max(Math.abs(c.range[0]), Math.abs(c.range[1]));
}

export const frictionForce = (c: Contact): number => Math.hypot(c.force[1] ?? 0, c.force[2] ?? 0);
export const slipSpeed = (c: Contact): number => Math.hypot(c.slip[1] ?? 0, c.slip[2] ?? 0);

const POINT_VERTEX = `
  attribute vec3 tint; attribute float kind; varying vec3 vTint; varying float vKind; uniform float pixels;
  void main() {
    vTint = tint; vKind = kind;
    gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
    gl_PointSize = pixels * (kind > 2.5 ? 1.5 : 1.0);
  }`;
// 0 separate: ring; 1 stick: disc; 2 slip: diamond; 3 the same inside a ring: chosen corner branch;
// 4 support point: square.
const POINT_FRAGMENT = `
  varying vec3 vTint; varying float vKind; uniform vec3 paper;
  void main() {
    vec2 p = 2.0 * gl_PointCoord - 1.0;
    float r = length(p), d = abs(p.x) + abs(p.y), s = max(abs(p.x), abs(p.y));
    float fill = vKind < 0.5 ? (r < 0.75 && r > 0.4 ? 1.0 : 0.0)
               : vKind < 1.5 ? step(r, 0.72)
               : vKind < 2.5 ? step(d, 0.95)
               : vKind < 3.5 ? (r < 0.42 || (r > 0.7 && r < 0.85) ? 1.0 : 0.0) : step(s, 0.55);
    float halo = vKind < 1.5 ? step(r, 0.95) : vKind < 2.5 ? step(d, 1.2) : vKind < 3.5 ? step(r, 0.97) : step(s, 0.72);
    if (fill + halo < 0.5) discard;
    gl_FragColor = vec4(mix(paper, vTint, fill), fill > 0.5 ? 1.0 : 0.85);
    #include <colorspace_fragment>
  }`;

// An open cone with its tip at the origin and a rim of radius 1 at z = 1; n sides.
function coneGeometry(n: number): THREE.BufferGeometry {
  const flat: number[] = [];
  for (let i = 0; i < n; i++) {
    const a = (2 * Math.PI * i) / n, b = (2 * Math.PI * (i + 1)) / n;
    flat.push(0, 0, 0, Math.cos(a), Math.sin(a), 1, Math.cos(b), Math.sin(b), 1);
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
}

function rimGeometry(n: number): THREE.BufferGeometry {
  return new THREE.TorusGeometry(1, 0.012, 5, n).translate(0, 0, 1);
}

// 2D: the wedge between the two edges of the cone.
function wedgeGeometry(): THREE.BufferGeometry {
  return new THREE.BufferGeometry().setAttribute('position',
    new THREE.Float32BufferAttribute([0, 0, 0, 1, 0, 1, -1, 0, 1], 3));
}
function wedgeRim(): THREE.BufferGeometry {
  const bar = (x: number): THREE.BufferGeometry => {
    const g = new THREE.PlaneGeometry(0.03, 1).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const p = g.getAttribute('position');
    for (let i = 0; i < p.count; i++) p.setX(i, p.getX(i) + x * p.getZ(i));
    return g.toNonIndexed();
  };
  const flat = [...bar(1).getAttribute('position').array, ...bar(-1).getAttribute('position').array];
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
}

type Paint = 'solid' | 'veil' | 'over'; // veil: translucent, over: opaque; both through bodies

// An instanced mesh that grows when a step has more of its kind than any before.
export class Pool {
  mesh!: THREE.InstancedMesh;
  private used = 0;
  private room = 0;
  constructor(private parent: THREE.Group, private geometry: THREE.BufferGeometry, private paint: Paint) {
    this.reserve(16);
  }

  private reserve(room: number): void {
    const veil = this.paint === 'veil';
    const material = this.mesh?.material ?? new THREE.MeshBasicMaterial({
      transparent: true, opacity: veil ? 0.2 : 1, depthWrite: !veil, depthTest: this.paint === 'solid', side: THREE.DoubleSide,
    });
    const old = this.mesh;
    this.mesh = new THREE.InstancedMesh(this.geometry, material, room);
    this.mesh.setColorAt(0, new THREE.Color('white'));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = veil ? 2 : this.paint === 'over' ? 3 : 1;
    if (old) {
      (this.mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array as Float32Array);
      (this.mesh.instanceColor!.array as Float32Array).set(old.instanceColor!.array as Float32Array);
      this.parent.remove(old);
      old.dispose();
    }
    this.room = room;
    this.parent.add(this.mesh);
  }

  clear(): void { this.used = 0; }

  // Columns x, y, z scaled by sx, sy, sz, at p.
  add(x: number[], y: number[], z: number[], p: number[], sx: number, sy: number, sz: number, c: THREE.Color): void {
    if (this.used === this.room) this.reserve(2 * this.room);
    const m = this.mesh.instanceMatrix.array as Float32Array, at = 16 * this.used;
    for (let i = 0; i < 3; i++) {
      m[at + i] = sx * x[i]; m[at + 4 + i] = sy * y[i]; m[at + 8 + i] = sz * z[i]; m[at + 12 + i] = p[i];
    }
    m[at + 3] = m[at + 7] = m[at + 11] = 0;
    m[at + 15] = 1;
    c.toArray(this.mesh.instanceColor!.array as Float32Array, 3 * this.used++);
  }

  done(visible: boolean): void {
    this.mesh.count = this.used;
    this.mesh.visible = visible && this.used > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

// Arrows: a shaft and a head along z.
export class Arrows {
  private shafts: Pool;
  private heads: Pool;
  constructor(parent: THREE.Group, private thick: number, paint: Paint = 'over') {
    this.shafts = new Pool(parent, new THREE.CylinderGeometry(1, 1, 1, 10).rotateX(Math.PI / 2).translate(0, 0, 0.5), paint);
    this.heads = new Pool(parent, new THREE.ConeGeometry(1, 1, 16).rotateX(Math.PI / 2).translate(0, 0, 0.5), paint);
  }
  clear(): void { this.shafts.clear(); this.heads.clear(); }
  add(p: number[], v: number[], c: THREE.Color, thick = this.thick): void {
    const length = Math.hypot(v[0], v[1], v[2]);
    if (length < 2 * thick) return;
    const z = v.map((a) => a / length);
    const side = Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0];
    let x = cross(side, z);
    const nx = Math.hypot(x[0], x[1], x[2]);
    x = x.map((a) => a / nx);
    const y = cross(z, x);
    const head = Math.min(7 * thick, 0.45 * length);
    const neck = p.map((a, i) => a + z[i] * (length - head));
    this.shafts.add(x, y, z, p, thick, thick, length - head, c);
    this.heads.add(x, y, z, neck, 0.38 * head, 0.38 * head, head, c);
  }
  done(visible: boolean): void { this.shafts.done(visible); this.heads.done(visible); }
}

// Marked points whose size does not change with the distance.
export class Points {
  readonly object: THREE.Points;
  private geometry = new THREE.BufferGeometry();
  private room = 0;
  private used = 0;
  private place!: Float32Array;
  private tint!: Float32Array;
  private kind!: Float32Array;
  constructor(pixels: number, onTop: boolean) {
    this.object = new THREE.Points(this.geometry, new THREE.ShaderMaterial({
      uniforms: { pixels: { value: pixels }, paper: { value: new THREE.Color() } },
      vertexShader: POINT_VERTEX, fragmentShader: POINT_FRAGMENT, transparent: true, depthTest: !onTop,
    }));
    this.object.frustumCulled = false;
    this.object.renderOrder = 5;
    this.reserve(32);
  }
  private reserve(room: number): void {
    const grow = (old: Float32Array | undefined, width: number): Float32Array => {
      const out = new Float32Array(room * width);
      if (old) out.set(old);
      return out;
    };
    this.place = grow(this.place, 3); this.tint = grow(this.tint, 3); this.kind = grow(this.kind, 1);
    this.geometry.dispose();
    this.geometry.setAttribute('position', new THREE.BufferAttribute(this.place, 3));
    this.geometry.setAttribute('tint', new THREE.BufferAttribute(this.tint, 3));
    this.geometry.setAttribute('kind', new THREE.BufferAttribute(this.kind, 1));
    this.room = room;
  }
  clear(): void { this.used = 0; }
  add(p: number[], kind: number, c: THREE.Color): void {
    if (this.used === this.room) this.reserve(2 * this.room);
    this.place.set(p, 3 * this.used);
    c.toArray(this.tint, 3 * this.used);
    this.kind[this.used++] = kind;
  }
  done(visible: boolean): void {
    this.geometry.setDrawRange(0, this.used);
    this.object.visible = visible && this.used > 0;
    for (const name of ['position', 'tint', 'kind']) this.geometry.getAttribute(name).needsUpdate = true;
    const uniforms = (this.object.material as THREE.ShaderMaterial).uniforms;
    (uniforms.paper.value as THREE.Color).set(palette().background);
    uniforms.pixels.value = (this.used > 24 ? 8 : 11) * Math.min(2, devicePixelRatio || 1);
  }
}

export interface Layers { points: boolean; normals: boolean; cones: boolean; forces: boolean; joints: boolean; trails: boolean; ghosts: boolean; measured: boolean; axes: boolean }

export class ContactLayer {
  readonly group = new THREE.Group();
  current: Contact[] = [];
  forceScale = 1; // metres per newton
  private points = new Points(11, true);
  private normals: THREE.LineSegments;
  private cones: Pool;
  private rims: Pool;
  private arrows: Arrows;
  private unsure: Arrows; // of steps whose forces are not unique
  private normalRoom = 0;
  private unique = true;

  constructor(private run: Run, readonly unit: number) {
    const planar = run.header.dimension === 2;
    const n = run.header.cone_directions >= 3 ? run.header.cone_directions : 48;
    this.cones = new Pool(this.group, planar ? wedgeGeometry() : coneGeometry(n), 'veil');
    this.rims = new Pool(this.group, planar ? wedgeRim() : rimGeometry(n), 'over');
    this.arrows = new Arrows(this.group, 0.028 * unit);
    this.unsure = new Arrows(this.group, 0.028 * unit, 'veil');
    this.normals = new THREE.LineSegments(new THREE.BufferGeometry(),
      new THREE.LineBasicMaterial({ transparent: true, opacity: 0.8 }));
    this.normals.frustumCulled = false;
    this.group.add(this.normals, this.points.object);
  }

  // Arrows longer than this are cut; the read-out still tells the true force.
  get longest(): number { return 5 * this.unit; }

  update(step: number, layers: Layers, highlight: number): void {
    this.current = contactsAt(this.run, step);
    const states = palette().states.map((c) => new THREE.Color(c));
    this.points.clear(); this.cones.clear(); this.rims.clear(); this.arrows.clear(); this.unsure.clear();
    this.unique = (this.run.steps.flags[step] & FLAG_NOT_UNIQUE) === 0;
    for (const c of this.current) {
      const tint = states[c.state];
      this.points.add(c.point, c.branch === 1 ? 3 : c.state, tint);
      if (c.state === 0 && c.identity !== highlight) continue;
      if (layers.cones && c.mu > 0) this.addCone(c, tint);
      if (layers.forces) this.addForce(c, tint, c.identity === highlight);
    }
    this.drawNormals(layers.normals);
    this.points.done(layers.points);
    this.cones.done(layers.cones); this.rims.done(layers.cones);
    this.arrows.done(layers.forces); this.unsure.done(layers.forces);
  }

  private addCone(c: Contact, tint: THREE.Color): void {
    const height = Math.min(1.5 * this.unit, Math.max(0.55 * this.unit, c.force[0] * this.forceScale));
    const r = c.mu * height;
    this.cones.add(c.t, c.o, c.normal, c.point, r, r, height, tint);
    this.rims.add(c.t, c.o, c.normal, c.point, r, r, height, tint);
  }

  private addForce(c: Contact, tint: THREE.Color, bold: boolean): void {
    const [n, t, o] = [c.force[0], c.force[1] ?? 0, c.force[2] ?? 0];
    const v = [0, 1, 2].map((i) => this.forceScale * (n * c.normal[i] + t * c.t[i] + o * c.o[i]));
    const length = Math.hypot(v[0], v[1], v[2]);
    const cut = length > this.longest ? this.longest / length : 1;
    (this.unique && isUnique(c) !== false ? this.arrows : this.unsure).add(c.point, v.map((a) => cut * a), tint, bold ? 0.045 * this.unit : undefined);
  }

  private drawNormals(visible: boolean): void {
    const n = this.current.length;
    this.normals.visible = visible && n > 0;
    if (!this.normals.visible) return;
    if (n > this.normalRoom) {
      this.normalRoom = 2 * n;
      this.normals.geometry.dispose();
      this.normals.geometry.setAttribute('position', new THREE.BufferAttribute(new Float32Array(6 * this.normalRoom), 3));
    }
    const at = this.normals.geometry.getAttribute('position') as THREE.BufferAttribute;
    this.current.forEach((c, i) => {
      at.setXYZ(2 * i, c.point[0], c.point[1], c.point[2]);
      const l = 0.4 * this.unit;
      at.setXYZ(2 * i + 1, c.point[0] + l * c.normal[0], c.point[1] + l * c.normal[1], c.point[2] + l * c.normal[2]);
    });
    at.needsUpdate = true;
    this.normals.geometry.setDrawRange(0, 2 * n);
    (this.normals.material as THREE.LineBasicMaterial).color.set(palette().muted);
  }
}
