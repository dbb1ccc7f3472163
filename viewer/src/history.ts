// SPDX-License-Identifier: Apache-2.0
// Values over time, as windows or particles find them sample by sample: the estimate, its interval, and the cloud.
import { el, num, trim } from './dom';
import type { IdentifiedModel, IdentifiedMoment } from './payload';

const WIDTH = 320, HEIGHT = 120, FOOT = 16, LEFT = 44, TOP = 6;
const NS = 'http://www.w3.org/2000/svg';

export function shape(tag: string, attributes: Record<string, string | number>, text = ''): SVGElement {
  const node = document.createElementNS(NS, tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, String(value));
  if (text) node.textContent = text;
  return node;
}

const known = (v: number | null | undefined): v is number => v !== null && v !== undefined && Number.isFinite(v);

// The range of what is drawn: intervals after the first samples may be as wide as the bounds, clouds tell how wide.
function rangeOf(moments: IdentifiedMoment[], i: number, width: number): [number, number] {
  const seen = moments.flatMap((m) => [m.value[i], m.low[i], m.high[i], ...m.cloud.filter((_, k) => k % width === i)]).filter(known);
  const low = Math.min(...seen), high = Math.max(...seen), margin = 0.05 * (high - low) || Math.abs(high) || 1;
  return [low - margin, high + margin];
}

// One unknown of one recording over time.
function plot(moments: IdentifiedMoment[], i: number, name: string, width: number): SVGElement {
  const [from, to] = rangeOf(moments, i, width), floor = HEIGHT - FOOT, start = moments[0].t, end = moments[moments.length - 1].t;
  const x = (t: number): number => LEFT + (end > start ? ((t - start) / (end - start)) * (WIDTH - LEFT - 4) : 0);
  const y = (v: number): number => floor - ((v - from) / (to - from)) * (floor - TOP);
  const at = (t: number, v: number): string => `${x(t).toFixed(1)},${y(v).toFixed(1)}`;
  const last = moments[moments.length - 1];
  const svg = shape('svg', { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: 'history', role: 'img', 'data-unknown': name,
    'aria-label': `${name} over time: ${num(last.value[i] ?? NaN)} at the end, between ${num(last.low[i] ?? NaN)} and ${num(last.high[i] ?? NaN)}` });
  const band = moments.filter((m) => known(m.low[i]) && known(m.high[i]));
  svg.append(shape('polygon', { class: 'interval', points: [...band.map((m) => at(m.t, m.high[i] as number)), ...[...band].reverse().map((m) => at(m.t, m.low[i] as number))].join(' ') }));
  for (const m of moments) {
    m.cloud.forEach((v, k) => { if (k % width === i && known(v)) svg.append(shape('circle', { class: 'particle', cx: x(m.t).toFixed(1), cy: y(v).toFixed(1), r: 1.1 })); });
  }
  svg.append(shape('polyline', { class: 'likelihood', points: moments.filter((m) => known(m.value[i])).map((m) => at(m.t, m.value[i] as number)).join(' ') }));
  for (const m of moments) if (m.resampled) svg.append(shape('line', { class: 'axis', x1: x(m.t), x2: x(m.t), y1: floor - 5, y2: floor }));
  svg.append(shape('line', { class: 'axis', x1: LEFT, x2: WIDTH, y1: floor, y2: floor }), shape('text', { x: LEFT - 4, y: TOP + 8, 'text-anchor': 'end' }, trim(num(to, 3))),
    shape('text', { x: LEFT - 4, y: floor, 'text-anchor': 'end' }, trim(num(from, 3))), shape('text', { x: LEFT, y: HEIGHT - 3 }, `${trim(num(start, 3))} s`),
    shape('text', { x: WIDTH, y: HEIGHT - 3, 'text-anchor': 'end' }, `${trim(num(end, 3))} s`));
  return svg;
}

// What became of each unknown of a recording: empty where the method does not go sample by sample.
export function historyCards(model: IdentifiedModel, recording: number): HTMLElement[] {
  const history = model.history, moments = history?.moments.filter((m) => m.recording === recording) ?? [];
  if (!history || !moments.length) return [];
  const particles = known(moments[0].effective);
  const told = particles
    ? `Line: mean of the cloud; points: particles, each as likely as the others; ticks: drawn anew; at least ${num(Math.min(...moments.map((m) => m.effective ?? Infinity)), 3)} effective.`
    : 'Line: the value of the window that ends there; shaded: its interval.';
  const cards = history.names.map((name, i) => ({ name, i })).filter(({ i }) => moments.some((m) => known(m.value[i])))
    .map(({ name, i }) => el('section', { class: 'card' }, el('h2', {}, `${name} over time`), plot(moments, i, name, history.names.length)));
  return [...cards, el('p', { class: 'note' }, told)];
}
