// SPDX-License-Identifier: Apache-2.0
// What was measured of bodies, beside what was simulated: a ghost in the replay, points in the plots, and the
// difference of both over time.
import type { Measured, Run } from './payload';
import type { Poses } from './pose';
import { columns, type Quantity, type Series } from './signals';

const PLANES: Record<string, string[]> = { position: ['x', 'y'], velocity: ['vx', 'vy'], angle: ['angle'], spin: ['w'] };
const SPACES: Record<string, string[]> = { position: ['x', 'y', 'z'], velocity: ['vx', 'vy', 'vz'], quat: ['qw', 'qx', 'qy', 'qz'], spin: ['wx', 'wy', 'wz'] };

// The columns of one body: coordinate -> values at the times of the samples.
export type Track = Map<string, (number | null)[]>;

export function trackOf(run: Run, body: number): Track | undefined {
  const name = run.header.bodies[body]?.name, list = run.header.measured?.columns.filter((c) => c.body === name) ?? [];
  return list.length ? new Map(list.map((c) => [c.coordinate, c.y])) : undefined;
}

export function measuredBodies(run: Run): number[] {
  return run.header.bodies.map((_, i) => i).filter((i) => trackOf(run, i));
}

// The last sample that is not after t, or -1.
function sampleAt(m: Measured, t: number): number {
  let low = -1, high = m.t.length - 1;
  while (low < high) {
    const mid = (low + high + 1) >> 1;
    if (m.t[mid] <= t) low = mid; else high = mid - 1;
  }
  return low;
}

// Between two samples on a line; undefined where one of them is missing, and outside of the recording.
function valueAt(m: Measured, y: (number | null)[] | undefined, t: number): number | undefined {
  const i = sampleAt(m, t), a = y?.[i], b = y?.[i + 1];
  if (!y || i < 0 || a === null || a === undefined) return undefined;
  if (i === m.t.length - 1) return t <= m.t[i] + 1e-9 ? a : undefined;
  if (b === null || b === undefined) return t === m.t[i] ? a : undefined;
  return a + ((b - a) * (t - m.t[i])) / (m.t[i + 1] - m.t[i]);
}

// Puts measured bodies where they were seen; what was not measured stays as simulated. False: nothing was seen at t.
export function placeMeasured(run: Run, poses: Poses, t: number): boolean {
  const m = run.header.measured;
  let any = false;
  for (const body of m ? measuredBodies(run) : []) {
    const track = trackOf(run, body)!;
    ['x', 'y', 'z'].forEach((axis, i) => {
      const v = valueAt(m!, track.get(axis), t);
      if (v !== undefined) { poses.position[3 * body + i] = v; any = true; }
    });
    const angle = valueAt(m!, track.get('angle'), t);
    if (angle !== undefined) { poses.quat.set([Math.cos(angle / 2), 0, 0, Math.sin(angle / 2)], 4 * body); any = true; }
    const q = ['qw', 'qx', 'qy', 'qz'].map((c) => valueAt(m!, track.get(c), t));
    if (q.every((v) => v !== undefined)) {
      const norm = Math.hypot(...(q as number[])) || 1;
      poses.quat.set((q as number[]).map((v) => v / norm), 4 * body);
      any = true;
    }
  }
  return any;
}

// The samples of a quantity: those of its parts that were measured.
export function measuredSeries(run: Run, body: number, quantity: string): { part: number; series: Series }[] {
  const track = trackOf(run, body), names = (run.header.dimension === 2 ? PLANES : SPACES)[quantity] ?? [];
  return names.flatMap((n, part) => (track?.has(n) ? [{ part, series: track.get(n)! }] : []));
}

const DIFFERENCES: [string, string, string][] = [['off', 'Measured less simulated', 'm'], ['turned', 'Measured less simulated, angle', 'rad']];

export function differences(run: Run, body: number): Quantity[] {
  const track = trackOf(run, body);
  if (!track) return [];
  const axes = ['x', 'y', 'z'].filter((a) => track.has(a)), turns = track.has('angle') || track.has('qw');
  return DIFFERENCES.filter(([key]) => (key === 'off' ? axes.length : turns))
    .map(([key, label, unit]) => ({ key, label, unit, parts: key === 'off' ? axes : ['angle'] }));
}

// A cubic through values and rates of both ends of a step.
function hermite(s: number, h: number, p: number, q: number, v: number, w: number): number {
  const a = 1 - s;
  return a * a * (1 + 2 * s) * p + s * s * (3 - 2 * s) * q + h * s * a * (a * v - s * w);
}

async function simulatedAt(run: Run, table: [Series, Series], t: number): Promise<number | null> {
  const [p, v] = table, k = run.stepAt(t), h = run.steps.t[k + 1] - run.steps.t[k];
  if (t < run.steps.t[0] - 1e-9 || t > run.duration + 1e-9) return null;
  if (k + 1 >= run.count) return p[k];
  return hermite((t - run.steps.t[k]) / h, h, p[k]!, p[k + 1]!, v[k]!, v[k + 1]!);
}

// The angle of the rotation from what was simulated to what was measured, step by step of the recording.
async function turnedBy(run: Run, body: number): Promise<Series> {
  const m = run.header.measured!, track = trackOf(run, body)!;
  const q = await columns(run, 'pose', 'quat_wxyz', [0, 1, 2, 3].map((i) => 4 * body + i));
  return m.t.map((t, i) => {
    const seen = ['qw', 'qx', 'qy', 'qz'].map((c) => track.get(c)![i]);
    if (seen.some((x) => x === null) || t > run.duration + 1e-9) return null;
    const k = run.stepAt(t), next = Math.min(k + 1, run.count - 1), h = run.steps.t[next] - run.steps.t[k];
    const s = h > 0 ? (t - run.steps.t[k]) / h : 0, sign = q.reduce((d, c) => d + c[k]! * c[next]!, 0) < 0 ? -1 : 1;
    const mine = q.map((c) => (1 - s) * c[k]! + s * sign * c[next]!), size = Math.hypot(...mine) * Math.hypot(...(seen as number[]));
    return 2 * Math.acos(Math.min(1, Math.abs(mine.reduce((d, x, c) => d + x * (seen[c] as number), 0)) / size));
  });
}

// Measured less simulated, at the times of the samples.
export async function differenceSeries(run: Run, body: number, quantity: Quantity): Promise<Series[]> {
  const m = run.header.measured!, track = trackOf(run, body)!, d = run.header.dimension;
  if (quantity.key === 'turned' && d === 3) return [await turnedBy(run, body)];
  const out: Series[] = [];
  for (const part of quantity.parts) {
    const axis = ['x', 'y', 'z'].indexOf(part);
    const table = part === 'angle'
      ? [(await columns(run, 'pose', 'angle', [body]))[0], (await columns(run, 'velocity', 'angular_velocity', [body]))[0]]
      : [(await columns(run, 'pose', 'position', [d * body + axis]))[0], (await columns(run, 'velocity', 'velocity', [d * body + axis]))[0]];
    const y = track.get(part)!;
    out.push(await Promise.all(m.t.map(async (t, i) => {
      const x = await simulatedAt(run, table as [Series, Series], t);
      return x === null || y[i] === null ? null : (y[i] as number) - x;
    })));
  }
  return out;
}
