// SPDX-License-Identifier: Apache-2.0
// The certificate strip under the replay: one glance tells that every step was solved, where it was
// hard, and when contacts stuck or slipped. It is also the track of the time slider.
import { CUT, isDark, OVERLAP, palette, PURPLE, SLIP } from './palette';
import { FLAG_CORNER, FLAG_FALLBACK, FLAG_MARKED, FLAG_NOT_UNIQUE, FLAG_SPLIT, HOLD_JAMMED, HOLD_WEDGED, type Run } from './payload';

interface Bin { residual: number; failed: boolean; hard: boolean; ambiguous: boolean; hold: number; stick: number; slip: number; contacts: number; made: number; overlap: number; opening: number; splits: number; step: number; n: number }

const emptyBin = (): Bin => ({ residual: 0, failed: false, hard: false, ambiguous: false, hold: 0, stick: 0, slip: 0, contacts: 0, made: 0, overlap: 0, opening: 0, splits: -1, step: 0, n: 0 });

function typicalIterations(run: Run): number {
  const sorted = Array.from(run.steps.iterations).sort((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}

function collect(run: Run, bins: number): Bin[] {
  const out = Array.from({ length: bins }, emptyBin);
  const s = run.steps, end = Math.max(run.duration, 1e-300), many = Math.max(20, 6 * typicalIterations(run));
  for (let k = 0; k < run.count; k++) {
    const bin = out[Math.min(bins - 1, Math.floor((s.t[k] / end) * bins))];
    bin.n++;
    bin.residual = Math.max(bin.residual, s.residual[k]);
    bin.failed ||= (s.flags[k] & FLAG_MARKED) !== 0 || s.outcome[k] !== 0;
    bin.hard ||= (s.flags[k] & (FLAG_SPLIT | FLAG_FALLBACK | FLAG_CORNER)) !== 0 || s.iterations[k] > many;
    bin.ambiguous ||= (s.flags[k] & FLAG_NOT_UNIQUE) !== 0;
    bin.hold = Math.max(bin.hold, s.hold?.[k] ?? 0);
    bin.made = Math.max(bin.made, run.madeEnergy(k));
    bin.overlap = Math.max(bin.overlap, s.penetration[k]);
    bin.opening = Math.max(bin.opening, s.joint_error?.[k] ?? 0);
    if ((s.splits?.[k] ?? 0) > bin.splits) { bin.splits = s.splits?.[k] ?? 0; bin.step = k; } // the one to read of this pixel
    bin.stick += s.stick[k]; bin.slip += s.slip[k]; bin.contacts += s.contacts[k];
  }
  for (let i = 1; i < bins; i++) if (out[i].n === 0) out[i] = out[i - 1]; // fewer steps than pixels
  return out;
}

// The most that moves in the run, against which energy that nothing put in is drawn.
function turnover(run: Run): number {
  const s = run.steps;
  return s.kinetic.reduce((a, b) => Math.max(a, b), 0) + Math.abs(s.dissipated[run.count - 1] ?? 0);
}

// Lengths in the strip: from rounding to a thousandth of the scene, on a log scale.
const LEAST = 1e-16, MOST = 1e-3;

function size(run: Run): number {
  const { low, high } = run.header.extent;
  return Math.hypot(...high.map((x, i) => x - low[i])) || 1;
}

export class Strip {
  private bins: Bin[] = [];

  constructor(private canvas: HTMLCanvasElement, private run: Run) {
    new ResizeObserver(() => this.draw()).observe(canvas);
  }

  draw(): void {
    const dpr = Math.min(2, devicePixelRatio || 1);
    const w = Math.max(1, Math.round(this.canvas.clientWidth * dpr)), h = Math.round(this.canvas.clientHeight * dpr);
    this.canvas.width = w;
    this.canvas.height = h;
    const g = this.canvas.getContext('2d')!;
    const bins = this.bins = collect(this.run, w), jointed = this.run.header.joints.length > 0;
    const lane = Math.round(0.18 * h), gap = Math.round(0.06 * h), top = h - (jointed ? 3 : 2) * (lane + gap);
    const most = turnover(this.run), dot = Math.max(1, Math.round(dpr)), scale = size(this.run);
    g.clearRect(0, 0, w, h);
    bins.forEach((bin, x) => {
      this.drawCertificate(g, bin, x, top);
      this.drawMade(g, bin, x, top, most, dot);
      this.drawHold(g, bin, x, top, gap);
      this.drawSplits(g, bin, x, top);
      this.drawContacts(g, bin, x, top + gap, lane);
      this.drawLength(g, bin.overlap / scale, OVERLAP, x, top + lane + 2 * gap, lane);
      if (jointed) this.drawLength(g, bin.opening / scale, PURPLE, x, top + 2 * lane + 3 * gap, lane);
    });
  }

  // The step that a place along the strip (0 to 1) stands for: of several, the one that was cut most.
  stepAt(share: number): number {
    const n = this.bins.length;
    return this.bins[Math.max(0, Math.min(n - 1, Math.floor(share * n)))]?.step ?? 0;
  }

  // From above, one pixel more for every doubling of the parts.
  private drawSplits(g: CanvasRenderingContext2D, bin: Bin, x: number, top: number): void {
    if (bin.splits <= 0) return;
    g.fillStyle = CUT;
    g.fillRect(x, 0, 1, Math.min(top, 4 + 2 * Math.log2(1 + bin.splits)));
  }

  private drawLength(g: CanvasRenderingContext2D, length: number, style: string, x: number, y: number, height: number): void {
    g.fillStyle = isDark() ? '#20242a' : '#e9e5dc';
    g.fillRect(x, y, 1, height);
    if (!(length > LEAST)) return;
    const bar = Math.max(1, Math.round(height * Math.min(1, Math.log10(length / LEAST) / Math.log10(MOST / LEAST))));
    g.fillStyle = style;
    g.fillRect(x, y + height - bar, 1, bar);
  }

  // Height: residual on a log scale up to the tolerance; colour: solved, hard, failed.
  private drawCertificate(g: CanvasRenderingContext2D, bin: Bin, x: number, top: number): void {
    const p = palette();
    const low = -17, high = Math.log10(this.run.header.tolerance || 1e-9);
    const share = bin.residual > 0 ? (Math.log10(bin.residual) - low) / (high - low) : 0;
    const height = bin.failed ? top : Math.max(2, Math.min(1, Math.max(0, share)) * top);
    g.fillStyle = isDark() ? '#20242a' : '#e9e5dc';
    g.fillRect(x, 0, 1, top);
    g.fillStyle = bin.failed ? SLIP : bin.hard ? CUT : p.accent;
    g.globalAlpha = bin.failed || bin.hard ? 1 : 0.75;
    g.fillRect(x, top - height, 1, height);
    g.globalAlpha = 1;
    if (bin.ambiguous) { g.fillStyle = PURPLE; g.fillRect(x, 0, 1, Math.max(2, top * 0.22)); }
  }

  // A dot for energy that nothing put in, on a log scale: 1e-9 of the most that moves below, 1e-3 on top.
  private drawMade(g: CanvasRenderingContext2D, bin: Bin, x: number, top: number, most: number, size: number): void {
    if (!(bin.made > 1e-9 * most)) return;
    const share = Math.min(1, (Math.log10(bin.made / most) + 9) / 6);
    g.fillStyle = isDark() ? '#ffffff' : '#000000';
    g.fillRect(x, Math.round((1 - share) * (top - size)), 1, size);
  }

  // A line between the two lanes while bodies are jammed or wedged.
  private drawHold(g: CanvasRenderingContext2D, bin: Bin, x: number, y: number, height: number): void {
    if (bin.hold < HOLD_JAMMED) return;
    g.fillStyle = bin.hold === HOLD_WEDGED ? SLIP : CUT;
    g.fillRect(x, y, 1, height);
  }

  private drawContacts(g: CanvasRenderingContext2D, bin: Bin, x: number, y: number, height: number): void {
    const p = palette();
    g.fillStyle = isDark() ? '#20242a' : '#e9e5dc';
    g.fillRect(x, y, 1, height);
    if (bin.contacts === 0) return;
    const stick = (bin.stick / bin.contacts) * height, slip = (bin.slip / bin.contacts) * height;
    g.fillStyle = p.states[1];
    g.fillRect(x, y + height - stick, 1, stick);
    g.fillStyle = p.states[2];
    g.fillRect(x, y + height - stick - slip, 1, slip);
  }
}
