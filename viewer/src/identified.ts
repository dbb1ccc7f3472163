// SPDX-License-Identifier: Apache-2.0
// What an identification found: values with their intervals as curves, scores recording by recording, warnings.
import { el, num, trim } from './dom';
import { historyCards, shape } from './history';
import type { Identification, IdentifiedModel, IdentifiedParameter } from './payload';

const WIDTH = 320, HEIGHT = 84, FOOT = 16, POINTS = 96;
// The signed root of the cost's rise at a value: on lines between the points of the profile, else by the linear model.
function heightAt(p: IdentifiedParameter, x: number): number {
  if (p.profile.length < 3) return p.deviation ? (x - p.value) / p.deviation : 0;
  const signed = p.profile.map(([v, z]) => [v, v < p.value ? -z : z]);
  let i = 1;
  while (i < signed.length - 1 && signed[i][0] < x) i++;
  const [[a, za], [b, zb]] = [signed[i - 1], signed[i]];
  return b > a ? za + ((zb - za) * (x - a)) / (b - a) : za;
}

// What is drawn: the interval and half of it on either side, within the bounds.
function rangeOf(p: IdentifiedParameter): [number, number] {
  const ends = [p.low, p.high, p.bootstrap_low, p.bootstrap_high, ...(p.bootstrap?.range ?? [])].filter((v): v is number => v !== null && v !== undefined);
  const low = Math.min(p.value, ...ends), high = Math.max(p.value, ...ends), margin = 0.35 * (high - low) || Math.abs(p.value) || 1;
  const bound = (v: number, b: number | null, pick: (a: number, c: number) => number): number => (b === null ? v : pick(v, b));
  return [bound(low - margin, p.bounds[0], Math.max), bound(high + margin, p.bounds[1], Math.min)];
}

// The likelihood of each value over that of the best one, the interval under it, and what the bootstrap found.
export function certaintyPlot(p: IdentifiedParameter, level: number): SVGElement {
  const [from, to] = rangeOf(p), top = 6, floor = HEIGHT - FOOT;
  const x = (v: number): number => (to > from ? ((v - from) / (to - from)) * WIDTH : WIDTH / 2);
  const y = (v: number): number => floor - v * (floor - top);
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'certainty', role: 'img',
    'aria-label': `${p.name}: ${num(p.value)}, ${Math.round(100 * level)} % between ${num(p.low ?? NaN)} and ${num(p.high ?? NaN)}` });
  if (p.low !== null && p.high !== null) svg.append(shape('rect', { class: 'interval', x: x(p.low), y: top, width: Math.max(1, x(p.high) - x(p.low)), height: floor - top }));
  if (p.bootstrap) {
    const [a, b] = p.bootstrap.range, most = Math.max(...p.bootstrap.counts), w = (x(b) - x(a)) / p.bootstrap.counts.length;
    p.bootstrap.counts.forEach((n, i) => svg.append(shape('rect', { class: 'bin', x: x(a) + i * w, y: y(n / most), width: Math.max(0.5, w - 0.5), height: floor - y(n / most) })));
  }
  const curve = Array.from({ length: POINTS + 1 }, (_, i) => {
    const v = from + ((to - from) * i) / POINTS;
    return `${x(v).toFixed(1)},${y(Math.exp(-0.5 * heightAt(p, v) ** 2)).toFixed(1)}`;
  });
  svg.append(shape('polyline', { class: 'likelihood', points: curve.join(' ') }), shape('line', { class: 'best', x1: x(p.value), x2: x(p.value), y1: top, y2: floor }),
    shape('line', { class: 'axis', x1: 0, x2: WIDTH, y1: floor, y2: floor }));
  for (const [v, anchor] of [[from, 'start'], [to, 'end']] as [number, string][]) {
    svg.append(shape('text', { x: x(v), y: HEIGHT - 3, 'text-anchor': anchor }, trim(num(v))));
  }
  return svg;
}

function interval(p: IdentifiedParameter, level: number): string {
  if (p.determined === 'not determined') return 'not determined by the recordings';
  const open = p.determined === 'determined' ? '' : `, ${p.determined}`;
  return `${num(p.value)} ± ${num(p.deviation ?? NaN, 2)}, ${Math.round(100 * level)} %: ${num(p.low ?? NaN)} to ${num(p.high ?? NaN)}${open}${p.at_bound ? ', at its bound' : ''}${p.step_error ? `; step error ± ${num(p.step_error, 2)} included` : ''}`;
}

function parameterCard(p: IdentifiedParameter, level: number): HTMLElement {
  const boot = p.bootstrap ? `Bootstrap: ${num(p.bootstrap_low ?? NaN)} to ${num(p.bootstrap_high ?? NaN)}` : '';
  const parts: (Node | string)[] = [el('h2', {}, p.name), el('p', {}, interval(p, level))];
  if (p.determined !== 'not determined') parts.push(certaintyPlot(p, level));
  if (boot) parts.push(el('p', { class: 'note' }, boot));
  return el('section', { class: 'card' }, ...parts);
}

function mean(list: (number | null)[]): number {
  const seen = list.filter((v): v is number => v !== null);
  return seen.length ? seen.reduce((a, b) => a + b, 0) / seen.length : NaN;
}

const mm = (v: number | null): string => (v === null || Number.isNaN(v) ? '–' : trim(num(1e3 * v, 3)));

// Errors of each recording, seen and left out; those with a replay can be opened.
function scoreTable(id: Identification, model: IdentifiedModel, chosen: number, open: (recording: number) => void): HTMLElement {
  const folds = id.folds > 0;
  const heads = ['Recording', 'rms mm', ...(folds ? ['unseen mm', 'fold'] : []), 'end mm'];
  const cells = (s: (number | null)[], fold: number): string[] => [mm(s[0]), ...(folds ? [mm(s[3]), String(fold)] : []), mm(s[2])];
  const rows = id.recordings.map((r, k) => {
    const name = r.run >= 0 ? el('button', { class: 'link', 'aria-pressed': String(k === chosen), 'data-recording': String(k) }, r.name) : el('span', {}, r.name);
    if (r.run >= 0) name.onclick = () => open(k);
    return el('tr', { class: k === chosen ? 'chosen' : '' }, el('th', { scope: 'row' }, name), ...cells(model.scores[k], r.fold).map((t) => el('td', { class: 'num' }, t)));
  });
  const all = [mm(mean(model.scores.map((s) => s[0]))), ...(folds ? [mm(mean(model.scores.map((s) => s[3]))), ''] : []), mm(mean(model.scores.map((s) => s[2])))];
  rows.push(el('tr', {}, el('th', { scope: 'row' }, 'mean'), ...all.map((t) => el('td', { class: 'num' }, t))));
  return el('div', { class: 'scroll-x' }, el('table', { class: 'scores' }, el('thead', {}, el('tr', {}, ...heads.map((h, i) => el('th', { scope: 'col', class: i ? 'num' : '' }, h)))), el('tbody', {}, ...rows)));
}

function modelCards(id: Identification, m: number, chosen: number, open: (recording: number) => void): HTMLElement[] {
  const model = id.models[m], out: HTMLElement[] = [];
  if (id.models.length > 1) out.push(el('h2', { class: 'model' }, model.name));
  if (model.warnings.length) out.push(el('ul', { class: 'warnings' }, ...model.warnings.map((w) => el('li', {}, w))));
  if (model.compared) {
    const [d, low, high] = model.compared.map((v) => 1e3 * (v ?? NaN));
    out.push(el('p', {}, `Unseen, less ${id.models[0].name}: ${num(d, 3)} mm, 95 %: ${num(low, 3)} to ${num(high, 3)}`));
  }
  const own = model.parameters.filter((p) => p.recording === chosen), all = model.parameters.filter((p) => p.recording < 0);
  out.push(...[...all.filter((p) => !p.nuisance), ...all.filter((p) => p.nuisance), ...own].map((p) => parameterCard(p, model.level)));
  out.push(...historyCards(model, chosen));
  out.push(el('p', { class: 'note' }, 'Curve: likelihood beside that of the best value; shaded: the interval; bars: the bootstrap.'), scoreTable(id, model, chosen, open));
  return out;
}

// The recording that the address names, else the first with a replay.
export function chosenRecording(id: Identification, address: URLSearchParams): number {
  const wanted = Number(address.get('recording') ?? -1);
  return id.recordings[wanted]?.run >= 0 ? wanted : id.recordings.findIndex((r) => r.run >= 0);
}

// Another recording has its own runs: the page is loaded anew with them.
function openRecording(recording: number): void {
  const address = new URLSearchParams(location.hash.slice(1));
  address.set('recording', String(recording));
  location.hash = address.toString();
  location.reload();
}

export function showIdentified(host: HTMLElement, id: Identification, chosen: number): void {
  const select = el('select', { id: 'recording', 'aria-label': 'Recording' });
  id.recordings.forEach((r, k) => { if (r.run >= 0) select.append(el('option', { value: String(k) }, r.name)); });
  select.value = String(chosen);
  select.onchange = () => openRecording(Number(select.value));
  host.replaceChildren(el('p', { class: 'which' }, el('strong', {}, id.study), ' ', select),
    ...id.models.flatMap((_, m) => modelCards(id, m, chosen, openRecording)));
}
