// SPDX-License-Identifier: Apache-2.0
// The tables beside the replay: contacts of the step, facts of the run, differences between runs.
import { type Contact, frictionForce, isUnique, slipSpeed, stateOf } from './contacts';
import { el, num, seconds } from './dom';
import { STATE_NAMES } from './palette';
import { FLAG_NOT_UNIQUE, HOLD_JAMMED, HOLD_WEDGED, type Run } from './payload';
import { Poses } from './pose';
import { contactLabel } from './signals';
import { verdictWarnings } from './verdicts';

const BRANCH = ['', 'corner: this branch acts', 'corner: this branch is idle'];

export function describeContact(run: Run, c: Contact): HTMLElement {
  const friction = frictionForce(c), limit = c.mu * c.force[0];
  const rows: [string, string][] = [
    ['normal force', `${num(c.force[0])} N`],
    ...(isUnique(c) === false ? [['not unique', `${num(c.range![0])} to ${num(c.range![1])} N`] as [string, string]] : []),
    ['friction', `${num(friction)} N` + (limit > 0 ? ` of ${num(limit)} N` : '')],
    ['impulse', `${num(c.h * c.force[0])}, ${num(c.h * friction)} N s`],
    ['slip speed', `${num(slipSpeed(c))} m/s`],
    ['gap at the end', `${num(c.gap)} m`],
    ['μ', num(c.mu)],
  ];
  const spin = c.force.slice(3);
  if (spin.some((x) => x !== 0)) rows.push(['torsion, rolling', `${spin.map((x) => num(x)).join(', ')} N m`]);
  if (c.branch) rows.push(['branch', BRANCH[c.branch]]);
  const list = el('dl');
  for (const [name, value] of rows) list.append(el('dt', {}, name), el('dd', {}, value));
  return el('div', { class: `read-out ${STATE_NAMES[c.state]}` },
    el('strong', {}, contactLabel(run, c.identity)), el('span', { class: 'state' }, stateOf(c)), list);
}

const ALONG: [string, string][] = [['value', 'coordinate'], ['rate', 'rate'], ['friction', 'friction'], ['motor', 'motor'], ['limit', 'limit'], ['spring', 'spring']];

// A joint in a step: what it holds with, and where and how it moves.
export function describeJoint(run: Run, step: number, joint: number): HTMLElement {
  const j = run.header.joints[joint], chunk = run.joints?.ready(step), list = el('dl');
  const at = (field: string, c: number): number => chunk!.fields[field][c * chunk!.rows + step - chunk!.first];
  const row = (name: string, value: string): void => list.append(el('dt', {}, name), el('dd', {}, value));
  const body = (b: number): string => (b < 0 ? 'world' : run.header.bodies[b].name);
  row('between', `${body(j.bodies[0])}, ${body(j.bodies[1])}`);
  if (chunk) {
    row('force', `${num(Math.hypot(...[0, 1, 2].map((c) => at('force', 6 * joint + c))))} N`);
    row('torque', `${num(Math.hypot(...[3, 4, 5].map((c) => at('force', 6 * joint + c))))} N m`);
    for (const [field, label] of ALONG) {
      const values = Array.from({ length: j.coordinates ?? 0 }, (_, k) => at(field, 3 * joint + k));
      if (values.some((v) => v !== 0) || (values.length && field === 'value')) row(label, values.map((v) => num(v)).join(', '));
    }
  }
  return el('div', { class: 'read-out' }, el('strong', {}, j.name), el('span', { class: 'state' }, j.type), list);
}

const TABLE_ROWS = 60;

// The contacts of the step as rows: what the mouse reads by hovering, the keyboard reads here.
export class ContactTable {
  private body = el('tbody');
  private note = el('p', { class: 'note' });
  constructor(host: HTMLElement, private run: Run, private pick: (identity: number) => void,
    private plot: (identity: number) => void) {
    const head = el('tr', {}, ...['Normal N', 'Friction N', 'Slip m/s', 'Gap m'].map((h) => el('th', { scope: 'col', class: 'num' }, h)));
    host.append(el('table', { class: 'contacts' }, el('thead', {}, head), this.body), this.note);
  }

  update(contacts: Contact[], highlight: number): void {
    const rows = contacts.slice(0, TABLE_ROWS).flatMap((c) => this.rows(c, c.identity === highlight));
    const buttons = (): HTMLElement[] => Array.from(this.body.querySelectorAll('button'));
    const focused = buttons().indexOf(document.activeElement as HTMLElement);
    this.body.replaceChildren(...rows);
    if (focused >= 0) buttons()[focused]?.focus(); // the keyboard stays where it was
    this.note.textContent = contacts.length === 0 ? 'Nothing touches in this step.'
      : contacts.length > TABLE_ROWS ? `The first ${TABLE_ROWS} of ${contacts.length} contacts.`
        : 'Choose a row to see the contact in the replay; Plot adds its force to the plots.';
  }

  // Two lines each: whose contact it is and what it does; then its numbers, which so have room at any width.
  private rows(c: Contact, chosen: boolean): HTMLElement[] {
    const name = el('button', { class: 'link', 'aria-pressed': String(chosen) }, contactLabel(this.run, c.identity));
    const plot = el('button', { class: 'quiet', title: 'Plot the force of this contact' }, 'Plot');
    name.onclick = () => this.pick(chosen ? -1 : c.identity);
    plot.onclick = () => this.plot(c.identity);
    const look = chosen ? ' chosen' : '';
    const cells = [num(c.force[0]), num(frictionForce(c)), num(slipSpeed(c)), num(c.gap)];
    return [
      el('tr', { class: `who${look}` }, el('td', { colspan: '4' }, name,
        el('span', { class: 'does' }, el('span', { class: `dot ${STATE_NAMES[c.state]}` }), stateOf(c)), plot)),
      el('tr', { class: `what${look}` }, ...cells.map((text) => el('td', { class: 'num' }, text)))];
  }
}

const FACTS: [string, string, (v: number) => string][] = [
  ['wall_seconds', 'Wall time', seconds],
  ['residual_max', 'Worst residual', (v) => num(v, 3)],
  ['motion_error_max', 'Worst motion error', (v) => num(v, 3)],
  ['islands_by_motion', 'Islands solved by motion', (v) => num(v, 6)],
  ['penetration_max', 'Worst penetration', (v) => `${num(v, 3)} m`],
  ['contacts_max', 'Most contacts', String],
  ['iterations', 'Solver iterations', String],
  ['splits', 'Split steps', String],
  ['marked', 'Steps not certified', String],
  ['energy_initial', 'Energy at the start', (v) => `${num(v)} J`],
  ['energy_final', 'Energy at the end', (v) => `${num(v)} J`],
  ['dissipated', 'Dissipated', (v) => `${num(v)} J`],
  ['applied', 'Applied by forces', (v) => `${num(v)} J`],
  ['driven', 'Put in by drives', (v) => `${num(v)} J`],
  ['restitution', 'By restitution', (v) => `${num(v)} J`],
  ['corrections', 'By corrections', (v) => `${num(v)} J`],
  ['integration', 'By the integration', (v) => `${num(v)} J`],
  ['joint_error_max', 'Widest joint', (v) => `${num(v, 3)} m`],
];

export function stepsSolved(run: Run): { solved: number; steps: number } {
  let solved = 0;
  for (let k = 1; k < run.count; k++) if (run.steps.outcome[k] === 0 && (run.steps.flags[k] & 1) === 0) solved++;
  return { solved, steps: run.count - 1 };
}

function factRows(run: Run): [string, string][] {
  const h = run.header;
  const rows: [string, string][] = [['Scene', h.scene.name || h.scene.path || '–']];
  if (h.scene.path) rows.push(['File', h.scene.path]);
  rows.push(['Model', Object.entries(h.model).map(([k, v]) => `${k} ${v}`).join(', ')], ['Solver', h.solver]);
  rows.push(['Step', seconds(h.step)], ['Steps', String(Math.max(0, (run.count - 1) * h.every))]);
  if (h.every > 1) rows.push(['Shown', `every ${h.every}th step`]);
  rows.push(['Simulated', `${num(run.duration)} s`]);
  for (const [key, label, print] of FACTS) {
    if (h.facts[key] !== undefined) rows.push([label, print(Number(h.facts[key]))]);
  }
  rows.push(['stickslip', [h.version, h.build].filter(Boolean).join(', ')]);
  return rows;
}

// What a reader must know before trusting a run, told from its data.
function warningsOf(run: Run): string[] {
  const { solved, steps } = stepsSolved(run), list = [...run.header.warnings];
  const marked = (flag: number): number => run.steps.flags.reduce((n, f) => n + ((f & flag) !== 0 ? 1 : 0), 0);
  if (solved < steps) list.push(`${steps - solved} of ${steps} steps are not certified.`);
  if (!run.header.complete) list.push('The run did not reach its end.');
  if (marked(FLAG_NOT_UNIQUE) > 0) list.push(`In ${marked(FLAG_NOT_UNIQUE)} steps forces or motion are not unique: what is shown is one of many solutions.`);
  const held = (hold: number, rest?: boolean): number =>
    run.steps.hold?.reduce((n, f, k) => n + (f === hold && (rest === undefined || run.atRest(k) === rest) ? 1 : 0), 0) ?? 0;
  if (held(HOLD_JAMMED) > 0) list.push(`In ${held(HOLD_JAMMED)} steps bodies are jammed: at rest, contacts bear the load.`);
  if (held(HOLD_WEDGED, true) > 0) list.push(`In ${held(HOLD_WEDGED, true)} steps bodies are wedged: at rest, contacts press against each other.`);
  if (held(HOLD_WEDGED, false) > 0) list.push(`In ${held(HOLD_WEDGED, false)} steps bodies move and can wedge: contacts could press against each other.`);
  list.push(...verdictWarnings(run));
  if (Number(run.header.facts.splits ?? 0) > 0) list.push(`${run.header.facts.splits} steps had to be split.`);
  return list;
}

export function showFacts(host: HTMLElement, run: Run): void {
  const list = el('dl', { class: 'facts' });
  for (const [name, value] of factRows(run)) list.append(el('dt', {}, name), el('dd', {}, value));
  const parts: Node[] = [list];
  const warnings = warningsOf(run);
  if (warnings.length) parts.unshift(el('ul', { class: 'warnings' }, ...warnings.map((w) => el('li', {}, w))));
  for (const [title, text] of [['Scene as written', run.header.scene.text], ['Every number resolved', run.header.scene.resolved]]) {
    if (text) parts.push(el('details', {}, el('summary', {}, title), el('pre', { tabindex: '0' }, text)));
  }
  host.replaceChildren(...parts);
}

export interface Difference { label: string; position: number; time: number; body: string; final: number; energy: number }

// Where two runs are furthest apart, body by body at the times of the first.
export async function difference(a: Run, b: Run): Promise<Difference> {
  const pa = new Poses(a.header.bodies.length), pb = new Poses(b.header.bodies.length);
  const pairs = a.header.bodies.map((body, i) => [i, b.header.bodies.findIndex((o) => o.name === body.name)])
    .filter(([, j]) => j >= 0);
  const out = { label: b.header.label, position: 0, time: 0, body: '–', final: 0, energy: 0 };
  for (let k = 0; k < a.count; k++) {
    const t = a.steps.t[k], m = b.stepAt(t);
    if (t > b.duration + 1e-9) break;
    await Promise.all([a.pose.load(a.pose.chunkOf(k)), b.pose.load(b.pose.chunkOf(m))]);
    pa.read(a, k); pb.read(b, m);
    out.final = 0;
    for (const [i, j] of pairs) {
      const d = Math.hypot(...[0, 1, 2].map((c) => pa.position[3 * i + c] - pb.position[3 * j + c]));
      out.final = Math.max(out.final, d);
      if (d > out.position) { out.position = d; out.time = t; out.body = a.header.bodies[i].name; }
    }
  }
  const energy = (r: Run): number => r.steps.kinetic[r.count - 1] + r.steps.potential[r.count - 1];
  out.energy = energy(b) - energy(a);
  return out;
}

// How the other runs differ from the first: a list each, so that no figure is cut however narrow the page.
export async function showComparison(host: HTMLElement, runs: Run[]): Promise<void> {
  const figures = (r: Run): [string, string][] => [['Worst residual', num(Number(r.header.facts.residual_max), 3)], ['Wall time', seconds(Number(r.header.facts.wall_seconds))]];
  const card = (title: string, rows: [string, string][]): HTMLElement => {
    const list = el('dl', { class: 'facts' });
    for (const [name, value] of rows) list.append(el('dt', {}, name), el('dd', {}, value));
    return el('section', { class: 'card' }, el('h2', {}, title), list);
  };
  host.replaceChildren(el('p', { class: 'note' }, 'Ghosts in the replay, dashes in the plots; distances to the first run.'),
    card(`${runs[0].header.label} (reference)`, figures(runs[0])));
  for (const other of runs.slice(1)) {
    const d = await difference(runs[0], other);
    host.append(card(d.label, [['Largest distance', `${num(d.position)} m, ${d.body} at ${num(d.time)} s`], ['Distance at the end', `${num(d.final)} m`],
      ['Energy at the end', `${num(d.energy)} J more`], ...figures(other)]));
  }
}
