// SPDX-License-Identifier: Apache-2.0
// Verdicts of the states before the steps (simulation: {verdicts: true}), as a strip of three lanes: is
// the motion the only one, how many contacts bear forces, are these stable?
import { isDark, palette, SLIP, STICK } from './palette';
import type { Run } from './payload';

export const RULINGS = ['not asked', 'yes', 'no', 'undecided', 'not applicable'] as const;
export const RULING_YES = 1;
export const RULING_NO = 2;
export const RULING_UNDECIDED = 3;

export const isJudged = (run: Run): boolean => run.steps.unique !== undefined;

// The worst of a pixel counts: no, undecided, yes, then states that the theory does not reach.
const WEIGHT = [0, 2, 4, 3, 1];
interface Bin { unique: number; stable: number; active: number; n: number }

function worse(a: number, b: number): number { return WEIGHT[b] > WEIGHT[a] ? b : a; }

function collect(run: Run, bins: number): Bin[] {
  const out: Bin[] = Array.from({ length: bins }, () => ({ unique: 0, stable: 0, active: 0, n: 0 }));
  const s = run.steps, end = Math.max(run.duration, 1e-300);
  for (let k = 1; k < run.count; k++) {
    const bin = out[Math.min(bins - 1, Math.floor((s.t[k] / end) * bins))];
    bin.n++;
    bin.unique = worse(bin.unique, s.unique![k]);
    bin.stable = worse(bin.stable, s.stable![k]);
    bin.active = Math.max(bin.active, s.active![k]);
  }
  for (let i = bins - 2; i >= 0; i--) if (out[i].n === 0) out[i] = out[i + 1]; // a step is judged at its start
  for (let i = 1; i < bins; i++) if (out[i].n === 0) out[i] = out[i - 1];
  return out;
}

function colour(ruling: number): string | undefined {
  return ruling === RULING_YES ? STICK : ruling === RULING_NO ? SLIP : ruling === RULING_UNDECIDED ? '#E69F00' : undefined;
}

export class VerdictStrip {
  constructor(private canvas: HTMLCanvasElement, private run: Run) {
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  draw(): void {
    const dpr = Math.min(2, devicePixelRatio || 1);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * dpr)), h = Math.round(this.canvas.clientHeight * dpr);
    this.canvas.width = w;
    this.canvas.height = h;
    const g = this.canvas.getContext('2d')!, gap = Math.max(1, Math.round(dpr)), lane = Math.floor((h - 2 * gap) / 3);
    const bins = collect(this.run, w), most = Math.max(1, ...bins.map((b) => b.active));
    g.clearRect(0, 0, w, h);
    g.fillStyle = isDark() ? '#20242a' : '#e9e5dc';
    for (let i = 0; i < 3; i++) g.fillRect(0, i * (lane + gap), w, lane);
    bins.forEach((bin, x) => {
      this.fill(g, colour(bin.unique), x, 0, lane);
      const bar = Math.round((Math.max(0, bin.active) / most) * lane);
      this.fill(g, palette().accent, x, lane + gap + lane - bar, bar);
      this.fill(g, colour(bin.stable), x, 2 * (lane + gap), lane);
    });
  }

  private fill(g: CanvasRenderingContext2D, style: string | undefined, x: number, y: number, height: number): void {
    if (style === undefined || height <= 0) return;
    g.fillStyle = style;
    g.fillRect(x, y, 1, height);
  }
}

// "unique no (2 motions), 1 active, stable not applicable"
export function verdictText(run: Run, step: number): string {
  const s = run.steps;
  if (!isJudged(run) || s.unique![step] === 0) return '';
  const n = s.solutions![step], active = s.active![step];
  const motions = s.unique![step] === RULING_NO ? ` (${n === 0 ? 'no motion obeys the laws' : n === 1 ? 'a continuum of motions' : `${n} motions`})` : '';
  const bear = active >= 0 ? `, ${active} contact${active === 1 ? '' : 's'} active` : '';
  return `unique: ${RULINGS[s.unique![step]]}${motions}${bear}, stable: ${RULINGS[s.stable![step]]}`;
}

// What a reader must know of the states of a run.
export function verdictWarnings(run: Run): string[] {
  if (!isJudged(run)) return [];
  const steps = (column: Uint8Array): number => column.reduce((n, x) => n + (x === RULING_NO ? 1 : 0), 0);
  const several = steps(run.steps.unique!), unstable = steps(run.steps.stable!), list: string[] = [];
  if (several > 0) list.push(`Before ${several} steps the motion is not unique: no motion obeys the laws of rigid contact, or several do.`);
  if (unstable > 0) list.push(`Before ${unstable} steps contact is unstable: however stiff bodies are, forces do not settle to those of the rigid model.`);
  return list;
}
