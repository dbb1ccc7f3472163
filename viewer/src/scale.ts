// SPDX-License-Identifier: Apache-2.0
// What is large and what is noise in a run: lengths, speeds, forces and energies that occur in it. Numbers
// far below them are rounding, and plots do not blow them up to full height.
import type { Run } from './payload';

export interface Scale { length: number; speed: number; force: number; energy: number; time: number }

// The part of a scale below which nothing is drawn as if it were something.
const NOISE = 1e-7;

export function scaleOf(run: Run): Scale {
  const { extent, gravity, bodies, facts } = run.header, s = run.steps;
  const span = Math.hypot(...extent.high.map((x, i) => x - extent.low[i]));
  const sizes = run.header.geoms.map((g) => Math.max(g.radius ?? 0, ...(g.size ?? []), ...(g.radii ?? [])));
  const length = Math.max(span, ...sizes.filter(Number.isFinite), 1e-9);
  const moved = bodies.filter((b) => b.type === 'dynamic' || b.type === 'particle');
  const mass = moved.reduce((m, b) => m + b.mass, 0) || 1;
  let kinetic = 0, energy = 0;
  const level = s.potential[0];
  for (let k = 0; k < run.count; k++) {
    kinetic = Math.max(kinetic, s.kinetic[k]);
    energy = Math.max(energy, Math.abs(s.kinetic[k]), Math.abs(s.potential[k] - level), Math.abs(s.dissipated[k]));
  }
  const weight = mass * Math.hypot(...(gravity ?? [0])), g = Math.hypot(...(gravity ?? [0]));
  const speed = Math.max(Math.sqrt((2 * kinetic) / mass), g * run.header.step, run.duration > 0 ? 1e-3 * length / run.duration : 0);
  return { length, speed, force: weight || Number(facts.force_max) || 1, energy: energy || 1, time: run.duration || 1 };
}

// The height that a plot has at least, by the unit of what it shows; 0: any.
export function floorOf(scale: Scale, unit: string): number {
  const by: Record<string, number> = {
    'm': scale.length, 'm/s': scale.speed, 'N': scale.force, 'N m': scale.force * scale.length, 'N, N m': scale.force,
    'J': scale.energy, 'rad': 1, 'rad/s': scale.speed / scale.length, 'm, rad': scale.length, 'm/s, rad/s': scale.speed, 's': scale.time,
  };
  return NOISE * (by[unit] ?? 0);
}

// The range of an axis: the values, but never less than the floor; and where single values tower over all
// others (an impact lasts two steps: up to the touch, and to the stop), the others, unless they are noise, with a
// word about the peak.
export interface Range { low: number; high: number; peak?: number }
const TOWER = 8;     // times the rest
const USUAL = 0.98;  // share of the values that the axis must hold,
const IMPACT = 2;    // but for this many of each series,
const MANY = 20;     // where there are so many at all

export function rangeOf(series: ArrayLike<number | null | undefined>[], from: number, to: number, floor: number): Range {
  const all: number[] = [];
  for (const s of series) for (let i = from; i <= to; i++) { const v = s[i]; if (v !== null && v !== undefined && Number.isFinite(v)) all.push(v); }
  if (!all.length) return { low: 0, high: 1 };
  all.sort((a, b) => a - b);
  let low = all[0], high = all[all.length - 1], peak: number | undefined;
  const cut = all.length < MANY ? 0 : Math.max(IMPACT * series.length, Math.floor((1 - USUAL) * all.length));
  if (cut > 0) {
    const usualLow = Math.min(0, all[cut]), usualHigh = Math.max(0, all[all.length - 1 - cut]), span = Math.max(usualHigh - usualLow, floor);
    const noise = usualHigh - usualLow <= floor; // then the peaks are all there is
    if (!noise && high - usualHigh > TOWER * span) { peak = high; high = usualHigh + 0.25 * span; }
    if (!noise && usualLow - low > TOWER * span) { peak = peak !== undefined && peak > -low ? peak : low; low = usualLow - 0.25 * span; }
  }
  const middle = (low + high) / 2, least = Math.max(floor, NOISE * Math.max(Math.abs(low), Math.abs(high)));
  if (high - low < 2 * least || high === low) { low = middle - (least || 0.5); high = middle + (least || 0.5); }
  const room = 0.05 * (high - low);
  return { low: low >= 0 && low < 0.4 * high ? 0 : low - room, high: high + room, peak };
}
