// SPDX-License-Identifier: Apache-2.0
// The free-body diagram: everything that acts on one body in a step, each with its name. Weight at the centre
// of mass, what each other body does to it as one force and one moment, reactions of joints, forces of
// the scene, friction at points of support. Forces that are not unique are drawn faint and said to be so.
import * as THREE from 'three';
import { Arrows, type Contact, contactsAt, cross, isUnique, Pool } from './contacts';
import { el, num } from './dom';
import { palette, PURPLE } from './palette';
import { FLAG_NOT_UNIQUE, type Run } from './payload';
import { Poses, toWorld } from './pose';

export type Source = 'weight' | 'contact' | 'joint' | 'force' | 'spring' | 'support';
export interface Acting { source: Source; name: string; point: number[]; force: number[]; torque: number[]; unique: boolean; note: string }

const plus = (a: number[], b: number[], s = 1): number[] => a.map((x, i) => x + s * b[i]);
const size = (a: number[]): number => Math.hypot(a[0], a[1], a[2]);

function weight(run: Run, poses: Poses, body: number): Acting[] {
  const b = run.header.bodies[body], g = run.header.gravity ?? [0, 0, 0];
  const down = [0, 1, 2].map((i) => b.mass * (g[i] ?? 0));
  if (size(down) === 0 || b.type === 'static' || b.type === 'kinematic') return [];
  return [{ source: 'weight', name: 'weight', point: toWorld(poses, body, b.com ?? [0, 0, 0], [0, 0, 0]), force: down, torque: [0, 0, 0], unique: true, note: '' }];
}

// The force of a contact on the second body, and its moment there: torsion and rolling.
function wrench(c: Contact): { force: number[]; torque: number[] } {
  const [n, t, o] = [c.force[0], c.force[1] ?? 0, c.force[2] ?? 0], [spin, rt, ro] = [c.force[3] ?? 0, c.force[4] ?? 0, c.force[5] ?? 0];
  return { force: [0, 1, 2].map((i) => n * c.normal[i] + t * c.t[i] + o * c.o[i]), torque: [0, 1, 2].map((i) => spin * c.normal[i] + rt * c.t[i] + ro * c.o[i]) };
}

// How many contacts stand behind one force, and, where the run says so, what each of them may carry.
function noteOf(list: Contact[]): string {
  const loose = list.filter((c) => isUnique(c) === false);
  const each = loose.length ? `each ${num(Math.min(...loose.map((c) => c.range![0])), 3)} to ${num(Math.max(...loose.map((c) => c.range![1])), 3)} N, not unique` : '';
  return [list.length > 1 ? `${list.length} contacts` : '', each].filter(Boolean).join(', ');
}

// One force for each body that touches it, where the normal forces balance, and the moment that is left there.
function contacts(run: Run, step: number, body: number, unique: boolean): Acting[] {
  const groups = new Map<number, Contact[]>();
  for (const c of contactsAt(run, step)) {
    if (c.state === 0 || (c.bodyA !== body && c.bodyB !== body)) continue;
    const other = c.bodyA === body ? c.bodyB : c.bodyA;
    groups.set(other, [...(groups.get(other) ?? []), c]);
  }
  return Array.from(groups, ([other, list]) => {
    const load = list.reduce((s, c) => s + c.force[0], 0);
    const point = list.reduce((p, c) => plus(p, c.point, load > 0 ? c.force[0] / load : 1 / list.length), [0, 0, 0]);
    let force = [0, 0, 0], torque = [0, 0, 0];
    for (const c of list) {
      const sign = c.bodyB === body ? 1 : -1, w = wrench(c);
      force = plus(force, w.force, sign);
      torque = plus(plus(torque, w.torque, sign), cross(plus(c.point, point, -1), w.force), sign);
    }
    return { source: 'contact' as Source, name: run.header.bodies[other].name, point, force, torque, unique, note: noteOf(list) };
  });
}

function column(table: Run['joints'], step: number, field: string, at: number, count: number): number[] {
  const chunk = table?.ready(step);
  if (!chunk) return new Array<number>(count).fill(0);
  return Array.from({ length: count }, (_, i) => chunk.fields[field][(at + i) * chunk.rows + step - chunk.first]);
}

function joints(run: Run, step: number, poses: Poses, body: number, unique: boolean): Acting[] {
  return run.header.joints.flatMap((j, i) => {
    if (j.bodies[0] !== body && j.bodies[1] !== body) return [];
    const sign = j.bodies[1] === body ? 1 : -1, w = column(run.joints, step, 'force', 6 * i, 6).map((x) => sign * x);
    const point = toWorld(poses, j.bodies[1] >= 0 ? j.bodies[1] : j.bodies[0], j.bodies[1] >= 0 ? j.anchor_b : j.anchor, [0, 0, 0]);
    return [{ source: 'joint' as Source, name: j.name, point, force: w.slice(0, 3), torque: w.slice(3), unique, note: j.type }];
  });
}

function forces(run: Run, step: number, poses: Poses, body: number): Acting[] {
  return (run.header.forces ?? []).flatMap((f, i) => [0, 1].flatMap((side) => {
    if (f.bodies[side] !== body) return [];
    const w = column(run.forces, step, 'force', 12 * i + 6 * side, 6);
    const point = toWorld(poses, body, side ? f.anchor_b : f.anchor, [0, 0, 0]);
    return [{ source: (f.type === 'spring' || f.type === 'damper' ? 'spring' : 'force') as Source, name: f.name || f.type, point, force: w.slice(0, 3), torque: w.slice(3), unique: true, note: f.type }];
  }));
}

function supports(run: Run, step: number, poses: Poses, body: number): Acting[] {
  let index = 0;
  return run.header.bodies.flatMap((b, i) => (b.support ?? []).flatMap((p, k) => {
    const w = column(run.support, step, 'force', 3 * index++, 3);
    if (i !== body) return [];
    return [{ source: 'support' as Source, name: `support ${k + 1}`, point: toWorld(poses, body, p, [0, 0, 0]), force: [w[0], w[1], 0], torque: [0, 0, 0], unique: true, note: `under ${num(w[2])} N` }];
  }));
}

// Everything that acts on a body in a step.
export function actingOn(run: Run, step: number, poses: Poses, body: number): Acting[] {
  const unique = (run.steps.flags[step] & FLAG_NOT_UNIQUE) === 0;
  return [...weight(run, poses, body), ...contacts(run, step, body, unique), ...joints(run, step, poses, body, unique),
    ...forces(run, step, poses, body), ...supports(run, step, poses, body)];
}

// Three quarters of a ring about z with an arrow head: a moment, by the right hand.
function ringGeometry(): THREE.BufferGeometry {
  const ring = new THREE.TorusGeometry(1, 0.05, 6, 36, 1.5 * Math.PI).toNonIndexed();
  const head = new THREE.ConeGeometry(0.16, 0.4, 12).translate(0, 0.1, 0).rotateZ(Math.PI / 2).rotateZ(-Math.PI / 2 + Math.PI / 2).translate(0, -1, 0).toNonIndexed();
  const flat = [...ring.getAttribute('position').array, ...head.getAttribute('position').array];
  return new THREE.BufferGeometry().setAttribute('position', new THREE.Float32BufferAttribute(flat, 3));
}

const LEAST = 1e-6; // of the largest force of the step: below it nothing is drawn

export class FreeBody {
  readonly group = new THREE.Group();
  readonly labels = el('div', { class: 'labels', 'aria-label': 'Free body', role: 'list' });
  body = -1;
  current: Acting[] = [];
  private sure: Arrows;
  private unsure: Arrows;
  private rings: Pool;

  constructor(private run: Run, private unit: number) {
    this.sure = new Arrows(this.group, 0.03 * unit);
    this.unsure = new Arrows(this.group, 0.03 * unit, 'veil');
    this.rings = new Pool(this.group, ringGeometry(), 'over');
  }

  // All that acts on the body, drawn at `scale` metres per newton.
  update(step: number, poses: Poses, scale: number, longest: number): void {
    this.sure.clear(); this.unsure.clear(); this.rings.clear();
    this.current = this.body < 0 ? [] : actingOn(this.run, step, poses, this.body);
    const most = Math.max(...this.current.map((a) => size(a.force)), 1e-300);
    this.current = this.current.filter((a) => size(a.force) > LEAST * most || size(a.torque) > LEAST * most * this.unit);
    for (const a of this.current) {
      const colour = new THREE.Color(this.colour(a.source)), length = scale * size(a.force);
      const cut = length > longest ? longest / length : 1;
      (a.unique ? this.sure : this.unsure).add(a.point, a.force.map((x) => cut * scale * x), colour);
      if (size(a.torque) > LEAST * most * this.unit) this.ring(a, colour);
    }
    this.sure.done(true); this.unsure.done(true); this.rings.done(true);
  }

  private ring(a: Acting, colour: THREE.Color): void {
    const z = a.torque.map((x) => x / size(a.torque));
    let x = cross(Math.abs(z[2]) < 0.9 ? [0, 0, 1] : [1, 0, 0], z);
    x = x.map((v) => v / size(x));
    const r = 0.45 * this.unit;
    this.rings.add(x, cross(z, x), z, a.point, r, r, r, colour);
  }

  colour(source: Source): string {
    const p = palette();
    return { weight: p.muted, contact: p.accent, joint: PURPLE, force: '#E69F00', spring: p.states[1], support: p.states[2] }[source];
  }

  // Names and sizes beside the tips, moved apart where they would overprint.
  label(project: (p: number[]) => { x: number; y: number }, scale: number, longest: number, width: number, height: number): void {
    const items = this.current.map((a) => {
      const length = scale * size(a.force), cut = length > longest ? longest / length : 1;
      const tip = project(plus(a.point, a.force, cut * scale));
      const parts = [a.name, size(a.force) > 0 ? `${num(size(a.force))} N` : '', size(a.torque) > 1e-12 ? `${num(size(a.torque), 3)} N m` : '', a.note, cut < 1 ? 'arrow cut' : '', a.unique ? '' : 'not unique'];
      return { text: parts.filter(Boolean).join(' · '), at: tip, colour: this.colour(a.source), unique: a.unique };
    }).sort((a, b) => a.at.y - b.at.y);
    let last = -Infinity;
    this.labels.replaceChildren(...items.map(({ text, at, colour, unique }) => {
      const y = Math.max(Math.min(Math.max(at.y - 8, 4), height - 20), last + 17);
      last = y;
      const node = el('span', { role: 'listitem', class: unique ? '' : 'unsure' }, text);
      node.style.cssText = `left: ${Math.min(Math.max(at.x + 8, 4), Math.max(4, width - 7 * text.length))}px; top: ${y}px; border-color: ${colour}`;
      return node;
    }));
  }
}
