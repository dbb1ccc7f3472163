// SPDX-License-Identifier: Apache-2.0
// Small helpers to make elements and to print numbers.
type Child = Node | string;

export function el<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Record<string, string> = {},
  ...children: Child[]): HTMLElementTagNameMap[K] {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  return document.getElementById(id) as T;
}

const MINUS = '\u2212';

// Four significant digits, a true minus sign, powers of ten written out for the very small.
export function num(x: number, digits = 4): string {
  if (!Number.isFinite(x)) return '–';
  if (x === 0) return '0';
  const a = Math.abs(x);
  if (a < 1e-3 || a >= 1e6) {
    const [m, e] = x.toExponential(Math.max(0, digits - 2)).split('e');
    return `${m.replace('-', MINUS)}e${e.replace('+', '').replace('-', MINUS)}`;
  }
  return x.toPrecision(digits).replace('-', MINUS);
}

// Without the zeros that end a decimal fraction.
export function trim(text: string): string {
  return text.includes('.') && !text.includes('e') ? text.replace(/\.?0+$/, '') : text;
}

export function seconds(x: number): string {
  if (x < 1e-3) return `${num(1e6 * x, 3)} µs`;
  if (x < 1) return `${num(1e3 * x, 3)} ms`;
  return x < 120 ? `${num(x, 3)} s` : `${num(x / 60, 3)} min`;
}
