// SPDX-License-Identifier: Apache-2.0
// The bodies of a run in the scene: one instanced mesh per distinct shape and look.
import * as THREE from 'three';
import { type Belt, bodyMaterial, type Look, surfaceMaterial } from './materials';
import { palette } from './palette';
import type { BodyHeader, GeomHeader, Run } from './payload';
import { Poses } from './pose';
import { withoutSeams } from './seams';
import { isUnbounded, shapeMesh } from './shapes';

const SEAM_LIMIT = 40; // parts of one body
const EDGE_LIMIT = 400; // outlines are separate objects: draw them while they are few

interface Batch { mesh: THREE.InstancedMesh; geoms: number[] }
interface Surface { mesh: THREE.Mesh; shade?: THREE.Mesh; geom: number; speed: number; material: THREE.ShaderMaterial }
interface Outline { lines: THREE.LineSegments; geom: number }

const speedOf = (b: BodyHeader): number => Math.hypot(...(b.surface_velocity ?? [0]));

function lookOf(b: BodyHeader): Look {
  if (speedOf(b) > 0) return 'belt';
  return b.type === 'kinematic' ? 'banded' : 'plain';
}

function localMatrix(g: GeomHeader): THREE.Matrix4 {
  const [w, x, y, z] = g.quat;
  const place = new THREE.Vector3(g.position[0], g.position[1], g.position[2]);
  return new THREE.Matrix4().compose(place, new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
}

// out = pose of the body times the placement of the shape in it; column-major 4 x 4 at `at`.
function place(out: Float32Array, at: number, poses: Poses, body: number, local: ArrayLike<number>): void {
  const q = poses.quat, k = 4 * body, p = poses.position, j = 3 * body;
  const w = q[k], x = q[k + 1], y = q[k + 2], z = q[k + 3];
  const r00 = 1 - 2 * (y * y + z * z), r01 = 2 * (x * y - w * z), r02 = 2 * (x * z + w * y);
  const r10 = 2 * (x * y + w * z), r11 = 1 - 2 * (x * x + z * z), r12 = 2 * (y * z - w * x);
  const r20 = 2 * (x * z - w * y), r21 = 2 * (y * z + w * x), r22 = 1 - 2 * (x * x + y * y);
  for (let c = 0; c < 4; c++) {
    const a = local[4 * c], b = local[4 * c + 1], d = local[4 * c + 2];
    const last = c === 3 ? 1 : 0;
    out[at + 4 * c] = r00 * a + r01 * b + r02 * d + last * p[j];
    out[at + 4 * c + 1] = r10 * a + r11 * b + r12 * d + last * p[j + 1];
    out[at + 4 * c + 2] = r20 * a + r21 * b + r22 * d + last * p[j + 2];
    out[at + 4 * c + 3] = last;
  }
}

export class Bodies {
  readonly group = new THREE.Group();
  readonly poses: Poses;
  focus = -1; // the body that is not faint, or -1: none is
  private batches: Batch[] = [];
  private surfaces: Surface[] = [];
  private outlines: Outline[] = [];
  private belts: { belt: Belt; speed: number }[] = [];
  private bareBelts: THREE.MeshBasicMaterial[] = [];
  private locals: Float64Array[];
  private edgeMaterial = new THREE.LineBasicMaterial({ transparent: true, opacity: 0.55 });

  constructor(private run: Run, private size: number, private centre: THREE.Vector3,
    private ghost?: string, private only?: number[]) {
    const { geoms, bodies } = run.header;
    this.poses = new Poses(bodies.length);
    this.locals = geoms.map((g) => new Float64Array(localMatrix(g).elements));
    if (!ghost) geoms.forEach((g, i) => { if (isUnbounded(g)) this.addSurface(g, i); });
    if (!ghost && run.header.dimension === 2) this.addBareBelts();
    this.addSolids();
    this.recolour();
  }

  // A belt without a shape, seen from above: parts lie on it, so it is a sheet behind everything.
  private addBareBelts(): void {
    const { geoms, bodies } = this.run.header, shaped = new Set(geoms.map((g) => g.body));
    bodies.forEach((body, i) => {
      if (shaped.has(i) || speedOf(body) === 0) return;
      const belt = { velocity: new THREE.Vector3(...body.surface_velocity!), offset: { value: 0 } };
      const sheet = new THREE.PlaneGeometry(6.4 * this.size, 6.4 * this.size);
      sheet.setAttribute('color', new THREE.Float32BufferAttribute(new Array(12).fill(1), 3));
      const material = bodyMaterial(2, 'belt', 0.12 * this.size, true, belt) as THREE.MeshBasicMaterial;
      const mesh = new THREE.Mesh(sheet, material);
      mesh.position.set(this.centre.x, this.centre.y, -0.02 * this.size);
      mesh.frustumCulled = false;
      mesh.renderOrder = -2;
      this.belts.push({ belt, speed: speedOf(body) });
      this.bareBelts.push(material);
      this.group.add(mesh);
    });
  }

  private addSolids(): void {
    const { geoms, bodies } = this.run.header;
    const byKey = new Map<string, number[]>();
    geoms.forEach((g, i) => {
      if (isUnbounded(g) || (this.ghost && bodies[g.body].type === 'static') || (this.only && !this.only.includes(g.body))) return;
      const { body, position, quat, ...shape } = g;
      const belt = speedOf(bodies[body]) > 0 ? body : -1;
      const key = JSON.stringify([shape, lookOf(bodies[body]), belt]);
      byKey.set(key, [...(byKey.get(key) ?? []), i]);
    });
    for (const list of byKey.values()) this.addBatch(list, geoms.length <= EDGE_LIMIT);
  }

  private addBatch(list: number[], withEdges: boolean): void {
    const { geoms, bodies, dimension } = this.run.header;
    const first = geoms[list[0]], body = bodies[first.body];
    const { solid, edges } = shapeMesh(first, dimension, this.size);
    const look = lookOf(body);
    let belt: Belt | undefined;
    if (look === 'belt') {
      belt = { velocity: new THREE.Vector3(...body.surface_velocity!), offset: { value: 0 } };
      this.belts.push({ belt, speed: speedOf(body) });
    }
    const material = bodyMaterial(dimension, look, 0.06 * this.size, this.ghost !== undefined, belt);
    const mesh = new THREE.InstancedMesh(solid, material, list.length);
    mesh.frustumCulled = false;
    mesh.castShadow = mesh.receiveShadow = dimension === 3 && !this.ghost;
    this.batches.push({ mesh, geoms: list });
    this.group.add(mesh);
    if (edges && withEdges) list.forEach((geom) => this.addOutline(this.own(edges, geom), geom));
  }

  // The edges of a shape without the seams to other shapes of its body.
  private own(edges: THREE.BufferGeometry, geom: number): THREE.BufferGeometry {
    const { geoms, dimension } = this.run.header, mine = geoms[geom];
    const others = geoms.filter((g, i) => i !== geom && g.body === mine.body && !isUnbounded(g));
    if (!others.length || others.length > SEAM_LIMIT) return edges;
    const here = localMatrix(mine);
    return withoutSeams(edges, mine, others.map((g) => ({ geom: g, to: localMatrix(g).invert().multiply(here) })), dimension === 2);
  }

  private addOutline(edges: THREE.BufferGeometry, geom: number): void {
    const lines = new THREE.LineSegments(edges, this.edgeMaterial);
    lines.matrixAutoUpdate = false;
    lines.frustumCulled = false;
    this.outlines.push({ lines, geom });
    this.group.add(lines);
  }

  private addSurface(g: GeomHeader, geom: number): void {
    const { bodies, dimension } = this.run.header;
    const normal = new THREE.Vector3(...(g.normal ?? [0, 0, 1])).normalize();
    const frame = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, dimension === 2 ? 1 : 0, dimension === 2 ? 0 : 1), normal);
    const local = new THREE.Matrix4().compose(normal.clone().multiplyScalar(g.offset ?? 0), frame, new THREE.Vector3(1, 1, 1));
    this.locals[geom] = new Float64Array(localMatrix(g).multiply(local).elements);
    const reach = 3.2 * this.size;
    const drift = new THREE.Vector3(...(bodies[g.body].surface_velocity ?? [0, 0, 0])).applyQuaternion(frame.clone().invert());
    const speed = drift.length();
    const direction = new THREE.Vector2(drift.x, drift.y).normalize();
    const moving = bodies[g.body].type === 'kinematic';
    if (moving && speed === 0) direction.set(1, 0);
    const material = surfaceMaterial(dimension, this.spacing(), reach, this.centre, speed > 0 || moving, direction);
    const sheet = new THREE.PlaneGeometry(2 * reach, dimension === 2 ? 0.5 * reach : 2 * reach);
    if (dimension === 2) sheet.translate(0, -0.25 * reach, -0.01 * this.size);
    const mesh = new THREE.Mesh(sheet, material);
    const surface: Surface = { mesh, geom, speed, material };
    mesh.matrixAutoUpdate = false;
    mesh.frustumCulled = false;
    mesh.renderOrder = -1;
    this.group.add(mesh);
    if (dimension === 3) surface.shade = this.addShade(sheet);
    this.surfaces.push(surface);
  }

  private addShade(sheet: THREE.BufferGeometry): THREE.Mesh {
    const shade = new THREE.Mesh(sheet, new THREE.ShadowMaterial({ opacity: 0.2, depthWrite: false }));
    shade.matrixAutoUpdate = false;
    shade.receiveShadow = true;
    shade.renderOrder = -1;
    this.group.add(shade);
    return shade;
  }

  // A grid of 1, 2 or 5 times a power of ten that divides the scene well.
  spacing(): number {
    const raw = this.size / 6;
    const ten = Math.pow(10, Math.floor(Math.log10(raw)));
    const digit = raw / ten;
    return ten * (digit < 2 ? 1 : digit < 5 ? 2 : 5);
  }

  recolour(): void {
    const p = palette();
    const { bodies, geoms } = this.run.header;
    const colour = new THREE.Color(), paper = new THREE.Color(p.background);
    for (const { mesh, geoms: list } of this.batches) {
      list.forEach((g, i) => {
        const body = bodies[geoms[g].body];
        const own = p.bodies[geoms[g].body % p.bodies.length];
        const named = this.ghost ?? (body.type === 'static' ? p.fixed : body.type === 'kinematic' ? p.moved : own);
        colour.set(named);
        if (this.focus >= 0 && geoms[g].body !== this.focus) colour.lerp(paper, 0.8);
        mesh.setColorAt(i, colour);
      });
      mesh.instanceColor!.needsUpdate = true;
    }
    this.edgeMaterial.color.set(this.ghost ?? p.edge);
    for (const material of this.bareBelts) material.color.set(p.ground);
    for (const s of this.surfaces) {
      (s.material.uniforms.ink.value as THREE.Color).set(p.ground);
      if (s.shade) (s.shade.material as THREE.ShadowMaterial).opacity = p.shadow;
    }
  }

  // Put every shape where this.poses says; t moves the belts.
  update(t: number): void {
    const { geoms } = this.run.header;
    for (const { mesh, geoms: list } of this.batches) {
      const array = mesh.instanceMatrix.array as Float32Array;
      for (let i = 0; i < list.length; i++) {
        place(array, 16 * i, this.poses, geoms[list[i]].body, this.locals[list[i]]);
      }
      mesh.instanceMatrix.needsUpdate = true;
    }
    for (const o of this.outlines) this.setMatrix(o.lines, o.geom);
    for (const s of this.surfaces) {
      this.setMatrix(s.mesh, s.geom);
      if (s.shade) this.setMatrix(s.shade, s.geom);
      s.material.uniforms.offset.value = s.speed * t;
    }
    for (const b of this.belts) b.belt.offset.value = b.speed * t;
  }

  // The body that a ray meets first, or -1.
  pick(ray: THREE.Raycaster): number {
    let body = -1, near = Infinity;
    for (const { mesh, geoms: list } of this.batches) {
      mesh.boundingSphere = null; // instances have moved since it was computed
      for (const hit of ray.intersectObject(mesh, false)) {
        if (hit.distance >= near || hit.instanceId === undefined) continue;
        near = hit.distance;
        body = this.run.header.geoms[list[hit.instanceId]].body;
      }
    }
    return body;
  }

  private scratch = new Float32Array(16);
  private setMatrix(object: THREE.Object3D, geom: number): void {
    place(this.scratch, 0, this.poses, this.run.header.geoms[geom].body, this.locals[geom]);
    object.matrix.fromArray(this.scratch);
    object.matrixWorldNeedsUpdate = true;
  }
}
