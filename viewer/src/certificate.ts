// SPDX-License-Identifier: Apache-2.0
// The certificates of one step in numbers, for who points at the strip: how it was solved, into how many
// parts it was cut, overlaps and joint openings at its end, and the lines of its energy ledger.
import { el, num } from './dom';
import { CUT, OVERLAP, PURPLE } from './palette';
import { FLAG_MARKED, type Run, type Steps } from './payload';

// Each with its sign in dE = applied + driven + restitution + corrections + integration - dissipated.
const LEDGER = [['applied', 1], ['driven', 1], ['restitution', 1], ['corrections', 1], ['integration', 1], ['dissipated', -1]] as const;

export interface Ledger { lines: { name: string; value: number }[]; change: number; open: number }

// What each line of the ledger says of the step that led to a state; undefined at the start and where a run has no ledger.
export function ledgerOf(s: Steps, step: number): Ledger | undefined {
  if (step === 0 || LEDGER.some(([name]) => s[name] === undefined)) return undefined;
  const since = (column: Float64Array): number => column[step] - column[step - 1];
  const lines = LEDGER.map(([name]) => ({ name, value: since(s[name]!) }));
  const change = since(s.kinetic) + since(s.potential);
  return { lines, change, open: change - LEDGER.reduce((sum, [, sign], i) => sum + sign * lines[i].value, 0) };
}

export function describeStep(run: Run, step: number): HTMLElement {
  const s = run.steps, list = el('dl'), ledger = ledgerOf(s, step), { header } = run;
  const row = (name: string, value: string, colour?: string): void => {
    const mark = el('i', { class: 'swatch' });
    if (colour) mark.style.background = colour;
    list.append(el('dt', {}, mark, name), el('dd', {}, value));
  };
  row('residual', `${num(s.residual[step], 3)} of ${num(header.tolerance, 1)}`, 'var(--accent)');
  if (s.splits) row('splits', s.splits[step] === 0 ? '0' : `${s.splits[step]}: ${s.splits[step] + 1} parts`, CUT);
  row('overlap', `${num(s.penetration[step], 3)} m`, OVERLAP);
  if (s.joint_error && header.joints.length) row('joint opening', `${num(s.joint_error[step], 3)} m`, PURPLE);
  if (ledger) {
    row('energy', `${num(ledger.change)} J`);
    for (const line of ledger.lines) row(line.name, `${num(line.value)} J`);
    row('left open', `${num(ledger.open, 3)} J`);
  }
  const state = (s.flags[step] & FLAG_MARKED) !== 0 ? 'failed' : header.outcomes[s.outcome[step]] ?? '';
  return el('div', { class: 'read-out' }, el('strong', {}, `${num(s.t[step])} s`), el('span', { class: 'state' }, `step ${step * header.every}, ${state}`), list);
}
