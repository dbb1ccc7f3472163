// SPDX-License-Identifier: Apache-2.0
// The skeleton of the page. Everything in it is reachable with the Tab key, in reading order.
import { byId, el, num, trim } from './dom';
import { KEYS } from './keys';
import type { Header, Run } from './payload';
import { SPEEDS } from './player';
import { isJudged } from './verdicts';

const ICON: Record<string, string> = {
  play: '<path class="when-paused" d="M5 3v12l10-6z"/><path class="when-playing" d="M5 3h3v12H5zM10 3h3v12h-3z"/>',
  back: '<path d="M13 3v12L5 9zM3 3h2v12H3z"/>', forward: '<path d="M5 3v12l8-6zM13 3h2v12h-2z"/>',
  loop: '<path d="M3 8a5 5 0 0 1 9-3l1.5-1.5V8H9l1.8-1.8A3.2 3.2 0 0 0 4.8 8zM15 10a5 5 0 0 1-9 3l-1.500 1.500V10H9l-1.800 1.800A3.200 3.200 0 0 0 13.200 10z"/>',
  theme: '<path d="M9 2a7 7 0 1 0 0 14A7 7 0 0 0 9 2zm0 1.600v10.800a5.400 5.400 0 0 1 0-10.800z"/>',
  help: '<path d="M8 12.500h2v2H8zM9 3c-2.200 0-3.600 1.300-3.700 3.300h2C7.400 5.400 8 4.800 9 4.800s1.600.5 1.600 1.300c0 .8-.4 1.200-1.200 1.800-1 .7-1.400 1.400-1.400 2.700v.5h2v-.4c0-.7.3-1.100 1-1.600 1-.7 1.600-1.500 1.600-2.900C12.600 4.200 11.200 3 9 3z"/>',
};

function iconButton(id: string, label: string, key: string, icon: string, pressed = false): HTMLElement {
  const button = el('button', { id, class: 'icon', 'aria-label': label, title: `${label} (${key})` });
  if (pressed) button.setAttribute('aria-pressed', 'false');
  button.innerHTML = `<svg viewBox="0 0 18 18" aria-hidden="true">${ICON[icon]}</svg>`;
  return button;
}

function modelLine(run: Run): string {
  const h = run.header;
  const cone = h.model.cone ? `${h.model.cone} cone` : '';
  const parts = [h.model.inertia, cone, h.solver, `h\u00a0=\u00a0${trim(num(h.step, 3))}\u00a0s`];
  return parts.filter(Boolean).join(' · ');
}

function head(header: Header, runs: Run[]): HTMLElement {
  const run = runs[0].header;
  return el('header', {},
    el('div', { class: 'titles' }, el('h1', {}, run.scene.name || 'Untitled scene'), el('p', { class: 'sub' }, modelLine(runs[0]))),
    el('span', { id: 'live', class: 'live', role: 'status', hidden: '' }),
    el('span', { id: 'state', class: 'ends' }),
    el('span', { id: 'verdict', class: 'verdict' }),
    el('div', { class: 'tools' }, iconButton('theme', 'Light or dark', 'M', 'theme'), iconButton('help-open', 'Keys', '?', 'help')),
    el('span', { class: 'maker', title: header.generator }, 'stickslip'));
}

function legend(): HTMLElement {
  const item = (state: string, id: string): HTMLElement =>
    el('li', {}, el('span', { class: `dot ${state}` }), `${state} `, el('b', { id }, '0'));
  return el('ul', { class: 'legend', 'aria-label': 'Contacts of this step' }, item('stick', 'n-stick'), item('slip', 'n-slip'), item('separate', 'n-open'));
}

const LAYER_NAMES: [string, string][] = [
  ['points', 'Contact points'], ['forces', 'Forces'], ['cones', 'Friction cones'], ['normals', 'Normals'], ['joints', 'Joints'], ['trails', 'Trails'], ['axes', 'Axes'],
];

function layerMenu(runs: Run[]): HTMLElement {
  const names = LAYER_NAMES.filter(([key]) => key !== 'joints' || runs[0].header.joints.length > 0);
  if (runs.length > 1) names.push(['ghosts', 'Other runs']);
  if (runs[0].header.measured) names.push(['measured', 'Measured bodies']);
  const on = new Set(['points', 'forces', 'cones', 'joints', 'ghosts', 'measured']);
  const rows = names.map(([key, label]) => {
    const box = el('input', { type: 'checkbox', id: `layer-${key}` });
    box.checked = on.has(key);
    return el('label', {}, box, label);
  });
  const follow = el('select', { id: 'follow', 'aria-label': 'Follow a body' }, el('option', { value: '-1' }, 'Follow nothing'));
  runs[0].header.bodies.forEach((b, i) => { if (b.type !== 'static') follow.append(el('option', { value: String(i) }, `Follow ${b.name}`)); });
  const free = el('select', { id: 'free', 'aria-label': 'Free body' }, el('option', { value: '-1' }, 'No free body'));
  runs[0].header.bodies.forEach((b, i) => { if (b.type === 'dynamic' || b.type === 'particle') free.append(el('option', { value: String(i) }, `Free body ${b.name}`)); });
  const scale = el('label', { class: 'scale' }, 'Arrow length', el('input', { id: 'force-scale', type: 'range', min: '-1.5', max: '1.5', step: '0.05', value: '0' }));
  return el('details', { class: 'menu' }, el('summary', {}, 'Show'), el('div', { class: 'menu-box' }, ...rows, scale, follow, free));
}

function viewButtons(runs: Run[]): HTMLElement {
  const names = runs[0].header.dimension === 2 ? [['iso', 'Fit']] : [['iso', 'Oblique'], ['front', 'Front'], ['side', 'Side'], ['top', 'Top']];
  return el('div', { class: 'views', role: 'group', 'aria-label': 'Camera' },
    ...names.map(([key, label], i) => el('button', { id: `view-${key}`, title: `${label} view (${i + 1})` }, label)), layerMenu(runs));
}

function stage(runs: Run[]): HTMLElement {
  const missing = el('div', { id: 'no-webgl', class: 'no-webgl', role: 'alert', hidden: '' },
    el('h2', {}, 'No 3D here'),
    el('p', {}, 'This browser offers no WebGL 2, so the replay cannot be drawn. Plots, the certificate strip and the tables work as usual. Switching on hardware acceleration, or another browser, brings the replay back.'));
  return el('div', { id: 'stage', class: 'stage', 'aria-label': 'Replay' }, missing,
    el('div', { class: 'corner top-left' }, legend()), el('div', { class: 'corner top-right' }, viewButtons(runs)),
    el('div', { class: 'corner bottom-left' }, el('p', { class: 'clock' }, el('span', { id: 'time' }, '0'), ' s'), el('p', { class: 'of' }, 'step ', el('span', { id: 'step' }, '0')), el('p', { id: 'note', class: 'note', role: 'status' })),
    el('div', { id: 'tip', class: 'tip', hidden: '' }));
}

function transport(runs: Run[]): HTMLElement {
  const speed = el('select', { id: 'speed', 'aria-label': 'Speed' });
  for (const s of SPEEDS) speed.append(el('option', { value: String(s) }, `${s}×`));
  speed.value = '1';
  const slider = el('input', { id: 'slider', type: 'range', min: '0', max: String(runs[0].count - 1), step: '1', value: '0', 'aria-label': 'Time' });
  return el('div', { class: 'transport' },
    el('div', { class: 'buttons' }, iconButton('back', 'One step back', '←', 'back'), iconButton('play', 'Play', 'Space', 'play', true),
      iconButton('forward', 'One step on', '→', 'forward'), iconButton('loop', 'Loop', 'L', 'loop', true), speed),
    el('div', { class: isJudged(runs[0]) ? 'track judged' : 'track' },
      el('canvas', { id: 'strip', 'aria-hidden': 'true' }),
      ...(isJudged(runs[0]) ? [el('canvas', { id: 'verdicts', 'aria-hidden': 'true', title: 'The state before every step: is its motion the only one, how many contacts bear forces, are these stable? Green yes, red no, orange undecided, nothing where the theory does not reach' })] : []),
      el('div', { id: 'head', class: 'head', 'aria-hidden': 'true' }), slider, el('div', { id: 'step-tip', class: 'tip', hidden: '' })));
}

function side(header: Header, runs: Run[]): HTMLElement {
  const identified = header.identification !== undefined;
  const names = [['plots', 'Plots'], ...(identified ? [['identified', 'Identified']] : []), ['contacts', 'Contacts'], ...(runs.length > 1 ? [['compare', 'Compare']] : []), ['facts', 'Facts']];
  const tabs = names.map(([key, label], i) => el('button', {
    id: `tab-${key}`, role: 'tab', 'aria-controls': `panel-${key}`, 'aria-selected': String(i === 0), tabindex: i === 0 ? '0' : '-1' }, label));
  const panel = (key: string, ...children: Node[]): HTMLElement => {
    const node = el('div', { id: `panel-${key}`, class: 'panel', role: 'tabpanel', 'aria-labelledby': `tab-${key}` }, ...children);
    node.hidden = key !== 'plots';
    return node;
  };
  const panels = [
    panel('plots', el('div', { id: 'plot-list' }), el('button', { id: 'add-plot', class: 'add' }, 'Add a plot'),
      el('p', { class: 'note' }, 'Click: go there. Drag: zoom in time. Double click: all of it.')),
    ...(identified ? [panel('identified', el('div', { id: 'identified' }))] : []),
    panel('contacts', el('div', { id: 'contact-table' })),
    ...(runs.length > 1 ? [panel('compare', el('div', { id: 'comparison' }))] : []),
    panel('facts', el('div', { id: 'facts' })),
  ];
  return el('aside', {}, el('div', { class: 'tabs', role: 'tablist', 'aria-label': 'Details' }, ...tabs), ...panels);
}

function helpDialog(): HTMLElement {
  const list = el('dl');
  for (const [key, text] of KEYS) list.append(el('dt', {}, key), el('dd', {}, text));
  const dialog = el('dialog', { id: 'help', 'aria-label': 'Keys' }, el('h2', {}, 'Keys'), list,
    el('form', { method: 'dialog' }, el('button', {}, 'Close')));
  return dialog;
}

export function layout(header: Header, runs: Run[]): void {
  document.title = `${runs[0].header.scene.name || 'stickslip'} – stickslip`;
  byId('app').replaceChildren(head(header, runs), el('main', {}, stage(runs), transport(runs)), side(header, runs), helpDialog());
}
