// SPDX-License-Identifier: Apache-2.0
// Time plots beside the replay. They share the cursor and the time window; a click moves the replay.
import uPlot from 'uplot';
import { el, num, trim } from './dom';
import { palette } from './palette';
import type { Run } from './payload';
import { counterpart, loadSeries, type Quantity, type Subject, subjects } from './signals';

const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3]];
const HEIGHT = 168;
const FIRST_LOAD = 60;  // milliseconds: the replay comes first
const READ_EVERY = 150; // milliseconds between updates of the numbers while the replay plays

const POWERS = [1e-16, 1e-12, 1e-8, 1e-4, 1];
const power = (v: number): string => `1e${Math.round(Math.log10(v))}`.replace('-', '\u2212');

interface Choice { subject: string; quantity: string }

class Plot {
  readonly root = el('section', { class: 'plot' });
  chart?: uPlot;
  private head = el('div', { class: 'plot-head' });
  private box = el('div', { class: 'plot-box' });
  private mark = el('div', { class: 'plot-mark', 'aria-hidden': 'true' });
  private shown = -1;
  private hovered = false;
  private read = 0;

  constructor(private owner: Plots, readonly choice: Choice) {
    this.root.append(this.head, this.box);
    this.drawHead();
    setTimeout(() => void this.load(), FIRST_LOAD);
  }

  private drawHead(): void {
    const list = this.owner.subjects;
    const subject = el('select', { 'aria-label': 'What to plot' });
    const groups = new Map<string, HTMLElement>();
    for (const s of list) {
      const option = el('option', { value: s.key }, s.label);
      if (!s.group) { subject.append(option); continue; }
      if (!groups.has(s.group)) {
        groups.set(s.group, el('optgroup', { label: s.group }));
        subject.append(groups.get(s.group)!);
      }
      groups.get(s.group)!.append(option);
    }
    subject.value = this.choice.subject;
    const quantity = el('select', { 'aria-label': 'Quantity' });
    for (const one of this.subject().quantities) quantity.append(el('option', { value: one.key }, one.label));
    quantity.value = this.choice.quantity;
    const remove = el('button', { class: 'quiet', 'aria-label': 'Remove this plot', title: 'Remove' }, '×');
    subject.onchange = () => {
      this.choice.subject = subject.value;
      this.choice.quantity = this.subject().quantities[0].key;
      this.drawHead();
      void this.load();
    };
    quantity.onchange = () => { this.choice.quantity = quantity.value; void this.load(); };
    remove.onclick = () => this.owner.remove(this);
    this.head.replaceChildren(subject, quantity, remove);
  }

  private subject(): Subject {
    return this.owner.subjects.find((s) => s.key === this.choice.subject) ?? this.owner.subjects[0];
  }
  private quantity(): Quantity {
    const list = this.subject().quantities;
    return list.find((one) => one.key === this.choice.quantity) ?? list[0];
  }

  // The series of every run on one time axis.
  async load(): Promise<void> {
    const { runs } = this.owner;
    const quantity = this.quantity();
    const tables: uPlot.AlignedData[] = [];
    const labels: { name: string; run: number; part: number }[] = [];
    for (let r = 0; r < runs.length; r++) {
      const key = counterpart(runs[0], runs[r], this.choice.subject);
      if (!key) continue;
      const series = await loadSeries(runs[r], key, quantity.key);
      tables.push([Array.from(runs[r].steps.t), ...series] as unknown as uPlot.AlignedData);
      quantity.parts.forEach((part, i) => labels.push({ name: runs.length > 1 ? `${part}, ${runs[r].header.label}` : part, run: r, part: i }));
    }
    if (quantity !== this.quantity() || !tables.length) return; // another choice came first
    const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
    this.draw(data, quantity, labels);
  }

  private draw(data: uPlot.AlignedData, quantity: Quantity, labels: { name: string; run: number; part: number }[]): void {
    const width = this.box.clientWidth || 340;
    const old = this.chart?.scales.x;
    this.chart?.destroy();
    this.box.replaceChildren();
    this.chart = new uPlot(this.options(quantity, labels, width, data[0].length), data, this.box);
    this.chart.over.append(this.mark);
    this.shown = -1;
    const window = this.owner.window ?? (old ? [old.min!, old.max!] : undefined);
    if (window) this.chart.setScale('x', { min: window[0], max: window[1] });
    this.cursor(this.owner.time);
  }

  private options(quantity: Quantity, labels: { name: string; run: number; part: number }[], width: number, n: number): uPlot.Options {
    const p = palette();
    const axis = { stroke: p.muted, font: '11px system-ui, sans-serif', grid: { stroke: p.line, width: 1 }, ticks: { show: false } };
    const log = quantity.log === true;
    return {
      width, height: HEIGHT, padding: [8, 6, 0, 0],
      cursor: { sync: { key: 'stickslip' }, drag: { x: true, y: false, setScale: true }, points: { size: 5 } },
      legend: { live: true },
      scales: { x: { time: false }, y: log ? { distr: 3, range: (_u, lo, hi) => [Math.min(lo, 1e-17), Math.max(hi, 1e-8)] } : {} },
      series: [
        { label: 't', value: (_u, v) => (v === null ? '' : `${num(v)} s`) },
        ...labels.map((l) => ({
          label: l.name, stroke: this.owner.runs.length > 1 && quantity.parts.length === 1 ? p.series[l.run % 7] : p.series[l.part % 7],
          width: 1.5, dash: DASHES[l.run % DASHES.length], points: { show: n < 60 },
          value: (_u: uPlot, v: number | null) => (v === null || v === undefined ? '–' : num(v)),
        })),
      ] as uPlot.Series[],
      axes: [
        { ...axis, size: 26, values: (_u, s) => s.map((v) => `${+v.toPrecision(6)}`) },
        { ...axis, size: 54, label: quantity.unit || undefined, labelSize: 14, labelGap: 0, labelFont: '11px system-ui, sans-serif',
          ...(log ? { splits: () => POWERS } : {}),
          values: (_u, s) => s.map((v) => (v === null ? '' : log ? power(v) : trim(num(v, 3)))) },
      ],
      hooks: {
        ready: [(u) => this.listen(u)],
        setScale: [(u, key) => { if (key === 'x') this.owner.zoom(u); }],
        setSize: [() => this.cursor(this.owner.time, true)],
      },
    };
  }

  private listen(u: uPlot): void {
    let downAt = 0;
    u.over.addEventListener('mouseenter', () => { this.hovered = true; });
    u.over.addEventListener('mouseleave', () => { this.hovered = false; this.cursor(this.owner.time, true); });
    u.over.addEventListener('mousedown', (e) => { downAt = e.clientX; });
    u.over.addEventListener('click', (e) => {
      if (Math.abs(e.clientX - downAt) > 3) return; // that was a zoom
      this.owner.seek(u.posToVal(e.clientX - u.over.getBoundingClientRect().left, 'x'));
    });
  }

  // Where the replay is; moves a line, redraws nothing.
  cursor(t: number, force = false): void {
    if (!this.chart) return;
    const x = Math.round(2 * this.chart.valToPos(t, 'x')) / 2;
    if (x === this.shown && !force) return;
    this.shown = x;
    this.mark.style.transform = `translateX(${x}px)`;
    const inside = x >= 0 && x <= this.chart.bbox.width / uPlot.pxRatio;
    this.mark.style.display = inside ? '' : 'none';
    const now = performance.now();
    if (this.hovered || (now - this.read < READ_EVERY && !force)) return;
    this.read = now;
    this.chart.setLegend({ idx: this.chart.valToIdx(t) }, false);
  }

  resize(): void {
    const width = this.box.clientWidth;
    if (this.chart && width > 0 && width !== this.chart.width) this.chart.setSize({ width, height: HEIGHT });
  }
}

export class Plots {
  subjects: Subject[];
  time = 0;
  window?: [number, number];
  private plots: Plot[] = [];
  private zooming = false;

  constructor(private host: HTMLElement, readonly runs: Run[], readonly seek: (t: number) => void) {
    this.subjects = subjects(runs[0]);
    for (const choice of this.initial()) this.add(choice);
    new ResizeObserver(() => this.plots.forEach((p) => p.resize())).observe(host);
  }

  private initial(): Choice[] {
    const list: Choice[] = [{ subject: 'run', quantity: 'energy' }];
    const dynamic = this.runs[0].header.bodies.findIndex((b) => b.type === 'dynamic' || b.type === 'particle');
    const body = this.subjects.find((s) => s.key === `body:${dynamic}`);
    const contact = this.subjects.find((s) => s.group === 'Contacts');
    if (body) list.push({ subject: body.key, quantity: 'velocity' });
    if (contact) list.push({ subject: contact.key, quantity: 'force' });
    return [...list, { subject: 'run', quantity: 'residual' }];
  }

  add(choice: Choice = { subject: 'run', quantity: 'contacts' }): Plot {
    const plot = new Plot(this, choice);
    this.plots.push(plot);
    this.host.append(plot.root);
    return plot;
  }

  // Show a subject: in the plot that has it, or in a new one.
  reveal(choice: Choice): void {
    const have = this.plots.find((p) => p.choice.subject === choice.subject) ?? this.add(choice);
    have.root.scrollIntoView({ block: 'nearest' });
    have.root.classList.add('flash');
    setTimeout(() => have.root.classList.remove('flash'), 700);
  }

  remove(plot: Plot): void {
    plot.chart?.destroy();
    plot.root.remove();
    this.plots = this.plots.filter((p) => p !== plot);
  }

  cursor(t: number, force = false): void {
    this.time = t;
    for (const plot of this.plots) plot.cursor(t, force);
  }

  // One plot was zoomed: the others follow.
  zoom(from: uPlot): void {
    const { min, max } = from.scales.x;
    if (this.zooming || min === undefined || max === undefined || min === null || max === null) return;
    this.zooming = true;
    const full = this.runs[0].steps.t;
    this.window = min > full[0] || max < full[full.length - 1] ? [min, max] : undefined;
    for (const { chart } of this.plots) {
      if (chart && chart !== from && (chart.scales.x.min !== min || chart.scales.x.max !== max)) chart.setScale('x', { min, max });
    }
    this.zooming = false;
    queueMicrotask(() => this.plots.forEach((p) => p.cursor(this.time, true)));
  }

  reload(): void {
    this.subjects = subjects(this.runs[0]);
    for (const plot of this.plots) void plot.load();
  }

  resize(): void { this.plots.forEach((p) => p.resize()); }
  count(): number { return this.plots.filter((p) => p.chart).length; }
}
