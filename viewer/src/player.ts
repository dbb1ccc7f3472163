// SPDX-License-Identifier: Apache-2.0
// The clock of the replay.
import type { Run } from './payload';

export const SPEEDS = [0.01, 0.02, 0.05, 0.1, 0.25, 0.5, 1, 2, 5, 10];

export class Player {
  step = 0;
  t = 0;
  share = 0; // of the way to the next step, while playing
  playing = false;
  loop = true;
  speed = 1;
  onChange: () => void = () => {};

  constructor(private run: Run) {}

  seekStep(step: number): void {
    this.step = Math.max(0, Math.min(this.run.count - 1, Math.round(step)));
    this.t = this.run.steps.t[this.step];
    this.share = 0;
    this.onChange();
  }

  seekTime(t: number): void {
    const s = this.run.steps.t;
    const low = this.run.stepAt(t), high = Math.min(low + 1, this.run.count - 1);
    this.seekStep(s[high] - t < t - s[low] ? high : low);
  }

  toggle(): void {
    this.playing = !this.playing;
    if (this.playing && this.step === this.run.count - 1) this.seekStep(0);
    if (!this.playing) this.seekStep(this.step);
    this.onChange();
  }

  faster(by: number): void {
    const at = SPEEDS.findIndex((s) => s >= this.speed - 1e-12);
    this.speed = SPEEDS[Math.max(0, Math.min(SPEEDS.length - 1, at + by))];
    this.onChange();
  }

  // Advance by wall-clock seconds; true when something moved.
  advance(wall: number): boolean {
    if (!this.playing) return false;
    const end = this.run.duration;
    let t = this.t + wall * this.speed;
    if (t >= end) {
      if (!this.loop) { this.playing = false; this.seekStep(this.run.count - 1); return true; }
      t = end > 0 ? t % end : 0;
    }
    this.t = t;
    this.step = this.run.stepAt(t);
    const s = this.run.steps.t, next = Math.min(this.step + 1, this.run.count - 1);
    this.share = next > this.step ? (t - s[this.step]) / (s[next] - s[this.step]) : 0;
    return true;
  }
}
