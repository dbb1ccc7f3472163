// SPDX-License-Identifier: Apache-2.0
// Outlines of bodies made of several shapes: a line where two parts meet without an edge is a seam of the
// model, not of the body, and is left out. What a line is on shows in a small circle around it: all
// solid (it is inside) or one half solid (it lies in a flat face): no edge. In the plane, on its two sides.
import * as THREE from 'three';
import type { GeomHeader } from './payload';

const PIECES = 8;      // a line may be an edge for a part of its length
const SAMPLES = 24;    // around a line
const ROUND = 0.996;   // of a disc: its outline is drawn by chords, which lie within it
const CLOSE = 1e-3;    // radius of the circle, of the size of the shape

type Inside = (p: THREE.Vector3) => boolean;

function planesOf(g: GeomHeader): { n: THREE.Vector3; d: number }[] {
  const v = g.vertices ?? [], at = (i: number): THREE.Vector3 => new THREE.Vector3(v[3 * i], v[3 * i + 1], v[3 * i + 2]);
  const centre = new THREE.Vector3();
  for (let i = 0; i < v.length / 3; i++) centre.addScaledVector(at(i), 3 / v.length);
  return (g.faces ?? []).map((f) => {
    const n = at(f[1]).sub(at(f[0])).cross(at(f[2]).sub(at(f[0]))).normalize();
    if (n.dot(centre.clone().sub(at(f[0]))) > 0) n.negate();
    return { n, d: n.dot(at(f[0])) };
  });
}

// Whether a point, in the shape's own coordinates, lies in it; shapes of other kinds hide nothing.
function insideOf(g: GeomHeader): Inside {
  const size = g.size, r = g.radius ?? 0, half = (g.length ?? 0) / 2;
  if (g.type === 'box' && size) return (p) => Math.abs(p.x) <= size[0] / 2 && Math.abs(p.y) <= size[1] / 2 && (size[2] === undefined || Math.abs(p.z) <= size[2] / 2);
  if (g.faces) { const planes = planesOf(g); return (p) => planes.every((one) => one.n.dot(p) <= one.d); }
  if (g.type === 'sphere') return (p) => p.length() <= r;
  if (g.type === 'cylinder') return (p) => Math.hypot(p.x, p.y) <= r && Math.abs(p.z) <= half;
  if (g.type === 'capsule') return (p) => Math.hypot(p.x, p.y, p.z - Math.max(-half, Math.min(half, p.z))) <= r;
  return () => false;
}

// The same in the plane: pieces of polygons, which are convex, boxes and discs.
function insidePlanar(g: GeomHeader): Inside {
  const { size, vertices: v } = g;
  if (g.type === 'box' && size) return (p) => Math.abs(p.x) <= size[0] / 2 && Math.abs(p.y) <= size[1] / 2;
  if (g.type === 'disc') return (p) => Math.hypot(p.x, p.y) <= ROUND * (g.radius ?? 0);
  if (g.type !== 'polygon' || !v) return () => false;
  const n = v.length / 3;
  return (p) => {
    let left = 0, right = 0;
    for (let i = 0; i < n; i++) {
      const j = (i + 1) % n, cross = (v[3 * j] - v[3 * i]) * (p.y - v[3 * i + 1]) - (v[3 * j + 1] - v[3 * i + 1]) * (p.x - v[3 * i]);
      if (cross > 0) left++; else if (cross < 0) right++;
    }
    return left === 0 || right === 0;
  };
}

// Not an edge: both sides of it are solid.
function isEdgePlanar(at: THREE.Vector3, along: THREE.Vector3, radius: number, full: Inside): boolean {
  const side = new THREE.Vector3(-along.y, along.x, 0).multiplyScalar(radius);
  return !full(at.clone().add(side)) || !full(at.clone().sub(side));
}

// The lines of one part that are edges of the whole. `to` leads from the part's coordinates to those of each other.
export function withoutSeams(edges: THREE.BufferGeometry, own: GeomHeader, others: { geom: GeomHeader; to: THREE.Matrix4 }[], planar: boolean): THREE.BufferGeometry {
  const p = edges.getAttribute('position'), flat: number[] = [];
  edges.computeBoundingSphere();
  const radius = CLOSE * (edges.boundingSphere?.radius ?? 1);
  const inside = planar ? insidePlanar : insideOf, edge = planar ? isEdgePlanar : isEdge;
  const solids: Inside[] = [inside(own), ...others.map(({ geom, to }) => { const f = inside(geom); return (q: THREE.Vector3) => f(q.clone().applyMatrix4(to)); })];
  const full = (q: THREE.Vector3): boolean => solids.some((f) => f(q));
  for (let i = 0; i + 1 < p.count; i += 2) {
    const a = new THREE.Vector3().fromBufferAttribute(p, i), b = new THREE.Vector3().fromBufferAttribute(p, i + 1);
    for (let k = 0; k < PIECES; k++) {
      const from = a.clone().lerp(b, k / PIECES), to = a.clone().lerp(b, (k + 1) / PIECES);
      if (edge(from.clone().lerp(to, 0.5), b.clone().sub(a).normalize(), radius, full)) flat.push(...from.toArray(), ...to.toArray());
    }
  }
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
}

function isEdge(at: THREE.Vector3, along: THREE.Vector3, radius: number, full: Inside): boolean {
  const side = new THREE.Vector3(Math.abs(along.z) < 0.9 ? 0 : 1, 0, Math.abs(along.z) < 0.9 ? 1 : 0).cross(along).normalize();
  const up = along.clone().cross(side);
  let solid = 0, changes = 0, before = false;
  for (let s = 0; s <= SAMPLES; s++) {
    const angle = (2 * Math.PI * (s + 0.37)) / SAMPLES;
    const here = full(at.clone().addScaledVector(side, radius * Math.cos(angle)).addScaledVector(up, radius * Math.sin(angle)));
    if (s > 0 && here !== before) changes++;
    if (s < SAMPLES && here) solid++;
    before = here;
  }
  const inside = solid === SAMPLES, flat = changes === 2 && Math.abs(solid - SAMPLES / 2) <= 1;
  return !inside && !flat && solid > 0;
}
