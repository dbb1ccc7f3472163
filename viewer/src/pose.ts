// SPDX-License-Identifier: Apache-2.0
// Positions and orientations of all bodies at one step, or between two while a slow replay plays.
import type { Chunk, Run } from './payload';

export class Poses {
  readonly position: Float64Array; // (3 x bodies)
  readonly quat: Float64Array;     // (4 x bodies) w first
  constructor(readonly bodies: number) {
    this.position = new Float64Array(3 * bodies);
    this.quat = new Float64Array(4 * bodies);
  }

  // False when the step is not decoded yet; the poses then stay as they are.
  read(run: Run, step: number): boolean {
    const chunk = run.pose.ready(step);
    if (!chunk) return false;
    if (run.header.dimension === 2) this.readPlanar(chunk, step - chunk.first);
    else this.readSpatial(chunk, step - chunk.first);
    return true;
  }

  private readPlanar(chunk: Chunk, row: number): void {
    const n = chunk.rows, p = chunk.fields.position, a = chunk.fields.angle;
    for (let b = 0; b < this.bodies; b++) {
      this.position[3 * b] = p[2 * b * n + row];
      this.position[3 * b + 1] = p[(2 * b + 1) * n + row];
      this.position[3 * b + 2] = 0;
      const half = a[b * n + row] / 2;
      this.quat[4 * b] = Math.cos(half);
      this.quat[4 * b + 1] = 0;
      this.quat[4 * b + 2] = 0;
      this.quat[4 * b + 3] = Math.sin(half);
    }
  }

  private readSpatial(chunk: Chunk, row: number): void {
    const n = chunk.rows, p = chunk.fields.position, q = chunk.fields.quat_wxyz;
    for (let i = 0; i < 3 * this.bodies; i++) this.position[i] = p[i * n + row];
    for (let i = 0; i < 4 * this.bodies; i++) this.quat[i] = q[i * n + row];
  }

  // A share s of the way to `next`: for smooth slow motion only, a paused replay shows steps.
  blend(next: Poses, s: number): void {
    for (let i = 0; i < this.position.length; i++) {
      this.position[i] += s * (next.position[i] - this.position[i]);
    }
    for (let b = 0; b < this.bodies; b++) this.blendQuat(next.quat, 4 * b, s);
  }

  private blendQuat(other: Float64Array, at: number, s: number): void {
    const q = this.quat;
    let dot = 0, norm = 0;
    for (let i = at; i < at + 4; i++) dot += q[i] * other[i];
    const sign = dot < 0 ? -1 : 1;
    for (let i = at; i < at + 4; i++) {
      q[i] += s * (sign * other[i] - q[i]);
      norm += q[i] * q[i];
    }
    norm = 1 / Math.sqrt(norm || 1);
    for (let i = at; i < at + 4; i++) q[i] *= norm;
  }
}

// The world point of a body point.
export function toWorld(poses: Poses, body: number, local: ArrayLike<number>, out: number[]): number[] {
  if (body < 0) { out[0] = local[0]; out[1] = local[1]; out[2] = local[2] ?? 0; return out; }
  const q = poses.quat, k = 4 * body;
  const w = q[k], x = q[k + 1], y = q[k + 2], z = q[k + 3];
  const a = local[0], b = local[1], c = local[2] ?? 0;
  const tx = 2 * (y * c - z * b), ty = 2 * (z * a - x * c), tz = 2 * (x * b - y * a);
  const p = poses.position, j = 3 * body;
  out[0] = p[j] + a + w * tx + y * tz - z * ty;
  out[1] = p[j + 1] + b + w * ty + z * tx - x * tz;
  out[2] = p[j + 2] + c + w * tz + x * ty - y * tx;
  return out;
}

// A vector turned by a unit quaternion, w first.
export function rotate(q: ArrayLike<number>, v: ArrayLike<number>): number[] {
  const [w, x, y, z] = [q[0], q[1], q[2], q[3]];
  const t = [2 * (y * v[2] - z * v[1]), 2 * (z * v[0] - x * v[2]), 2 * (x * v[1] - y * v[0])];
  return [v[0] + w * t[0] + y * t[2] - z * t[1], v[1] + w * t[1] + z * t[0] - x * t[2], v[2] + w * t[2] + x * t[1] - y * t[0]];
}
