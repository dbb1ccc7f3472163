// SPDX-License-Identifier: Apache-2.0
// The data of a report: a JSON header and compressed tables, decoded chunk by chunk when needed.
//
// A table has fields; a field is `width` columns of one number type. A chunk of a table holds the
// rows of the steps [first, first + count). Its bytes, after inflating: for each field in order, the
// columns one after the other, every value exclusive-or'ed with the one before it in its column,
// then the bytes of the whole field sorted by significance (all first bytes, all second bytes ...).
import { unzlibSync } from 'fflate';

export type NumberType = 'f64' | 'f32' | 'i32' | 'u8';
export type Column = Float64Array | Float32Array | Int32Array | Uint8Array;

export interface FieldHeader { name: string; type: NumberType; width: number }
export interface ChunkHeader { first: number; count: number; rows: number; blob: number }
export interface TableHeader { fields: FieldHeader[]; chunks: ChunkHeader[] }

export type BodyType = 'static' | 'kinematic' | 'dynamic' | 'particle';
export interface BodyHeader {
  name: string;
  type: BodyType;
  mass: number;
  com?: number[];
  surface_velocity?: number[];
  support?: number[][];
}
export interface GeomHeader {
  body: number;
  type: string;
  position: number[];
  quat: number[];
  normal?: number[];
  offset?: number;
  radius?: number;
  length?: number;
  size?: number[];
  radii?: number[];
  e?: number;
  e1?: number;
  e2?: number;
  vertices?: number[];
  faces?: number[][];
}
export interface JointHeader {
  name: string;
  type: string;
  bodies: [number, number];
  anchor: number[];
  anchor_b: number[];
  axis?: number[];
  coordinates?: number;
}
export interface ForceHeader { name: string; type: string; bodies: [number, number]; anchor: number[]; anchor_b: number[] }
// What was measured of bodies; gaps are null.
export interface Measured { t: number[]; columns: { body: string; coordinate: string; y: (number | null)[] }[] }
export interface IdentifiedParameter {
  name: string; nuisance: boolean; recording: number; determined: string; at_bound: boolean;
  value: number; deviation: number | null; low: number | null; high: number | null;
  bootstrap_low: number | null; bootstrap_high: number | null; step_error?: number | null; bounds: (number | null)[];
  profile: [number, number][]; // value, root of the rise of the cost over the noise
  bootstrap?: { range: [number, number]; counts: number[] };
}
// What was known of the unknowns (names) at a sample: of windows, or of particles, some of which are kept as a cloud, one after the other.
export interface IdentifiedMoment {
  recording: number; samples: number; resampled: boolean; t: number; effective: number | null;
  value: (number | null)[]; low: (number | null)[]; high: (number | null)[]; cloud: (number | null)[];
}
export interface IdentifiedModel {
  name: string; level: number; noise: number; cost: number; samples: number; runs: number;
  parameters: IdentifiedParameter[];
  scores: (number | null)[][]; // (recordings) position, angle, end; the same of recordings that were left out
  history?: { names: string[]; moments: IdentifiedMoment[] };
  warnings: string[];
  compared?: (number | null)[];
}
export interface Identification {
  study: string; folds: number;
  recordings: { name: string; samples: number; fold: number; run: number }[]; // run: the first of its runs, one a model; -1: none
  models: IdentifiedModel[];
}
export interface RunHeader {
  label: string;
  scene: { name: string; path: string; text: string; resolved: string };
  version: string;
  build?: string;
  dimension: 2 | 3;
  gravity?: number[];
  model: Record<string, string>;
  cone_directions: number;
  solver: string;
  outcomes: string[];
  solvers: string[];
  stages: string[];
  tolerance: number;
  step: number;
  steps: number;
  planned: number;
  complete: boolean;
  every: number;
  facts: Record<string, number | string>;
  warnings: string[];
  extent: { low: number[]; high: number[] };
  bodies: BodyHeader[];
  geoms: GeomHeader[];
  joints: JointHeader[];
  forces?: ForceHeader[];
  identities: number[];
  measured?: Measured;
  tables: Record<string, TableHeader>;
}
export interface Header { format: string; version: number; generator: string; runs: RunHeader[]; identification?: Identification }

export interface BlobSource { get(blob: number): Promise<Uint8Array> }

const SIZE: Record<NumberType, number> = { f64: 8, f32: 4, i32: 4, u8: 1 };

function fromBase64(text: string): Uint8Array {
  const native = (Uint8Array as unknown as { fromBase64?: (s: string) => Uint8Array }).fromBase64;
  if (native) return native.call(Uint8Array, text);
  const raw = atob(text);
  const out = new Uint8Array(raw.length);
  for (let i = 0; i < raw.length; i++) out[i] = raw.charCodeAt(i);
  return out;
}

async function inflate(bytes: Uint8Array): Promise<Uint8Array> {
  if (typeof DecompressionStream === 'undefined') return unzlibSync(bytes);
  const plain = new Blob([bytes as BlobPart]).stream().pipeThrough(new DecompressionStream('deflate'));
  return new Uint8Array(await new Response(plain).arrayBuffer());
}

function domReady(): Promise<void> {
  if (document.readyState !== 'loading') return Promise.resolve();
  return new Promise((done) => document.addEventListener('DOMContentLoaded', () => done(), { once: true }));
}

// The blobs that a report carries in itself, as base64 text in inert script elements.
export class PageBlobs implements BlobSource {
  async get(blob: number): Promise<Uint8Array> {
    let node = document.getElementById(`ss-blob-${blob}`);
    if (!node || !node.nextElementSibling) {
      await domReady(); // the element may still be arriving
      node = document.getElementById(`ss-blob-${blob}`);
    }
    if (!node) throw new Error(`this report is cut short: data block ${blob} is missing`);
    return fromBase64(node.textContent ?? '');
  }
}

// The blobs of a simulation that `stickslip view` serves while it runs.
export class ServedBlobs implements BlobSource {
  async get(blob: number): Promise<Uint8Array> {
    const answer = await fetch(`blob/${blob}`);
    if (!answer.ok) throw new Error(`data block ${blob}: ${answer.status} ${answer.statusText}`);
    return new Uint8Array(await answer.arrayBuffer());
  }
}

function unshuffle(bytes: Uint8Array, start: number, n: number, size: number): ArrayBuffer {
  const out = new Uint8Array(n * size);
  for (let j = 0; j < size; j++) {
    const from = start + j * n;
    for (let i = 0, k = j; i < n; i++, k += size) out[k] = bytes[from + i];
  }
  return out.buffer;
}

function undoXor(buffer: ArrayBuffer, rows: number, width: number, size: number): void {
  const words = size === 1 ? new Uint8Array(buffer) : new Uint32Array(buffer);
  const stride = size === 8 ? 2 : 1;
  for (let c = 0; c < width; c++) {
    const first = (c * rows + 1) * stride;
    const last = (c + 1) * rows * stride;
    for (let i = first; i < last; i++) words[i] ^= words[i - stride];
  }
}

function typed(buffer: ArrayBuffer, type: NumberType): Column {
  if (type === 'f64') return new Float64Array(buffer);
  if (type === 'f32') return new Float32Array(buffer);
  return type === 'i32' ? new Int32Array(buffer) : new Uint8Array(buffer);
}

export type Fields = Record<string, Column>;

export function decodeFields(raw: Uint8Array, fields: FieldHeader[], rows: number): Fields {
  const out: Fields = {};
  let at = 0;
  for (const field of fields) {
    const size = SIZE[field.type];
    const n = rows * field.width;
    const buffer = unshuffle(raw, at, n, size);
    undoXor(buffer, rows, field.width, size);
    out[field.name] = typed(buffer, field.type);
    at += n * size;
  }
  return out;
}

export interface Chunk extends ChunkHeader { fields: Fields }

// One table of a run; chunks are decoded when first asked for and kept.
export class Table {
  private decoded = new Map<number, Chunk>();
  private pending = new Map<number, Promise<Chunk>>();

  constructor(public header: TableHeader, private source: BlobSource) {}

  chunkOf(step: number): number {
    const chunks = this.header.chunks;
    let low = 0, high = chunks.length - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (chunks[mid].first <= step) low = mid; else high = mid - 1;
    }
    return low;
  }

  // The chunk that holds a step, if it is decoded already.
  ready(step: number): Chunk | undefined { return this.decoded.get(this.chunkOf(step)); }

  load(index: number): Promise<Chunk> {
    const have = this.decoded.get(index);
    if (have) return Promise.resolve(have);
    let promise = this.pending.get(index);
    if (!promise) {
      promise = this.decode(index);
      this.pending.set(index, promise);
    }
    return promise;
  }

  private async decode(index: number): Promise<Chunk> {
    const head = this.header.chunks[index];
    const raw = await inflate(await this.source.get(head.blob));
    const chunk = { ...head, fields: decodeFields(raw, this.header.fields, head.rows) };
    this.decoded.set(index, chunk);
    this.pending.delete(index);
    return chunk;
  }

  // A live run grows: its last chunk is replaced and new ones follow.
  grow(header: TableHeader): void {
    header.chunks.forEach((chunk, i) => {
      if (this.header.chunks[i]?.rows !== chunk.rows) { this.decoded.delete(i); this.pending.delete(i); }
    });
    this.header = header;
  }

  async all(visit: (chunk: Chunk) => void): Promise<void> {
    for (let i = 0; i < this.header.chunks.length; i++) visit(await this.load(i));
  }

  width(name: string): number {
    return this.header.fields.find((f) => f.name === name)?.width ?? 0;
  }
}

// The scalars of every step, decoded when the page opens.
export interface Steps {
  t: Float64Array; h: Float64Array; kinetic: Float64Array; potential: Float64Array;
  dissipated: Float64Array; residual: Float64Array; penetration: Float64Array;
  contacts: Int32Array; stick: Int32Array; slip: Int32Array; iterations: Int32Array;
  islands: Int32Array; rows: Int32Array; outcome: Uint8Array; solver: Uint8Array; flags: Uint8Array;
  stage_seconds?: Float64Array;
  corrections?: Float64Array; integration?: Float64Array; splits?: Int32Array;
  applied?: Float64Array; driven?: Float64Array; restitution?: Float64Array; joint_error?: Float64Array;
  hold?: Uint8Array; // what the contacts do in models without momentum
  // of the state before the step, where verdicts were asked for (verdicts.ts)
  unique?: Uint8Array; forces_unique?: Uint8Array; stable?: Uint8Array; solutions?: Int32Array; active?: Int32Array;
}
export const HOLD_JAMMED = 3;
export const HOLD_WEDGED = 4;
export const FLAG_MARKED = 1;
export const FLAG_NOT_UNIQUE = 2;
export const FLAG_SPLIT = 4;
export const FLAG_FALLBACK = 8;
export const FLAG_CORNER = 16;

// Kinetic energy below this part of the largest in the run is rounding: speeds of 1e-9 of the fastest.
const REST = 1e-18;

export class Run {
  steps!: Steps;
  firstContact!: Int32Array; // (steps + 1) where the contacts of each step start in the whole run
  readonly pose: Table;
  readonly velocity: Table;
  readonly contacts: Table;
  readonly joints?: Table;
  readonly support?: Table;
  readonly forces?: Table;
  private scalars: Table;
  private kineticOf?: Steps;
  private kineticMost = 0;

  constructor(public header: RunHeader, source: BlobSource) {
    const table = (name: string): Table => new Table(header.tables[name], source);
    this.scalars = table('steps');
    this.pose = table('pose');
    this.velocity = table('velocity');
    this.contacts = table('contacts');
    if (header.tables.joints) this.joints = table('joints');
    if (header.tables.support) this.support = table('support');
    if (header.tables.forces) this.forces = table('forces');
  }

  get count(): number { return this.header.steps; }
  // Energy of the step that led to this state which nothing put in: by corrections and by the time-stepping.
  madeEnergy(step: number): number {
    const { corrections, integration } = this.steps;
    if (step === 0 || !corrections || !integration) return 0;
    return corrections[step] - corrections[step - 1] + integration[step] - integration[step - 1];
  }
  get duration(): number { return this.steps.t[this.count - 1]; }

  async open(): Promise<void> {
    const n = this.count;
    const out: Record<string, Column> = {};
    for (const field of this.scalars.header.fields) {
      const make = { f64: Float64Array, f32: Float32Array, i32: Int32Array, u8: Uint8Array }[field.type];
      out[field.name] = new make(n * field.width);
    }
    await this.scalars.all((chunk) => {
      for (const field of this.scalars.header.fields) {
        for (let c = 0; c < field.width; c++) {
          const part = chunk.fields[field.name].subarray(c * chunk.rows, (c + 1) * chunk.rows);
          (out[field.name] as Float64Array).set(part as Float64Array, c * n + chunk.first);
        }
      }
    });
    this.steps = out as unknown as Steps;
    this.firstContact = new Int32Array(n + 1);
    for (let k = 0; k < n; k++) this.firstContact[k + 1] = this.firstContact[k] + this.steps.contacts[k];
  }

  async grow(header: RunHeader): Promise<void> {
    this.header = header;
    this.scalars.grow(header.tables.steps);
    this.pose.grow(header.tables.pose);
    this.velocity.grow(header.tables.velocity);
    this.contacts.grow(header.tables.contacts);
    this.joints?.grow(header.tables.joints);
    this.support?.grow(header.tables.support);
    this.forces?.grow(header.tables.forces);
    await this.open();
  }

  // The last step that is not after time t.
  stepAt(t: number): number {
    const time = this.steps.t;
    let low = 0, high = this.count - 1;
    while (low < high) {
      const mid = (low + high + 1) >> 1;
      if (time[mid] <= t + 1e-12) low = mid; else high = mid - 1;
    }
    return low;
  }

  // Load what a step needs, and start on what follows it.
  async need(step: number): Promise<void> {
    const tables = [this.pose, this.contacts, this.joints, this.support, this.forces].filter((t): t is Table => t !== undefined);
    await Promise.all(tables.map((table) => table.load(table.chunkOf(step))));
  }

  prefetch(step: number): void {
    for (const table of [this.pose, this.contacts]) {
      const next = table.chunkOf(step) + 1;
      if (next < table.header.chunks.length) void table.load(next);
    }
  }

  // Did nothing move in a step? Models without momentum know rest, and so do those with.
  atRest(step: number): boolean {
    if (this.kineticOf !== this.steps) {
      this.kineticOf = this.steps;
      this.kineticMost = this.steps.kinetic.reduce((a, b) => Math.max(a, b), 0);
    }
    return this.steps.kinetic[step] <= REST * this.kineticMost;
  }

  isReady(step: number): boolean {
    return this.pose.ready(step) !== undefined && this.contacts.ready(step) !== undefined;
  }
}
