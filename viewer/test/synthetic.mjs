// SPDX-License-Identifier: Apache-2.0
// Made-up runs in the format of a report: shapes that no scene has together, marks that only some
// models set, and runs of any size. Used to develop the page and to test what real runs do not show.
import { deflateSync } from 'node:zlib';
import { readFileSync, writeFileSync } from 'node:fs';

const ARRAY = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u8: Uint8Array };

// Columns -> exclusive-or with the value before -> bytes by significance, as src/payload.ts reads it.
function encodeField(field, rows, get) {
  const array = new ARRAY[field.type](rows * field.width);
  for (let c = 0; c < field.width; c++) for (let r = 0; r < rows; r++) array[c * rows + r] = get(r, c);
  const size = array.BYTES_PER_ELEMENT, n = array.length;
  const words = size === 1 ? array : new Uint32Array(array.buffer), stride = size === 8 ? 2 : 1;
  for (let c = 0; c < field.width; c++) {
    for (let i = (c + 1) * rows * stride - 1; i >= (c * rows + 1) * stride; i--) words[i] ^= words[i - stride];
  }
  const bytes = new Uint8Array(array.buffer), out = Buffer.alloc(bytes.length);
  for (let j = 0; j < size; j++) for (let i = 0; i < n; i++) out[j * n + i] = bytes[i * size + j];
  return out;
}

class Writer {
  blobs = [];
  table(fields, chunks) {
    return {
      fields: fields.map(({ name, type, width }) => ({ name, type, width })),
      chunks: chunks.map(({ first, count, rows, base }) => {
        const raw = Buffer.concat(fields.map((f) => encodeField(f, rows, (r, c) => f.get(base + r, c))));
        this.blobs.push(deflateSync(raw, { level: 4 }));
        return { first, count, rows, blob: this.blobs.length - 1 };
      }),
    };
  }
}

const split = (n, size) => Array.from({ length: Math.ceil(n / size) }, (_, i) => {
  const first = i * size, count = Math.min(size, n - first);
  return { first, count, rows: count, base: first };
});

// spec: { name, dimension, bodies, geoms, steps, h, pose(body, t) -> {p, q|angle, v, w}, contacts(t, k) -> [...] }
function runOf(writer, spec) {
  const d = spec.dimension, nb = spec.bodies.length, n = spec.steps + 1;
  const type = n * nb * 13 * 8 > 16e6 ? 'f32' : 'f64';
  const lists = Array.from({ length: n }, (_, k) => (k ? spec.contacts?.(k * spec.h, k) ?? [] : []));
  const flat = lists.flat(), identities = [], seen = new Map();
  for (const c of flat) {
    const key = c.identity.join();
    if (!seen.has(key)) { seen.set(key, identities.length / 4); identities.push(...c.identity); }
    c.id = seen.get(key);
  }
  let cached = -1, poses = [];
  const pose = (k, b) => {
    if (k !== cached) { cached = k; poses = spec.bodies.map((_, i) => spec.pose(i, k * spec.h)); }
    return poses[b];
  };
  // Poses are asked for column by column: keep whole columns instead of recomputing them.
  const columns = (width, value) => {
    const store = Array.from({ length: width * nb }, () => new Float64Array(n));
    for (let k = 0; k < n; k++) for (let b = 0; b < nb; b++) { const v = value(pose(k, b)); for (let i = 0; i < width; i++) store[b * width + i][k] = v[i]; }
    return (r, c) => store[c][r];
  };
  const steps = split(n, 4096);
  const size = Math.max(64, Math.min(4096, Math.floor((1 << 20) / (nb * 7 * 8))));
  const chunks = split(n, size);
  const offset = new Int32Array(n + 1);
  lists.forEach((l, k) => { offset[k + 1] = offset[k] + l.length; });
  const contactChunks = chunks.map((c) => ({ ...c, rows: offset[c.first + c.count] - offset[c.first], base: offset[c.first] }));
  const count = (state) => (r) => lists[r].filter((c) => c.state === state).length;
  const one = (name, t, get) => ({ name, type: t, width: 1, get });
  const kinetic = (r) => spec.bodies.reduce((e, b, i) => e + (b.type === 'dynamic' ? 0.5 * b.mass * pose(r, i).v.reduce((s, x) => s + x * x, 0) : 0), 0);
  const potential = (r) => spec.bodies.reduce((e, b, i) => e + (b.type === 'dynamic' ? 9.81 * b.mass * pose(r, i).p[d - 1] : 0), 0);
  const tables = {
    steps: writer.table([
      one('t', 'f64', (r) => r * spec.h), one('h', 'f64', () => spec.h), one('kinetic', 'f64', kinetic), one('potential', 'f64', potential),
      one('dissipated', 'f64', () => 0), one('residual', 'f64', (r) => (r ? 10 ** (-15 + 2.5 * Math.sin(r / 37) ** 2) : 0)),
      one('penetration', 'f64', () => 1e-9), one('contacts', 'i32', (r) => lists[r].length), one('stick', 'i32', count(1)), one('slip', 'i32', count(2)),
      one('iterations', 'i32', (r) => 5 + (r % 7)), one('islands', 'i32', () => 1), one('rows', 'i32', (r) => 4 * lists[r].length),
      one('outcome', 'u8', () => 0), one('solver', 'u8', () => 0), one('flags', 'u8', (r) => spec.flags?.(r) ?? 0),
    ], steps),
    pose: writer.table([{ name: 'position', type, width: d * nb, get: columns(d, (p) => p.p) },
      d === 2 ? { name: 'angle', type, width: nb, get: columns(1, (p) => [p.angle]) } : { name: 'quat_wxyz', type, width: 4 * nb, get: columns(4, (p) => p.q) }], chunks),
    velocity: writer.table([{ name: 'velocity', type, width: d * nb, get: columns(d, (p) => p.v) },
      { name: 'angular_velocity', type, width: (d === 2 ? 1 : 3) * nb, get: columns(d === 2 ? 1 : 3, (p) => p.w) }], chunks),
    contacts: writer.table([one('identity', 'i32', (r) => flat[r].id), one('state', 'u8', (r) => flat[r].state), one('branch', 'u8', (r) => flat[r].branch ?? 0),
      { name: 'point', type, width: 3, get: (r, c) => flat[r].point[c] }, { name: 'normal', type, width: 3, get: (r, c) => flat[r].normal[c] },
      { name: 'tangent', type, width: 3, get: (r, c) => flat[r].tangent[c] }, one('gap', type, () => 0), one('mu', type, (r) => flat[r].mu),
      { name: 'impulse', type, width: 3, get: (r, c) => flat[r].force[c] * spec.h }, { name: 'velocity', type, width: 3, get: (r, c) => flat[r].slip[c] }], contactChunks),
  };
  const low = [Infinity, Infinity, Infinity], high = [-Infinity, -Infinity, -Infinity];
  for (let k = 0; k < n; k += Math.max(1, n >> 6)) spec.bodies.forEach((b, i) => {
    if (b.type === 'static') return;
    [0, 1, 2].forEach((c) => { const x = pose(k, i).p[c] ?? 0; low[c] = Math.min(low[c], x); high[c] = Math.max(high[c], x); });
  });
  return {
    label: spec.label ?? 'synthetic', scene: { name: spec.name, path: '', text: '# made up', resolved: '' }, version: '0', dimension: d,
    gravity: d === 2 ? [0, -9.81, 0] : [0, 0, -9.81], model: { inertia: 'dynamic', cone: spec.cone ? `polygon: ${spec.cone}` : 'quadratic' },
    cone_directions: spec.cone ?? 0, solver: 'synthetic', outcomes: ['solved'], solvers: ['synthetic'], stages: [], tolerance: 1e-9,
    step: spec.h, steps: n, planned: spec.steps, complete: true, every: 1,
    facts: { wall_seconds: 1.5, residual_max: 3e-13, penetration_max: 1e-9, contacts_max: Math.max(...lists.map((l) => l.length))},
    warnings: spec.warnings ?? [], extent: { low, high }, bodies: spec.bodies, geoms: spec.geoms, joints: spec.joints ?? [], identities, tables,
  };
}

export function page(template, specs, out) {
  const writer = new Writer();
  const runs = specs.map((s) => runOf(writer, s));
  const header = JSON.stringify({ format: 'stickslip-report', version: 1, generator: 'synthetic', runs }).replaceAll('<', '\\u003c');
  const blobs = writer.blobs.map((b, i) => `<script type="text/plain" id="ss-blob-${i}">${b.toString('base64')}</script>`).join('\n');
  const html = readFileSync(template, 'utf8')
    .replace('<!--SS-HEADER-->', () => `<script type="application/json" id="ss-header">${header}</script>`)
    .replace('<!--SS-BLOBS-->', () => blobs);
  writeFileSync(out, html);
  return { bytes: html.length };
}

const turn = (axis, angle) => [Math.cos(angle / 2), ...axis.map((a) => a * Math.sin(angle / 2))];
const put = { position: [0, 0, 0], quat: [1, 0, 0, 0] };
const CUBE = [-1, -1, -1, 1, -1, -1, 1, 1, -1, -1, 1, -1, -1, -1, 1, 1, -1, 1, 1, 1, 1, -1, 1, 1].map((x) => 0.35 * x);
const FACES = [[0, 3, 2, 1], [4, 5, 6, 7], [0, 1, 5, 4], [1, 2, 6, 5], [2, 3, 7, 6], [3, 0, 4, 7]];

// Every 3D shape in two rows, turning; contacts that stick and slip below them.
export function gallery3() {
  const shapes = [
    { type: 'sphere', radius: 0.4 }, { type: 'box', size: [0.7, 0.5, 0.6] }, { type: 'capsule', radius: 0.22, length: 0.5 },
    { type: 'cylinder', radius: 0.32, length: 0.7 }, { type: 'ellipsoid', radii: [0.5, 0.3, 0.25] }, { type: 'superellipsoid', radii: [0.42, 0.42, 0.35], e1: 0.35, e2: 0.35 },
    { type: 'convex', vertices: [0, 0, 0.5, 0.45, 0, -0.3, -0.25, 0.4, -0.3, -0.25, -0.4, -0.3] }, { type: 'mesh', vertices: CUBE, faces: FACES },
    { type: 'points', vertices: [0.3, 0, 0, -0.3, 0.2, 0, -0.3, -0.2, 0] },
  ];
  const bodies = [{ name: 'floor', type: 'static', mass: 0 }, { name: 'belt', type: 'static', mass: 0, surface_velocity: [0.4, 0, 0] }, { name: 'pusher', type: 'kinematic', mass: 0 },
    ...shapes.map((s) => ({ name: s.type, type: 'dynamic', mass: 1 })), { name: 'dumbbell', type: 'dynamic', mass: 1 }];
  bodies[3].support = [[0.3, 0, -0.4], [-0.2, 0.25, -0.4], [-0.2, -0.25, -0.4]];
  const geoms = [{ body: 0, type: 'plane', normal: [0, 0, 1], offset: 0, ...put }, { body: 1, type: 'box', size: [4.6, 0.9, 0.12], ...put, position: [0, 2.1, 0.06] },
    { body: 2, type: 'box', size: [0.25, 1.2, 0.7], ...put }, ...shapes.map((s, i) => ({ body: 3 + i, ...s, ...put })),
    ...[-0.3, 0.3].map((x) => ({ body: 12, type: 'sphere', radius: 0.2, ...put, position: [x, 0, 0] })), { body: 12, type: 'cylinder', radius: 0.07, length: 0.6, position: [0, 0, 0], quat: turn([0, 1, 0], Math.PI / 2) }];
  const spot = (b) => [((b - 3) % 5) * 1.2 - 2.4, Math.floor((b - 3) / 5) * 1.3 - 0.8, 0.55];
  const pose = (b, t) => {
    if (b < 2) return { p: [0, 0, 0], q: [1, 0, 0, 0], v: [0, 0, 0], w: [0, 0, 0] };
    if (b === 2) return { p: [-3.4 + 0.3 * Math.sin(2 * t), -0.8, 0.36], q: [1, 0, 0, 0], v: [0.6 * Math.cos(2 * t), 0, 0], w: [0, 0, 0] };
    const p = spot(b);
    return { p: [p[0], p[1], p[2] + 0.1 * Math.abs(Math.sin(3 * t + b))], q: turn([0.6, 0.48, 0.64], 0.9 * t + b), v: [0, 0, 0.3 * Math.cos(3 * t + b)], w: [0.5, 0.4, 0.6] };
  };
  const contacts = (t) => [3, 4, 5, 6, 8].map((b, i) => {
    const p = spot(b), slip = i % 2, mu = 0.5, n = 9.81 * (0.6 + 0.3 * Math.sin(t + i));
    return { identity: [0, 0, b, i], state: i === 4 ? 0 : slip ? 2 : 1, branch: i === 2 ? 1 : 0, point: [p[0], p[1], 0], normal: [0, 0, 1], tangent: [1, 0, 0], mu,
      force: i === 4 ? [0, 0, 0] : [n, slip ? mu * n * 0.8 : 0.2 * n, slip ? mu * n * 0.6 : 0], slip: [0, slip ? -0.3 : 0, 0] };
  });
  return { name: 'Every shape, in space', dimension: 3, steps: 300, h: 0.01, bodies, geoms, pose, contacts, cone: 8, flags: (k) => (k > 120 && k < 140 ? 2 : k === 200 ? 4 : 0),
    joints: [{ name: 'hinge', type: 'revolute', bodies: [12, 11], anchor: [0.3, 0, 0], anchor_b: [0, 0, 0], axis: [0, 1, 0] }] };
}

// Every 2D shape on a belt.
export function gallery2() {
  const shapes = [{ type: 'disc', radius: 0.4 }, { type: 'box', size: [0.8, 0.5] }, { type: 'polygon', vertices: [-0.4, -0.3, 0, 0.4, -0.3, 0, 0.4, 0, 0, 0, 0, 0, 0, 0.4, 0, -0.4, 0.4, 0] },
    { type: 'superellipse', radii: [0.45, 0.35], e: 0.5 }, { type: 'point' }];
  const bodies = [{ name: 'belt', type: 'static', mass: 0, surface_velocity: [0.3, 0, 0] }, { name: 'pusher', type: 'kinematic', mass: 0 }, ...shapes.map((s) => ({ name: s.type, type: 'dynamic', mass: 1 }))];
  const geoms = [{ body: 0, type: 'halfplane', normal: [0, 1, 0], offset: 0, ...put }, { body: 1, type: 'box', size: [0.3, 0.9], ...put }, ...shapes.map((s, i) => ({ body: 2 + i, ...s, ...put }))];
  const pose = (b, t) => (b === 0 ? { p: [0, 0], angle: 0, v: [0, 0], w: [0] } : b === 1 ? { p: [-3 + 0.2 * Math.sin(t), 0.5], angle: 0, v: [0, 0], w: [0] }
    : { p: [(b - 2) * 1.1 - 2, 0.45 + 0.05 * Math.sin(t * 3 + b)], angle: b === 3 ? 0 : -t, v: [0, 0], w: [-1] });
  const contacts = (t) => [2, 3, 4].map((b, i) => ({ identity: [0, 0, b, 0], state: i === 1 ? 2 : 1, point: [(b - 2) * 1.1 - 2, 0, 0], normal: [0, 1, 0], tangent: [1, 0, 0], mu: 0.4,
    force: [9 + Math.sin(t), i === 1 ? 0.4 * (9 + Math.sin(t)) : 1, 0], slip: [0, 0, 0] }));
  return { name: 'Every shape, in the plane', dimension: 2, steps: 300, h: 0.01, bodies, geoms, pose, contacts };
}

// As many bodies and steps as one likes.
export function crowd(count, steps) {
  const side = Math.ceil(Math.sqrt(count));
  const bodies = [{ name: 'floor', type: 'static', mass: 0 }, ...Array.from({ length: count }, (_, i) => ({ name: `ball ${i}`, type: 'dynamic', mass: 1 }))];
  const geoms = [{ body: 0, type: 'plane', normal: [0, 0, 1], offset: 0, ...put }, ...Array.from({ length: count }, (_, i) => ({ body: i + 1, type: i % 2 ? 'sphere' : 'box', radius: 0.3, size: [0.5, 0.5, 0.5], ...put }))];
  const pose = (b, t) => {
    if (b === 0) return { p: [0, 0, 0], q: [1, 0, 0, 0], v: [0, 0, 0], w: [0, 0, 0] };
    const i = b - 1, a = t * (0.7 + 0.01 * i) + i, noise = 1e-3 * Math.sin(1e4 * a);
    return { p: [(i % side) * 0.8 + 0.1 * Math.sin(a) + noise, Math.floor(i / side) * 0.8 + 0.1 * Math.cos(1.3 * a), 0.3 + 0.2 * Math.abs(Math.sin(2 * a))],
      q: turn([0.6, 0.48, 0.64], 2 * a), v: [0.1 * Math.cos(a), -0.13 * Math.sin(1.3 * a), 0.4 * Math.cos(2 * a)], w: [1 + noise, 0.8 + noise, 1.2 * Math.cos(a)] };
  };
  const contacts = (t, k) => Array.from({ length: count }, (_, i) => i).filter((i) => (i + (k >> 5)) % 2 === 0).map((i) => ({
    identity: [0, 0, i + 1, 0], state: 1 + (i % 2), point: [(i % side) * 0.8, Math.floor(i / side) * 0.8, 0], normal: [0, 0, 1], tangent: [1, 0, 0], mu: 0.5,
    force: [10 + Math.sin(t + i), 2 * Math.sin(3 * t + i), 1], slip: [0, 0.1, 0] }));
  return { name: `${count} bodies`, dimension: 3, steps, h: 0.001, bodies, geoms, pose, contacts };
}
