// SPDX-License-Identifier: Apache-2.0
// Everything that can be plotted against time: a subject (the run, a body, a contact, a joint) and
// a quantity of it. Series are read from the tables when a plot asks for them.
import { rotate } from './pose';
import { differences } from './measured';
import type { Chunk, Run } from './payload';

export type Series = (number | null)[];
export interface Quantity { key: string; label: string; unit: string; parts: string[]; log?: boolean }
export interface Subject { key: string; label: string; group: string; quantities: Quantity[] }

const q = (key: string, label: string, unit: string, parts: string[], log = false): Quantity =>
  ({ key, label, unit, parts, log });

function runQuantities(run: Run): Quantity[] {
  const list = [
    q('energy', 'Energy', 'J', ['kinetic', 'potential', 'total', 'dissipated']),
    q('residual', 'Certificate', 'residual', ['residual'], true),
    q('contacts', 'Contacts', 'count', ['all', 'stick', 'slip']),
    q('iterations', 'Solver iterations', 'count', ['iterations']),
    q('penetration', 'Penetration at the end of the step', 'm', ['deepest']),
    q('size', 'Problem size', 'rows', ['rows', 'islands']),
    q('h', 'Step size', 's', ['h']),
  ];
  if (run.steps.stage_seconds?.some((v) => v > 0)) list.push(q('stage', 'Time per stage', 'µs', run.header.stages));
  return list;
}

function bodyQuantities(run: Run): Quantity[] {
  const planar = run.header.dimension === 2;
  const axes = planar ? ['x', 'y'] : ['x', 'y', 'z'];
  return [
    q('position', 'Position', 'm', axes),
    q('velocity', 'Velocity of the centre of mass', 'm/s', [...axes, 'speed']),
    planar ? q('angle', 'Angle', 'rad', ['angle']) : q('quat', 'Quaternion', '', ['w', 'x', 'y', 'z']),
    q('spin', 'Angular velocity', 'rad/s', planar ? ['z'] : ['x', 'y', 'z']),
  ];
}

const CONTACT: Quantity[] = [
  q('force', 'Force', 'N', ['normal', 'friction', 'limit μN']),
  q('slip', 'Slip velocity', 'm/s', ['t', 'o', 'speed']),
  q('gap', 'Gap at the end of the step', 'm', ['gap']),
  q('ratio', 'Friction used', 'share', ['friction / μN']),
];

// Fields of the table of joints that have an entry for each coordinate.
const ALONG = ['value', 'rate', 'motor', 'friction', 'limit', 'spring'];

function jointQuantities(coordinates: number): Quantity[] {
  const list = [q('force', 'Force', 'N', ['x', 'y', 'z']), q('torque', 'Torque', 'N m', ['x', 'y', 'z'])];
  const parts = ['1st', '2nd', '3rd'].slice(0, coordinates);
  if (coordinates === 0) return list;
  list.push(q('value', 'Coordinates', 'm, rad', parts), q('rate', 'Rates', 'm/s, rad/s', parts));
  for (const key of ALONG.slice(2)) list.push(q(key, key[0].toUpperCase() + key.slice(1), 'N, N m', parts));
  return list;
}

// Which of the contacts between the same two bodies this is, from 1; 0 when it is the only one.
function ordinal(run: Run, identity: number): number {
  const { identities, geoms } = run.header;
  const pair = (i: number): string => `${geoms[identities[4 * i]].body} ${geoms[identities[4 * i + 2]].body}`;
  const wanted = pair(identity);
  let place = 0, count = 0;
  for (let i = 0; i < identities.length / 4; i++) {
    if (pair(i) !== wanted) continue;
    count++;
    if (i === identity) place = count;
  }
  return count > 1 ? place : 0;
}

export function contactLabel(run: Run, identity: number): string {
  const { identities, geoms, bodies } = run.header;
  const [a, b] = [identities[4 * identity], identities[4 * identity + 2]].map((g) => bodies[geoms[g].body].name);
  const which = ordinal(run, identity);
  return which ? `${a} – ${b} ${which}` : `${a} – ${b}`;
}

export function subjects(run: Run): Subject[] {
  const { bodies, identities, joints } = run.header;
  const list: Subject[] = [{ key: 'run', label: 'Whole run', group: '', quantities: runQuantities(run) }];
  const moving = bodies.map((b, i) => ({ b, i })).filter(({ b }) => b.type !== 'static');
  for (const { b, i } of moving) list.push({ key: `body:${i}`, label: b.name, group: 'Bodies', quantities: [...bodyQuantities(run), ...differences(run, i)] });
  for (let i = 0; i < identities.length / 4; i++) {
    list.push({ key: `contact:${i}`, label: contactLabel(run, i), group: 'Contacts', quantities: CONTACT });
  }
  if (run.joints) joints.forEach((j, i) => list.push({ key: `joint:${i}`, label: j.name, group: 'Joints', quantities: jointQuantities(j.coordinates ?? 0) }));
  return list;
}

// Where a residual of nothing is on a logarithmic axis.
export const NOTHING = 1e-18;

function runSeries(run: Run, quantity: string): Series[] {
  const s = run.steps, n = run.count;
  const map = (f: (k: number) => number | null): Series => Array.from({ length: n }, (_, k) => f(k));
  switch (quantity) {
    case 'energy': return [Array.from(s.kinetic), Array.from(s.potential),
      map((k) => s.kinetic[k] + s.potential[k]), Array.from(s.dissipated)];
    case 'residual': return [map((k) => (k === 0 ? null : Math.max(s.residual[k], NOTHING)))];
    case 'contacts': return [Array.from(s.contacts), Array.from(s.stick), Array.from(s.slip)];
    case 'iterations': return [Array.from(s.iterations)];
    case 'penetration': return [Array.from(s.penetration)];
    case 'size': return [Array.from(s.rows), Array.from(s.islands)];
    case 'h': return [map((k) => (k === 0 ? null : s.h[k]))];
    default: return run.header.stages.map((_, c) => map((k) => (k === 0 ? null : 1e6 * s.stage_seconds![c * n + k])));
  }
}

export async function columns(run: Run, table: 'pose' | 'velocity' | 'joints', field: string, list: number[]): Promise<Series[]> {
  const out: Series[] = list.map(() => new Array<number | null>(run.count));
  await run[table]!.all((chunk) => {
    list.forEach((c, i) => {
      for (let row = 0; row < chunk.rows; row++) out[i][chunk.first + row] = chunk.fields[field][c * chunk.rows + row];
    });
  });
  return out;
}

// The velocity of the centre of mass, v + w x R c: files have that of the origin of the body's frame.
async function centreVelocity(run: Run, body: number, axes: number[]): Promise<Series[]> {
  const v = await columns(run, 'velocity', 'velocity', axes), c = run.header.bodies[body].com;
  if (!c) return v;
  const planar = run.header.dimension === 2;
  const w = await columns(run, 'velocity', 'angular_velocity', planar ? [body] : [0, 1, 2].map((i) => 3 * body + i));
  const turn = planar ? await columns(run, 'pose', 'angle', [body]) : await columns(run, 'pose', 'quat_wxyz', [0, 1, 2, 3].map((i) => 4 * body + i));
  for (let k = 0; k < run.count; k++) {
    const a = turn.map((s) => s[k] ?? 0);
    const q = planar ? [Math.cos(a[0] / 2), 0, 0, Math.sin(a[0] / 2)] : a;
    const r = rotate(q, c), spin = planar ? [0, 0, w[0][k] ?? 0] : w.map((s) => s[k] ?? 0);
    const more = [spin[1] * r[2] - spin[2] * r[1], spin[2] * r[0] - spin[0] * r[2], spin[0] * r[1] - spin[1] * r[0]];
    v.forEach((s, i) => { s[k] = (s[k] ?? 0) + more[i]; });
  }
  return v;
}

async function bodySeries(run: Run, body: number, quantity: string): Promise<Series[]> {
  const d = run.header.dimension;
  const axes = Array.from({ length: d }, (_, i) => d * body + i);
  if (quantity === 'position') return columns(run, 'pose', 'position', axes);
  if (quantity === 'angle') return columns(run, 'pose', 'angle', [body]);
  if (quantity === 'quat') return columns(run, 'pose', 'quat_wxyz', [0, 1, 2, 3].map((i) => 4 * body + i));
  if (quantity === 'spin') {
    return columns(run, 'velocity', 'angular_velocity', d === 2 ? [body] : [0, 1, 2].map((i) => 3 * body + i));
  }
  const v = await centreVelocity(run, body, axes);
  return [...v, v[0].map((_, k) => Math.hypot(...v.map((a) => a[k] ?? 0)))];
}

type ContactRow = { normal: number; t: number; o: number; ut: number; uo: number; gap: number; mu: number };

function contactValues(quantity: string, c: ContactRow): (number | null)[] {
  const friction = Math.hypot(c.t, c.o);
  if (quantity === 'force') return [c.normal, friction, c.mu * c.normal];
  if (quantity === 'slip') return [c.ut, c.uo, Math.hypot(c.ut, c.uo)];
  if (quantity === 'gap') return [c.gap];
  return [c.mu * c.normal > 0 ? friction / (c.mu * c.normal) : null];
}

async function contactSeries(run: Run, identity: number, quantity: string): Promise<Series[]> {
  const parts = CONTACT.find((c) => c.key === quantity)!.parts;
  const out: Series[] = parts.map(() => new Array<number | null>(run.count).fill(null));
  const width = run.contacts.width('impulse');
  await run.contacts.all((chunk) => {
    const f = chunk.fields, n = chunk.rows;
    for (let step = chunk.first, row = 0; step < chunk.first + chunk.count; step++) {
      const end = row + run.steps.contacts[step], h = run.steps.h[step] || run.header.step;
      for (; row < end; row++) {
        if (f.identity[row] !== identity) continue;
        const at = (name: string, c: number): number => (c < width ? f[name][c * n + row] : 0);
        const values = contactValues(quantity, {
          normal: at('impulse', 0) / h, t: at('impulse', 1) / h, o: at('impulse', 2) / h,
          ut: at('velocity', 1), uo: at('velocity', 2), gap: f.gap[row] + h * at('velocity', 0), mu: f.mu[row],
        });
        values.forEach((v, i) => { out[i][step] = v; });
        // what a step starts with is what the one before ended with
        if (quantity === 'gap' && run.header.every === 1 && step > 0 && out[0][step - 1] !== null) out[0][step - 1] = f.gap[row];
      }
    }
  });
  return out;
}

async function jointSeries(run: Run, joint: number, quantity: string): Promise<Series[]> {
  if (ALONG.includes(quantity)) {
    const count = run.header.joints[joint].coordinates ?? 0;
    return columns(run, 'joints', quantity, Array.from({ length: count }, (_, k) => 3 * joint + k));
  }
  const first = 6 * joint + (quantity === 'torque' ? 3 : 0);
  const series = await columns(run, 'joints', 'force', [first, first + 1, first + 2]);
  for (const s of series) s[0] = null; // nothing acted before the first step
  return series;
}

// What is worth a look first: the contact that bears most, the body that travels furthest.
const NOTHING_TURNS = 1e-7; // rad

export async function tellingContact(run: Run): Promise<number> {
  const sum = new Float64Array(run.header.identities.length / 4);
  await run.contacts.all((chunk) => {
    for (let row = 0; row < chunk.rows; row++) sum[chunk.fields.identity[row]] += chunk.fields.impulse[row];
  });
  return sum.length ? sum.indexOf(Math.max(...sum)) : -1;
}

// The length of each body's way through the numbers of a field, `width` of them a body.
class Ways {
  readonly length: Float64Array;
  private last: Float64Array;
  constructor(private field: string, private width: number, private bodies: number, private stride: number) {
    this.length = new Float64Array(bodies);
    this.last = new Float64Array(width * bodies);
  }
  add(chunk: Chunk): void {
    const p = chunk.fields[this.field], n = chunk.rows, { width, last } = this;
    for (let b = 0; b < this.bodies; b++) for (let row = 0; row < n; row += this.stride) {
      let square = 0;
      for (let i = width * b; i < width * b + width; i++) {
        square += (p[i * n + row] - last[i]) ** 2;
        last[i] = p[i * n + row];
      }
      if (chunk.first + row > 0) this.length[b] += Math.sqrt(square);
    }
  }
}

// The body that travels furthest, or turns most where none travels; `still`: a path that is none.
export async function tellingBody(run: Run, still: number): Promise<{ body: number; turns: boolean }> {
  const d = run.header.dimension, nb = run.header.bodies.length, stride = Math.max(1, Math.floor(run.count / 200)); // enough to tell
  const path = new Ways('position', d, nb, stride), turn = d === 2 ? new Ways('angle', 1, nb, stride) : new Ways('quat_wxyz', 4, nb, stride);
  await run.pose.all((chunk) => { path.add(chunk); turn.add(chunk); });
  const far = path.length, turned = turn.length;
  const moved = run.header.bodies.map((b) => b.type === 'dynamic' || b.type === 'particle');
  const most = (of: Float64Array): number => moved.reduce((best, moves, i) => (moves && (best < 0 || of[i] > of[best]) ? i : best), -1);
  const goes = most(far), spins = most(turned);
  const turns = goes >= 0 && far[goes] <= still && turned[spins] > NOTHING_TURNS;
  return { body: turns ? spins : goes, turns };
}

export async function loadSeries(run: Run, subject: string, quantity: string): Promise<Series[]> {
  const [kind, index] = subject.split(':');
  if (kind === 'run') return runSeries(run, quantity);
  if (kind === 'body') return bodySeries(run, Number(index), quantity);
  if (kind === 'contact') return contactSeries(run, Number(index), quantity);
  return jointSeries(run, Number(index), quantity);
}

// The same subject in another run of the scene (its bodies and contacts may be numbered otherwise).
export function counterpart(from: Run, to: Run, subject: string): string | undefined {
  const [kind, text] = subject.split(':');
  const index = Number(text);
  if (kind === 'run') return subject;
  if (kind === 'body') {
    const other = to.header.bodies.findIndex((b) => b.name === from.header.bodies[index].name);
    return other < 0 ? undefined : `body:${other}`;
  }
  if (kind === 'joint') return index < to.header.joints.length ? subject : undefined;
  const want = from.header.identities.slice(4 * index, 4 * index + 4).join();
  for (let i = 0; i < to.header.identities.length; i += 4) {
    if (to.header.identities.slice(i, i + 4).join() === want) return `contact:${i / 4}`;
  }
  return undefined;
}
