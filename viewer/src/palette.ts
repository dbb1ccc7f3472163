// SPDX-License-Identifier: Apache-2.0
// Colours. States use the Okabe-Ito set, which people with any colour vision can tell apart; they
// are never the only sign: each state has its own marker too.
export const STATE_NAMES = ['separate', 'stick', 'slip'] as const;
export const STICK = '#009E73';
export const SLIP = '#D55E00';
export const PURPLE = '#CC79A7';
export const CUT = '#E69F00';
export const OVERLAP = '#56B4E9';

export interface Palette {
  background: string; ink: string; muted: string; line: string; accent: string;
  ground: string; fixed: string; moved: string; edge: string; open: string; shadow: number;
  bodies: string[]; states: string[]; series: string[];
}

const BODIES_LIGHT = ['#6f9bc4', '#e3b75b', '#7bb598', '#d18b73', '#a794c2', '#93a3ad', '#d7a4b4', '#84bccb'];
const BODIES_DARK = ['#5f8fbd', '#cfa045', '#649f82', '#bd735b', '#927db3', '#7d8e99', '#c08a9c', '#69a6b7'];

const LIGHT: Palette = {
  background: '#f6f4ef', ink: '#1d1f21', muted: '#6d6b66', line: '#dedad1', accent: '#0072b2',
  ground: '#b9b3a6', fixed: '#c9c4b8', moved: '#a8b0b6', edge: '#2b2d30', open: '#9a968c', shadow: 0.2,
  bodies: BODIES_LIGHT, states: ['#8b877e', STICK, SLIP],
  series: ['#0072b2', '#d55e00', '#009e73', '#cc79a7', '#9a7500', '#3aa0dc', '#5b5b5b'],
};

const DARK: Palette = {
  background: '#15171a', ink: '#e9e6df', muted: '#92969d', line: '#2b2f35', accent: '#56b4e9',
  ground: '#565b63', fixed: '#555a61', moved: '#6d7780', edge: '#0c0d0f', open: '#7b8088', shadow: 0.5,
  bodies: BODIES_DARK, states: ['#8d9299', '#1fc79a', '#ff8a3c'],
  series: ['#56b4e9', '#ff8a3c', '#1fc79a', '#e59cc4', '#f0e442', '#8fa8ff', '#b8b8b8'],
};

// One colour for a state, wherever it turns up by name.
export function colourOf(name: string): string | undefined {
  const at = STATE_NAMES.indexOf(name as typeof STATE_NAMES[number]);
  return at >= 0 ? palette().states[at] : undefined;
}

export function isDark(): boolean { return document.documentElement.dataset.theme === 'dark'; }
export function palette(): Palette { return isDark() ? DARK : LIGHT; }

function stored(): string | null {
  try { return localStorage.getItem('stickslip-theme'); } catch { return null; }
}

// The theme of the address (#theme=dark), else the reader's last choice, else the system's.
export function initialTheme(fromAddress: string | null): void {
  const system = matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
  document.documentElement.dataset.theme = fromAddress ?? stored() ?? system;
}

export function toggleTheme(): void {
  const next = isDark() ? 'light' : 'dark';
  document.documentElement.dataset.theme = next;
  try { localStorage.setItem('stickslip-theme', next); } catch { /* private windows refuse */ }
}
