// SPDX-License-Identifier: Apache-2.0
// The running page: what a reader can do, and what happens each frame.
import { describeStep } from './certificate';
import { contactsAt, type Layers, stateOf } from './contacts';
import { byId, el, num } from './dom';
import { chosenRecording, showIdentified } from './identified';
import { KEYS, listenToKeys } from './keys';
import { layout } from './layout';
import { STATE_NAMES, toggleTheme } from './palette';
import { FLAG_CORNER, FLAG_FALLBACK, FLAG_MARKED, FLAG_NOT_UNIQUE, FLAG_SPLIT, HOLD_JAMMED, HOLD_WEDGED, type Header, type Run } from './payload';
import { ContactTable, describeContact, describeJoint, showComparison, showFacts, stepsSolved } from './panels';
import { Player, SPEEDS } from './player';
import { Plots } from './plots';
import { Stage, type View, webglWorks } from './stage';
import { Strip } from './strip';
import { isJudged, verdictText, VerdictStrip } from './verdicts';

const TABS = ['plots', 'identified', 'contacts', 'compare', 'facts'] as const;
type Tab = typeof TABS[number];

export class App {
  readonly player: Player;
  readonly stage?: Stage;
  readonly plots: Plots;
  private strip: Strip;
  private verdicts?: VerdictStrip;
  private table: ContactTable;
  private lastFrame = 0;
  private lastShown = -1;
  private highlight = -1;
  private measuring = false;

  constructor(readonly header: Header, readonly runs: Run[], address: URLSearchParams) {
    const run = runs[0];
    layout(header, runs);
    this.player = new Player(run);
    this.player.onChange = () => this.refresh();
    if (webglWorks()) this.stage = new Stage(byId('stage'), runs, () => this.refresh());
    else byId('no-webgl').hidden = false;
    this.strip = new Strip(byId<HTMLCanvasElement>('strip'), run);
    if (isJudged(run)) this.verdicts = new VerdictStrip(byId<HTMLCanvasElement>('verdicts'), run);
    this.plots = new Plots(byId('plot-list'), runs, (t) => this.player.seekTime(t));
    this.table = new ContactTable(byId('contact-table'), run, (id) => this.choose(id), (id) => this.plotContact(id));
    showFacts(byId('facts'), run);
    if (runs.length > 1) void showComparison(byId('comparison'), runs);
    if (header.identification) showIdentified(byId('identified'), header.identification, chosenRecording(header.identification, address));
    this.showVerdict();
    this.connect();
    listenToKeys(this);
    this.applyAddress(address);
    (window as unknown as { stickslip: unknown }).stickslip = this.control();
    performance.mark('stickslip-ready');
    requestAnimationFrame((now) => this.frame(now));
  }

  private applyAddress(address: URLSearchParams): void {
    const view = address.get('view');
    if (view && this.stage) this.stage.view(view as View);
    const layers = address.get('layers');
    if (layers !== null && this.stage) {
      for (const name of Object.keys(this.stage.layers) as (keyof Layers)[]) this.setLayer(name, layers.split(',').includes(name));
    }
    const free = this.runs[0].header.bodies.findIndex((b) => b.name === address.get('free'));
    if (free >= 0) this.freeBody(free);
    const t = this.comeBack() ?? Number(address.get('t') ?? 0);
    void this.runs[0].need(this.runs[0].stepAt(t)).then(() => this.player.seekTime(t));
  }

  // One frame: move the clock, put bodies and marks where they belong, draw if anything changed.
  private frame(now: number): void {
    const wall = Math.min(0.1, (now - this.lastFrame) / 1000);
    this.lastFrame = now;
    if (this.player.advance(wall)) this.update();
    this.stage?.render();
    requestAnimationFrame((next) => this.frame(next));
  }

  // All script work of a frame but the drawing itself.
  update(): void {
    const { step, share, t } = this.player;
    const run = this.runs[0];
    if (!run.isReady(step)) { void run.need(step).then(() => this.refresh()); return; }
    run.prefetch(step);
    const smooth = this.player.playing && share > 0 ? share : 0;
    this.stage?.show(step, smooth, t);
    this.plots.cursor(t, !this.player.playing && !this.measuring);
    this.showTime();
    if (step !== this.lastShown) this.showStep();
  }

  private refresh(): void {
    this.lastShown = -1;
    byId('play').setAttribute('aria-pressed', String(this.player.playing));
    byId('play').setAttribute('aria-label', this.player.playing ? 'Pause' : 'Play');
    byId<HTMLSelectElement>('speed').value = String(this.player.speed);
    byId('loop').setAttribute('aria-pressed', String(this.player.loop));
    this.update();
  }

  private showTime(): void {
    const { t, step } = this.player;
    byId('time').textContent = t.toFixed(this.decimals());
    byId<HTMLInputElement>('slider').value = String(step);
    const share = this.runs[0].duration > 0 ? t / this.runs[0].duration : 0;
    byId('head').style.left = `${100 * share}%`;
  }

  private decimals(): number {
    return Math.max(2, Math.min(6, Math.ceil(-Math.log10(this.runs[0].header.step)) + 1));
  }

  private showStep(): void {
    const run = this.runs[0], { step } = this.player, s = run.steps;
    this.lastShown = step;
    byId('step').textContent = `${step * run.header.every} / ${(run.count - 1) * run.header.every}`;
    byId<HTMLInputElement>('slider').setAttribute('aria-valuetext', `${num(s.t[step])} seconds, step ${step}`);
    byId('n-stick').textContent = String(s.stick[step]);
    byId('n-slip').textContent = String(s.slip[step]);
    byId('n-open').textContent = String(s.contacts[step] - s.stick[step] - s.slip[step]);
    byId('note').textContent = this.noteOf(step);
    if (byId('tab-contacts').getAttribute('aria-selected') === 'true') this.updateTable();
  }

  private noteOf(step: number): string {
    const splits = this.runs[0].steps.splits?.[step] ?? 0;
    const flags = this.runs[0].steps.flags[step], hold = this.runs[0].steps.hold?.[step] ?? 0, parts: string[] = [];
    if (hold === HOLD_JAMMED) parts.push('jammed: at rest, contacts bear the load');
    if (hold === HOLD_WEDGED) parts.push(this.runs[0].atRest(step) ? 'wedged: at rest, contacts press against each other' : 'can wedge: contacts could press against each other');
    const verdict = verdictText(this.runs[0], step);
    if (verdict) parts.push(verdict);
    if (flags & FLAG_NOT_UNIQUE) parts.push('the solution of this step is not unique');
    if (flags & FLAG_SPLIT) parts.push(splits > 0 ? `this step was cut into ${splits + 1} parts` : 'this step was cut');
    if (flags & FLAG_FALLBACK) parts.push('solved by a fall-back');
    if (flags & FLAG_CORNER) parts.push('a corner without a consistent branch');
    if (flags & FLAG_MARKED) parts.push('the certificate of this step failed');
    return parts.join('; ');
  }

  private updateTable(): void {
    this.table.update(this.stage ? this.stage.contacts.current : [], this.highlight);
  }

  choose(identity: number): void {
    this.highlight = identity;
    if (this.stage) this.stage.highlight = identity;
    this.refresh();
  }

  plotContact(identity: number): void {
    this.openTab('plots');
    this.plots.reveal({ subject: `contact:${identity}`, quantity: 'force' });
  }

  private showVerdict(): void {
    const { solved, steps } = stepsSolved(this.runs[0]);
    const h = this.runs[0].header;
    const verdict = byId('verdict');
    const good = solved === steps;
    verdict.className = good ? 'verdict good' : 'verdict bad';
    verdict.textContent = good ? `all ${steps} steps certified` : `${steps - solved} of ${steps} steps not certified`;
    verdict.title = `worst residual ${num(Number(h.facts.residual_max), 3)}, tolerance ${num(h.tolerance, 2)}`;
    byId('state').textContent = h.complete ? '' : `ends early: ${num(this.runs[0].duration)} s of ${num(h.planned * h.step)} s`;
  }

  openTab(tab: Tab): void {
    for (const name of TABS) {
      const button = document.getElementById(`tab-${name}`);
      if (!button) continue;
      button.setAttribute('aria-selected', String(name === tab));
      button.tabIndex = name === tab ? 0 : -1;
      byId(`panel-${name}`).hidden = name !== tab;
    }
    if (tab === 'plots') this.plots.resize();
    if (tab === 'contacts') this.updateTable();
  }

  nextTab(by: number): void {
    const shown = TABS.filter((t) => document.getElementById(`tab-${t}`));
    const at = shown.findIndex((t) => byId(`tab-${t}`).getAttribute('aria-selected') === 'true');
    const next = shown[(at + by + shown.length) % shown.length];
    this.openTab(next);
    byId(`tab-${next}`).focus();
  }

  setLayer(name: keyof Layers, on: boolean): void {
    if (!this.stage) return;
    this.stage.layers[name] = on;
    const box = document.getElementById(`layer-${name}`) as HTMLInputElement | null;
    if (box) box.checked = on;
    this.refresh();
  }

  toggleLayer(name: keyof Layers): void { if (this.stage) this.setLayer(name, !this.stage.layers[name]); }

  theme(): void {
    toggleTheme();
    this.stage?.recolour();
    this.strip.draw();
    this.verdicts?.draw();
    this.plots.reload();
    this.refresh();
  }

  follow(body: number): void {
    this.stage?.followBody(body);
    byId<HTMLSelectElement>('follow').value = String(body);
  }

  freeBody(body: number): void {
    this.stage?.freeBody(body);
    byId<HTMLSelectElement>('free').value = String(body);
    this.refresh();
  }

  freeNext(): void {
    const options = Array.from(byId<HTMLSelectElement>('free').options).map((o) => Number(o.value));
    const at = options.indexOf(this.stage?.free.body ?? -1);
    this.freeBody(options[(at + 1) % options.length]);
  }

  followNext(): void {
    const options = Array.from(byId<HTMLSelectElement>('follow').options).map((o) => Number(o.value));
    const at = options.indexOf(this.stage?.follow ?? -1);
    this.follow(options[(at + 1) % options.length]);
  }

  help(): void {
    const dialog = byId<HTMLDialogElement>('help');
    if (dialog.open) dialog.close(); else dialog.showModal();
  }

  private connect(): void {
    const { player } = this;
    const click = (id: string, action: () => void): void => { byId(id).onclick = action; };
    click('play', () => player.toggle());
    click('back', () => player.seekStep(player.step - 1));
    click('forward', () => player.seekStep(player.step + 1));
    click('loop', () => { player.loop = !player.loop; this.refresh(); });
    click('theme', () => this.theme());
    click('help-open', () => this.help());
    click('add-plot', () => this.plots.add());
    for (const view of ['iso', 'front', 'side', 'top'] as View[]) {
      if (document.getElementById(`view-${view}`)) click(`view-${view}`, () => this.stage?.view(view));
    }
    for (const tab of TABS) if (document.getElementById(`tab-${tab}`)) click(`tab-${tab}`, () => this.openTab(tab));
    byId('slider').oninput = () => { player.playing = false; player.seekStep(Number(byId<HTMLInputElement>('slider').value)); };
    byId('speed').onchange = () => { player.speed = Number(byId<HTMLSelectElement>('speed').value); };
    byId('follow').onchange = () => this.follow(Number(byId<HTMLSelectElement>('follow').value));
    byId('free').onchange = () => this.freeBody(Number(byId<HTMLSelectElement>('free').value));
    byId('force-scale').oninput = () => {
      this.stage?.setForceScale(Math.pow(10, Number(byId<HTMLInputElement>('force-scale').value)));
      this.refresh();
    };
    for (const name of Object.keys(this.stage?.layers ?? {}) as (keyof Layers)[]) {
      const box = document.getElementById(`layer-${name}`) as HTMLInputElement | null;
      if (box) box.onchange = () => this.setLayer(name, box.checked);
    }
    this.connectPointer();
    this.connectStrip();
    addEventListener('resize', () => this.refresh());
  }

  // Reading a contact, or a body, by pointing at it.
  private connectPointer(): void {
    if (!this.stage) return;
    const stage = this.stage, tip = byId('tip'), host = byId('stage');
    stage.canvas.addEventListener('pointermove', (e) => {
      const r = host.getBoundingClientRect(), x = e.clientX - r.left, y = e.clientY - r.top;
      const contact = e.buttons === 0 || e.pointerType === 'touch' ? stage.pickContact(x, y) : undefined;
      const joint = contact || e.buttons ? -1 : stage.pickJoint(x, y);
      const body = contact || joint >= 0 || e.buttons ? -1 : stage.pickBody(x, y);
      tip.hidden = !contact && joint < 0 && body < 0;
      if (tip.hidden) return;
      tip.replaceChildren(contact ? describeContact(this.runs[0], contact)
        : joint >= 0 ? describeJoint(this.runs[0], this.player.step, joint) : this.describeBody(body));
      tip.style.left = `${Math.min(x + 14, host.clientWidth - tip.offsetWidth - 8)}px`;
      tip.style.top = `${Math.min(y + 14, host.clientHeight - tip.offsetHeight - 8)}px`;
    });
    stage.canvas.addEventListener('pointerleave', () => { tip.hidden = true; });
    stage.canvas.addEventListener('click', (e) => {
      const r = host.getBoundingClientRect();
      const contact = stage.pickContact(e.clientX - r.left, e.clientY - r.top);
      if (contact) this.choose(contact.identity === this.highlight ? -1 : contact.identity);
    });
  }

  // Reading the certificates of a step by pointing at the strip.
  private connectStrip(): void {
    const slider = byId('slider'), tip = byId('step-tip');
    slider.addEventListener('pointermove', (e) => {
      const r = slider.getBoundingClientRect(), x = e.clientX - r.left;
      tip.hidden = false;
      tip.replaceChildren(describeStep(this.runs[0], this.strip.stepAt(x / r.width)));
      tip.style.left = `${Math.max(0, Math.min(x + 14, r.width - tip.offsetWidth))}px`;
    });
    slider.addEventListener('pointerleave', () => { tip.hidden = true; });
  }

  private describeBody(body: number): HTMLElement {
    const b = this.runs[0].header.bodies[body], p = this.stage!.bodyPosition(body);
    const list = el('dl', {}, el('dt', {}, b.type), el('dd', {}, b.mass > 0 && b.type !== 'static' ? `${num(b.mass)} kg` : ''));
    list.append(el('dt', {}, 'position'), el('dd', {}, p.slice(0, this.runs[0].header.dimension).map((x) => num(x)).join(', ')));
    return el('div', { class: 'read-out' }, el('strong', {}, b.name), list);
  }

  // The scene has changed and was computed again: load the page anew, with the same view and time.
  private startOver(): void {
    const at = this.stage?.standpoint(), place = { t: this.player.t, at };
    try { sessionStorage.setItem('stickslip-place', JSON.stringify(place)); } catch { /* private windows refuse */ }
    location.reload();
  }

  private comeBack(): number | undefined {
    try {
      const text = sessionStorage.getItem('stickslip-place');
      sessionStorage.removeItem('stickslip-place');
      if (text === null) return undefined;
      const place = JSON.parse(text) as { t: number; at?: number[] };
      if (place.at) this.stage?.standAt(place.at);
      return place.t;
    } catch { return undefined; }
  }

  // A served run that is still being computed: ask for more and follow its end. One whose scene is watched may begin anew.
  watch(): void {
    const bar = byId('live');
    let number: string | null | undefined;
    const ask = async (): Promise<void> => {
      const answer = await fetch('header.json', { cache: 'no-store' }).catch(() => undefined);
      if (!answer?.ok) { bar.textContent = 'the server has stopped'; return; }
      const watched = answer.headers.get('X-Run');
      if (number !== undefined && watched !== number) { this.startOver(); return; }
      number = watched;
      const header = (await answer.json()) as Header, next = header.runs[0], run = this.runs[0];
      const atEnd = this.player.step >= run.count - 1;
      if (next.steps !== run.count || next.complete !== run.header.complete) {
        await run.grow(next);
        this.grown(atEnd);
      }
      bar.hidden = next.complete;
      bar.textContent = `computing: ${Math.round((100 * (next.steps - 1)) / Math.max(1, next.planned))} %`;
      if (!next.complete || watched !== null) setTimeout(() => void ask(), 1000);
    };
    void ask();
  }

  private grown(atEnd: boolean): void {
    const run = this.runs[0];
    byId<HTMLInputElement>('slider').max = String(run.count - 1);
    this.strip.draw();
    this.verdicts?.draw();
    this.plots.reload();
    showFacts(byId('facts'), run);
    this.showVerdict();
    if (atEnd && !this.player.playing) void run.need(run.count - 1).then(() => this.player.seekStep(run.count - 1));
  }

  // What tests, pictures and videos use to drive the page.
  private control(): Record<string, unknown> {
    const run = this.runs[0];
    return {
      ready: true, runs: this.runs, player: this.player, stage: this.stage, keys: KEYS, speeds: SPEEDS, states: STATE_NAMES,
      seek: async (t: number) => { await run.need(run.stepAt(t)); this.player.playing = false; this.player.seekTime(t); this.stage?.render(); },
      seekStep: async (k: number) => { await run.need(k); this.player.playing = false; this.player.seekStep(k); this.stage?.render(); },
      plots: () => this.plots.count(), charts: () => this.plots.charts(), stateOf, contactsAt: (k: number) => contactsAt(run, k),
      measure: (frames: number) => this.measure(frames),
    };
  }

  // Milliseconds of script per frame of a replay that runs through all steps, drawing left out.
  private async measure(frames: number): Promise<{ mean: number; worst: number }> {
    const run = this.runs[0];
    for (let k = 0; k < run.count; k += 64) await run.need(k);
    let total = 0, worst = 0;
    this.measuring = true;
    for (let i = 0; i < frames; i++) {
      const start = performance.now();
      this.player.step = Math.floor((i * (run.count - 1)) / frames);
      this.player.t = run.steps.t[this.player.step];
      this.update();
      const took = performance.now() - start;
      total += took;
      worst = Math.max(worst, took);
    }
    this.measuring = false;
    return { mean: total / frames, worst };
  }
}
