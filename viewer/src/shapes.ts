// SPDX-License-Identifier: Apache-2.0
// Triangles and outlines for every shape of the library, in shape coordinates.
import * as THREE from 'three';
import { ConvexGeometry } from 'three/examples/jsm/geometries/ConvexGeometry.js';
import type { GeomHeader } from './payload';

export interface ShapeMesh {
  solid: THREE.BufferGeometry;
  edges?: THREE.BufferGeometry;
}

// Round shapes carry darker quarters, as crash-test markers do: rolling becomes visible.
function addQuarters(source: THREE.BufferGeometry, parity: (x: number, y: number, z: number) => boolean): THREE.BufferGeometry {
  const g = source.index ? source.toNonIndexed() : source;
  const p = g.getAttribute('position');
  const colour = new Float32Array(p.count * 3);
  for (let i = 0; i < p.count; i += 3) {
    const x = p.getX(i) + p.getX(i + 1) + p.getX(i + 2);
    const y = p.getY(i) + p.getY(i + 1) + p.getY(i + 2);
    const z = p.getZ(i) + p.getZ(i + 1) + p.getZ(i + 2);
    colour.fill(parity(x, y, z) ? 0.72 : 1, 3 * i, 3 * i + 9);
  }
  g.setAttribute('color', new THREE.BufferAttribute(colour, 3));
  return g;
}

function addWhite(g: THREE.BufferGeometry): THREE.BufferGeometry {
  const n = g.getAttribute('position').count;
  g.setAttribute('color', new THREE.BufferAttribute(new Float32Array(3 * n).fill(1), 3));
  return g;
}

const octant = (x: number, y: number, z: number): boolean => (x > 0) !== ((y > 0) !== (z > 0));
const quadrant = (x: number, y: number): boolean => (x > 0) === (y > 0);

function faceted(g: THREE.BufferGeometry): ShapeMesh {
  return { solid: addWhite(g), edges: new THREE.EdgesGeometry(g, 20) };
}

function sphere(radii: number[]): ShapeMesh {
  const g = new THREE.SphereGeometry(1, 40, 24).rotateX(Math.PI / 2).scale(radii[0], radii[1], radii[2]);
  g.computeVertexNormals();
  return { solid: addQuarters(g, octant) };
}

const signedPower = (x: number, e: number): number => Math.sign(x) * Math.pow(Math.abs(x), e);

// Superellipsoid of Barr: x = a cos^e1(u) cos^e2(v), y = b cos^e1(u) sin^e2(v), z = c sin^e1(u).
function superellipsoid(radii: number[], e1: number, e2: number): ShapeMesh {
  const g = new THREE.SphereGeometry(1, 64, 40).rotateX(Math.PI / 2);
  const p = g.getAttribute('position');
  for (let i = 0; i < p.count; i++) {
    const u = Math.asin(Math.max(-1, Math.min(1, p.getZ(i))));
    const v = Math.atan2(p.getY(i), p.getX(i));
    const ring = signedPower(Math.cos(u), e1);
    p.setXYZ(i, radii[0] * ring * signedPower(Math.cos(v), e2),
      radii[1] * ring * signedPower(Math.sin(v), e2), radii[2] * signedPower(Math.sin(u), e1));
  }
  g.computeVertexNormals();
  return { solid: addQuarters(g, octant) };
}

function capsule(radius: number, length: number): ShapeMesh {
  const g = new THREE.CapsuleGeometry(radius, length, 12, 32).rotateX(Math.PI / 2);
  return { solid: addQuarters(g, quadrant) };
}

function cylinder(radius: number, length: number): ShapeMesh {
  const g = new THREE.CylinderGeometry(radius, radius, length, 48).rotateX(Math.PI / 2);
  return { solid: addQuarters(g.clone(), quadrant), edges: new THREE.EdgesGeometry(g, 40) };
}

function vectors(flat: number[]): THREE.Vector3[] {
  const out: THREE.Vector3[] = [];
  for (let i = 0; i + 2 < flat.length; i += 3) out.push(new THREE.Vector3(flat[i], flat[i + 1], flat[i + 2]));
  return out;
}

function polyhedron(vertices: number[], faces: number[][]): ShapeMesh {
  const points = vectors(vertices);
  const flat: number[] = [];
  for (const face of faces) {
    for (let i = 1; i + 1 < face.length; i++) {
      for (const k of [face[0], face[i], face[i + 1]]) flat.push(points[k].x, points[k].y, points[k].z);
    }
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
  g.computeVertexNormals();
  return faceted(g);
}

// Small balls where a body touches at points only.
function markers(vertices: number[], size: number): ShapeMesh {
  const flat: number[] = [];
  for (const at of vectors(vertices)) {
    const ball = new THREE.IcosahedronGeometry(size, 2).translate(at.x, at.y, at.z);
    flat.push(...(ball.getAttribute('position').array as Float32Array));
  }
  const g = new THREE.BufferGeometry();
  g.setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
  g.computeVertexNormals();
  return { solid: addWhite(g) };
}

function outline(points: THREE.Vector2[]): THREE.BufferGeometry {
  const flat: number[] = [];
  points.forEach((p, i) => {
    const q = points[(i + 1) % points.length];
    flat.push(p.x, p.y, 0.001, q.x, q.y, 0.001);
  });
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
}

function flatShape(points: THREE.Vector2[]): ShapeMesh {
  return { solid: addWhite(new THREE.ShapeGeometry(new THREE.Shape(points))), edges: outline(points) };
}

function superellipsePoints(a: number, b: number, e: number, n: number): THREE.Vector2[] {
  return Array.from({ length: n }, (_, i) => {
    const u = (2 * Math.PI * i) / n;
    return new THREE.Vector2(a * signedPower(Math.cos(u), e), b * signedPower(Math.sin(u), e));
  });
}

function disc(radius: number): ShapeMesh {
  const g = new THREE.CircleGeometry(radius, 64);
  return { solid: addQuarters(g, quadrant), edges: outline(superellipsePoints(radius, radius, 1, 64)) };
}

function planar(g: GeomHeader, size: number): ShapeMesh {
  if (g.type === 'disc') return disc(g.radius!);
  if (g.type === 'box') {
    const [x, y] = [g.size![0] / 2, g.size![1] / 2];
    return flatShape([[-x, -y], [x, -y], [x, y], [-x, y]].map(([a, b]) => new THREE.Vector2(a, b)));
  }
  if (g.type === 'superellipse') {
    return flatShape(superellipsePoints(g.radii![0], g.radii![1], g.e ?? 1, 96));
  }
  const points = vectors(g.vertices ?? [0, 0, 0]).map((p) => new THREE.Vector2(p.x, p.y));
  if (g.type === 'point' || g.type === 'points' || points.length < 3) {
    return { solid: markers(g.vertices ?? [0, 0, 0], 0.012 * size).solid };
  }
  return flatShape(points);
}

function spatial(g: GeomHeader, size: number): ShapeMesh {
  switch (g.type) {
    case 'sphere': return sphere([g.radius!, g.radius!, g.radius!]);
    case 'ellipsoid': return sphere(g.radii!);
    case 'superellipsoid': return superellipsoid(g.radii!, g.e1 ?? 1, g.e2 ?? 1);
    case 'box': return faceted(new THREE.BoxGeometry(g.size![0], g.size![1], g.size![2]));
    case 'capsule': return capsule(g.radius!, g.length!);
    case 'cylinder': return cylinder(g.radius!, g.length!);
    case 'points': case 'point': return markers(g.vertices ?? [0, 0, 0], 0.012 * size);
  }
  if (g.faces?.length) return polyhedron(g.vertices!, g.faces);
  return faceted(new ConvexGeometry(vectors(g.vertices ?? [0, 0, 0])));
}

export const isUnbounded = (g: GeomHeader): boolean => g.type === 'plane' || g.type === 'halfplane';

export function shapeMesh(g: GeomHeader, dimension: number, sceneSize: number): ShapeMesh {
  return dimension === 2 ? planar(g, sceneSize) : spatial(g, sceneSize);
}
