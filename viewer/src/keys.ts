// SPDX-License-Identifier: Apache-2.0
// The keyboard. Everything the mouse does has a key or a focusable control.
import type { App } from './app';
import { byId } from './dom';

export const KEYS: [string, string][] = [
  ['Space', 'play or pause'], ['← →', 'one step back or on'], ['Shift ← →', 'ten steps'], ['Home End', 'start or end'],
  ['[ ]', 'slower or faster'], ['L', 'loop'], ['1 2 3 4', 'view: oblique, front, side, top'], ['+ −', 'zoom'],
  ['W A S D', 'turn the camera'], ['F', 'follow the next body'], ['C', 'friction cones'], ['V', 'force arrows'],
  ['B', 'free body: the next one alone'], ['X', 'axes'], ['N', 'normals'], ['J', 'joints'], ['T', 'trails'], ['G', 'ghosts of other runs'], ['P', 'contacts, point by point'],
  ['M', 'light or dark'], ['?', 'this list'],
];

const TURN = 0.12;

function actions(app: App): Record<string, (e: KeyboardEvent) => void> {
  const { player } = app;
  const by = (e: KeyboardEvent): number => (e.shiftKey ? 10 : 1);
  return {
    ' ': () => player.toggle(),
    ArrowLeft: (e) => { player.playing = false; player.seekStep(player.step - by(e)); },
    ArrowRight: (e) => { player.playing = false; player.seekStep(player.step + by(e)); },
    Home: () => player.seekStep(0),
    End: () => player.seekStep(Infinity),
    '[': () => player.faster(-1), ']': () => player.faster(1),
    l: () => { player.loop = !player.loop; player.onChange(); },
    1: () => app.stage?.view('iso'), 2: () => app.stage?.view('front'), 3: () => app.stage?.view('side'), 4: () => app.stage?.view('top'),
    '+': () => app.stage?.zoom(1.2), '=': () => app.stage?.zoom(1.2), '-': () => app.stage?.zoom(1 / 1.2),
    a: () => app.stage?.turn(-TURN, 0), d: () => app.stage?.turn(TURN, 0), w: () => app.stage?.turn(0, TURN), s: () => app.stage?.turn(0, -TURN),
    f: () => app.followNext(), c: () => app.toggleLayer('cones'), v: () => app.toggleLayer('forces'), n: () => app.toggleLayer('normals'),
    b: () => app.freeNext(), x: () => app.toggleLayer('axes'),
    j: () => app.toggleLayer('joints'), t: () => app.toggleLayer('trails'), g: () => app.toggleLayer('ghosts'),
    p: () => app.openTab('contacts'), m: () => app.theme(), '?': () => app.help(),
  };
}

export function listenToKeys(app: App): void {
  const table = actions(app);
  addEventListener('keydown', (e) => {
    const target = e.target as HTMLElement;
    if (e.ctrlKey || e.metaKey || e.altKey || byId<HTMLDialogElement>('help').open) return;
    if (target.getAttribute('role') === 'tab' && (e.key === 'ArrowLeft' || e.key === 'ArrowRight')) {
      app.nextTab(e.key === 'ArrowLeft' ? -1 : 1);
      return;
    }
    const typing = target instanceof HTMLSelectElement || (target instanceof HTMLInputElement && target.id !== 'slider');
    const pressing = e.key === ' ' && (target instanceof HTMLButtonElement || target.tagName === 'SUMMARY');
    const action = table[e.key.length === 1 ? e.key.toLowerCase() : e.key];
    if (!action || typing || pressing) return;
    e.preventDefault();
    action(e);
  });
}
