// SPDX-License-Identifier: Apache-2.0
// Time plots beside the replay. They share the cursor and the time window; a click moves the replay.
import uPlot from 'uplot';
import { el, num, trim } from './dom';
import { differenceSeries, measuredBodies, measuredSeries } from './measured';
import { colourOf, palette } from './palette';
import type { Run } from './payload';
import { floorOf, rangeOf, type Scale, scaleOf } from './scale';
import { counterpart, loadSeries, NOTHING, type Quantity, type Subject, subjects, tellingBody, tellingContact } from './signals';

const DASHES = [[], [6, 4], [2, 3], [10, 3, 2, 3]], LEGEND = ['solid', 'dashed', 'dotted', 'double'];
const HEIGHT = 168;
const MARKS = { width: 1.2, paths: () => null, points: { show: true, size: 4, width: 1.2 } }; // what was measured
const FIRST_LOAD = 60;  // milliseconds: the replay comes first
const READ_EVERY = 150; // milliseconds between updates of the numbers while the replay plays

const POWERS = [1e-16, 1e-12, 1e-8, 1e-4, 1];
const power = (v: number): string => `1e${Math.round(Math.log10(v))}`.replace('-', '\u2212');

interface Label { name: string; run: number; part: number; measured?: boolean }
interface Choice { subject: string; quantity: string }

class Plot {
  readonly root = el('section', { class: 'plot' });
  chart?: uPlot;
  private head = el('div', { class: 'plot-head' });
  private box = el('div', { class: 'plot-box' });
  private mark = el('div', { class: 'plot-mark', 'aria-hidden': 'true' });
  private unit = el('span', { class: 'unit' });
  private peak = el('button', { class: 'quiet peak', title: 'One step towers over all others: show it whole, or not', hidden: '' });
  private whole = false;
  private shown = -1;
  private hovered = false;
  private read = 0;

  constructor(private owner: Plots, readonly choice: Choice) {
    this.root.append(this.head, this.box);
    this.peak.onclick = () => { this.whole = !this.whole; void this.load(); };
    this.drawHead();
    void this.load();
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
    this.head.replaceChildren(subject, quantity, this.unit, this.peak, remove);
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
    const labels: Label[] = [];
    for (let r = 0; r < runs.length; r++) {
      const key = counterpart(runs[0], runs[r], this.choice.subject);
      if (!key) continue;
      tables.push(await this.table(runs[r], key, quantity));
      quantity.parts.forEach((part, i) => labels.push({ name: runs.length > 1 ? `${part}, ${runs[r].header.label}` : part, run: r, part: i }));
    }
    const [kind, body] = this.choice.subject.split(':');
    const seen = kind === 'body' ? measuredSeries(runs[0], Number(body), quantity.key) : [];
    if (seen.length) {
      tables.push([runs[0].header.measured!.t, ...seen.map((s) => s.series)] as unknown as uPlot.AlignedData);
      for (const { part } of seen) labels.push({ name: `${quantity.parts[part]}, measured`, run: 0, part, measured: true });
    }
    if (quantity !== this.quantity() || !tables.length) return; // another choice came first
    const data = tables.length > 1 ? uPlot.join(tables) : tables[0];
    this.unit.textContent = quantity.unit;
    this.draw(data, quantity, labels);
  }

  // Of one run against its time; what was measured has times of its own.
  private async table(run: Run, key: string, quantity: Quantity): Promise<uPlot.AlignedData> {
    const off = quantity.key === 'off' || quantity.key === 'turned';
    const series = off ? await differenceSeries(run, Number(key.split(':')[1]), quantity) : await loadSeries(run, key, quantity.key);
    return [off ? run.header.measured!.t : Array.from(run.steps.t), ...series] as unknown as uPlot.AlignedData;
  }

  private draw(data: uPlot.AlignedData, quantity: Quantity, labels: Label[]): void {
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

  private options(quantity: Quantity, labels: Label[], width: number, n: number): uPlot.Options {
    const p = palette();
    const axis = { stroke: p.muted, font: '11px system-ui, sans-serif', grid: { stroke: p.line, width: 1 }, ticks: { show: false } };
    const log = quantity.log === true;
    return {
      width, height: HEIGHT, padding: [8, 14, 0, 0],
      cursor: { sync: { key: 'stickslip' }, drag: { x: true, y: false, setScale: true }, points: { size: 5 } },
      legend: { live: true, markers: { dash: (_u, i) => (i > 0 && !labels[i - 1].measured ? LEGEND[labels[i - 1].run % LEGEND.length] : 'solid') } },
      scales: { x: { time: false }, y: log ? { distr: 3, range: (_u, lo, hi) => [Math.min(lo, 1e-17), Math.max(hi, 1e-8)] } : { range: (u) => this.range(u, quantity) } },
      series: [
        { label: 't', value: (_u, v) => (v === null ? '' : `${num(v)} s`) },
        ...labels.map((l) => ({
          label: l.name, stroke: colourOf(quantity.parts[l.part]) ?? (this.owner.runs.length > 1 && quantity.parts.length === 1 ? p.series[l.run % 7] : p.series[l.part % 7]),
          ...(l.measured ? MARKS : { width: 1.5, dash: DASHES[l.run % DASHES.length], points: { show: n < 60 } }),
          value: (_u: uPlot, v: number | null) => (v === null || v === undefined ? '–' : log && v <= NOTHING ? '0' : num(v)),
        })),
      ] as uPlot.Series[],
      axes: [
        { ...axis, size: 26, values: (_u, s) => s.map((v) => `${+v.toPrecision(6)}`) },
        { ...axis, size: (_u, texts) => 12 + 6.4 * Math.max(3, ...(texts ?? []).map((s) => s.length)),
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

  // The axis of what is in view; a peak that it does not reach is told in words.
  private range(u: uPlot, quantity: Quantity): [number, number] {
    const t = u.data[0], { min, max } = u.scales.x;
    let from = 0, to = t.length - 1;
    while (min !== undefined && min !== null && from < to && t[from] < min) from++;
    while (max !== undefined && max !== null && to > from && t[to] > max) to--;
    const r = rangeOf(u.data.slice(1) as ArrayLike<number>[], from, to, this.whole ? 0 : floorOf(this.owner.scale, quantity.unit));
    const shown = this.whole || r.peak === undefined ? undefined : r.peak;
    this.peak.hidden = r.peak === undefined && !this.whole;
    this.peak.textContent = shown === undefined ? 'all of it' : `peak ${num(shown)} ${quantity.unit}`;
    if (!this.whole) return [r.low, r.high];
    const all = u.data.slice(1).flatMap((s) => Array.from(s as number[]).slice(from, to + 1)).filter((v) => v !== null && v !== undefined);
    return [Math.min(...all, 0), Math.max(...all, 0)];
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

  scale: Scale;

  constructor(private host: HTMLElement, readonly runs: Run[], readonly seek: (t: number) => void) {
    this.subjects = subjects(runs[0]);
    this.scale = scaleOf(runs[0]);
    setTimeout(() => void this.initial().then((list) => list.forEach((choice) => this.add(choice))), FIRST_LOAD);
    new ResizeObserver(() => this.plots.forEach((p) => p.resize())).observe(host);
  }

  // The most telling series: energy where there is any, the body that goes furthest (or
  // turns most where none goes anywhere), the contact that bears most.
  private async initial(): Promise<Choice[]> {
    const run = this.runs[0], list: Choice[] = [];
    const moves = run.steps.kinetic.some((v) => v > 0) || run.steps.dissipated.some((v) => v !== 0);
    for (const b of measuredBodies(run).slice(0, 2)) {
      const { key, quantities } = this.subjects.find((s) => s.key === `body:${b}`) ?? {};
      const shown = quantities?.filter((one) => measuredSeries(run, b, one.key).length || one.key === 'off') ?? [];
      for (const one of shown.filter((s) => s.key !== 'velocity' && s.key !== 'spin')) list.push({ subject: key!, quantity: one.key });
    }
    if (moves) list.push({ subject: 'run', quantity: 'energy' });
    const [{ body, turns }, contact] = [await tellingBody(run, floorOf(this.scale, 'm')), await tellingContact(run)];
    const has = (key: string): boolean => this.subjects.some((s) => s.key === key);
    if (has(`body:${body}`)) list.push({ subject: `body:${body}`, quantity: turns ? 'spin' : moves ? 'velocity' : 'position' });
    if (has(`contact:${contact}`)) list.push({ subject: `contact:${contact}`, quantity: 'force' });
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
    this.scale = scaleOf(this.runs[0]);
    for (const plot of this.plots) void plot.load();
  }

  resize(): void { this.plots.forEach((p) => p.resize()); }
  charts(): { subject: string; quantity: string; chart: uPlot }[] {
    return this.plots.filter((p) => p.chart).map((p) => ({ ...p.choice, chart: p.chart! }));
  }
  count(): number { return this.plots.filter((p) => p.chart).length; }
}
