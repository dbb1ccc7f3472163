// SPDX-License-Identifier: Apache-2.0
// The report of a study in a real browser: node study.test.mjs STICKSLIP ARTIFACTS.
import assert from 'node:assert/strict';
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [command, artifacts] = process.argv.slice(2);
mkdirSync(artifacts, { recursive: true });
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) {
  console.error('NOT TESTED: no Chromium on this machine (apt install chromium): study reports were not opened in a browser');
  process.exit(1);
}
writeFileSync(join(artifacts, 'box.yaml'), `
dimension: 2
params: {mu: 0.3, v0: 1}
materials: {default: {friction: mu}}
bodies:
  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}}, position: [0, 0.025], velocity: [v0, 0]}
simulation: {step: 0.002, duration: 2}
`);
writeFileSync(join(artifacts, 'study.yaml'), `
study: sweep
name: "boxes <b>&</b> \\"quotes\\""
scene: box.yaml
vary:
  params.v0: {grid: [0.5, 2, 6]}
  bodies.box.mass: {grid: [-1, 3, 5]}
  params.mu: {uniform: [0.2, 0.4]}
trials: 5
stop: "at_rest(0.05)"
measure: {far: "x('box') > 0.4", distance: "x('box')"}
field: {at: [params.v0, bodies.box.mass], velocity: [distance, far]}
`);
execFileSync(command, ['sweep', 'study.yaml', '--report', 'study.html', '--out', 'study.h5', '--json', '--replays', '7'], { cwd: artifacts });
// a browser runs the page's own script, known by its hash, and nothing else
assert.match(readFileSync(join(artifacts, 'study.html'), 'utf8'), /Content-Security-Policy" content="[^"]*script-src 'sha256-[^"]*style-src 'sha256-[^"]*"/);
const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--disable-background-networking'] });
const context = await browser.newContext({ viewport: { width: 1100, height: 1000 }, acceptDownloads: true });
const page = await context.newPage();
const complaints = [];
page.on('console', (m) => { if (m.type() === 'error') complaints.push(m.text()); });
page.on('pageerror', (e) => complaints.push(e.message));
page.on('request', (r) => { if (!/^(file|data|blob):/.test(r.url())) complaints.push(`request: ${r.url()}`); });
await page.goto(`file://${join(artifacts, 'study.html')}`);
assert.equal(await page.textContent('h1'), 'boxes <b>&</b> "quotes"');
assert.equal(await page.locator('#cells rect.pick').count(), 30);
assert.match(await page.textContent('.facts'), /150 trials in 30 cells: 0 done, 90 stopped, 60 failed/);
assert.match(await page.locator('#cells rect[data-cell="29"] title').textContent(), /far 1 \(0\.\d+ to 1, 5 trials\)/);
// a cell whose trials all failed has no value and no colour
assert.equal(await page.locator('#cells rect[data-cell="0"]').getAttribute('fill'), '#ddd');
assert.equal(await page.locator('#tornado rect.rho').count(), 3);
// the field: an arrow for each of the 18 cells with a value, streamlines, what it is as a whole
assert.equal(await page.locator('#field path.arrow').count(), 18);
assert.ok(await page.locator('#field polyline.stream').count() > 0);
assert.match(await page.textContent('#field .facts'), /As a whole: line source, eigenvalues/);
await page.selectOption('#measure', '1');
assert.ok(await page.locator('#histogram rect.bin').count() >= 5);
assert.equal(await page.locator('#scatter circle').count(), 90);
// parallel coordinates: a line for each trial; a brush on an axis keeps those within it, here and in the scatter plot
assert.equal(await page.locator('#parallel polyline.in').count(), 90);
await page.locator('#parallel').scrollIntoViewIfNeeded();
const axis = await page.locator('#parallel rect[data-axis="0"]').boundingBox();
await page.mouse.move(axis.x + axis.width / 2, axis.y + 2);
await page.mouse.down();
await page.mouse.move(axis.x + axis.width / 2, axis.y + axis.height / 2, { steps: 4 });
await page.mouse.up();
assert.equal(await page.locator('#parallel polyline.in').count(), 45);
assert.equal(await page.locator('#scatter circle.out').count(), 45);
assert.match(await page.textContent('#brushed'), /45 of 90 trials/);
await page.screenshot({ path: join(artifacts, 'study.png'), fullPage: true });
await page.locator('#parallel rect[data-axis="0"]').click();
assert.equal(await page.locator('#parallel polyline.out').count(), 0);
// plots and numbers as files
const [svg] = await Promise.all([page.waitForEvent('download'), page.click('#cells button')]);
assert.match(readFileSync(await svg.path(), 'utf8'), /^<svg[^>]*xmlns=/);
const [table] = await Promise.all([page.waitForEvent('download'), page.click('#csv')]);
assert.equal(readFileSync(await table.path(), 'utf8').trim().split('\n').length, 151);
// a replay in the page opens in a tab of its own; another one is told how to get
const [replay] = await Promise.all([context.waitForEvent('page'), page.locator('#replays button').last().click()]);
await replay.waitForSelector('canvas, svg', { timeout: 20000 });
await replay.waitForTimeout(500);
await replay.screenshot({ path: join(artifacts, 'study-replay.png') });
const shown = new Set((await page.locator('#replays button').allTextContents()).map((t) => +t.split(' ')[1]));
const other = [...Array(150).keys()].reverse().find((t) => !shown.has(t));
await page.locator(`#scatter circle[data-trial="${other}"]`).dispatchEvent('click');
assert.match(await page.textContent('#told'), new RegExp(`stickslip sweep study.yaml --trial ${other} --report trial-${other}.html`));
// the same study served: a click on a cell computes the replay of one of its trials, whatever the page holds
const serve = async (...words) => {
  const process = spawn(command, words, { cwd: artifacts, stdio: ['ignore', 'pipe', 'inherit'] });
  const address = await new Promise((found, lost) => {
    let text = '';
    process.stdout.on('data', (piece) => { text += piece; const at = /http:\/\/\S+/.exec(text); if (at) found(at[0]); });
    process.on('exit', () => lost(new Error(`${words.join(' ')} ended`)));
  });
  return { address, end: () => new Promise((done) => { process.removeAllListeners('exit'); process.on('exit', done); process.kill('SIGINT'); }) };
};
const served = await context.newPage();
const view = await serve('view', 'study.yaml', '--no-open');
await served.goto(view.address);
assert.equal(await served.locator('#cells rect.pick').count(), 30);
const [trial] = await Promise.all([context.waitForEvent('page'), served.locator('#cells rect[data-cell="28"]').click()]);
await trial.waitForSelector('canvas', { timeout: 60000 });
assert.equal(trial.url(), `${view.address}trial/140`);
assert.match(await trial.title(), /box|stickslip/);
// a trial whose scene cannot be has no replay, one that does not exist neither
assert.equal((await context.request.get(`${view.address}trial/0`)).status(), 404);
assert.equal((await context.request.get(`${view.address}trial/150`)).status(), 404);
await trial.close();
assert.equal(await view.end(), 0);
// Sobol indices: bars for the first and the total index of every random value
writeFileSync(join(artifacts, 'shares.yaml'), `
study: sweep
name: what the distance depends on
scene: box.yaml
sampling: saltelli
vary:
  params.v0: {uniform: [0.5, 2]}
  params.mu: {uniform: [0.29, 0.31]}
trials: 128
stop: "at_rest(0.05)"
measure: {distance: "x('box')"}
`);
execFileSync(command, ['sweep', 'shares.yaml', '--report', 'shares.html', '--quiet', '--replays', '0'], { cwd: artifacts });
await page.goto(`file://${join(artifacts, 'shares.html')}`);
assert.equal(await page.locator('#sobol rect.first').count(), 2);
assert.equal(await page.locator('#sobol rect.total').count(), 2);
assert.match(await page.locator('#sobol rect.first title').first().textContent(), /^first (0\.9|1\.0)/);
await page.locator('#sobol').screenshot({ path: join(artifacts, 'sobol.png') });
// a map: a click opens a state of the page with all its solutions; served, the very state
execFileSync(command, ['analyze', 'builtin:rod-map', '--map', 'params.x=-3:3:20', '--map', 'params.y=-3:3:20', '--states', '100', '--report', 'states.html', '--quiet'], { cwd: artifacts });
await page.goto(`file://${join(artifacts, 'states.html')}`);
await page.evaluate(() => window.stickslipMap.choose(399));
assert.match(await page.textContent('#state'), /params\.x = 3\n\s+params\.y = 3\n[\s\S]*solution 1 of/);
await page.waitForFunction(() => document.querySelector('#solutions').naturalWidth > 0);
assert.equal(await page.locator('#nearest').count(), 0);
await page.evaluate(() => window.stickslipMap.choose(398));
assert.equal(await page.locator('#nearest').count(), 1);
await page.screenshot({ path: join(artifacts, 'states.png'), fullPage: true });
const states = await serve('analyze', 'builtin:rod-map', '--map', 'params.x=-3:3:20', '--map', 'params.y=-3:3:20', '--view', '--no-open', '--quiet');
await served.goto(states.address);
const panel = await served.locator('canvas').first().boundingBox();
const [state] = await Promise.all([context.waitForEvent('page'), served.mouse.click(panel.x + 0.3 * panel.width, panel.y + 0.3 * panel.height)]);
await state.waitForSelector('svg');
assert.match(state.url(), /state\/\d+$/);
const told = await state.textContent('pre'), cell = Number(/state\/(\d+)$/.exec(state.url())[1]);
assert.ok(told.includes(`params.x = ${String(Number((-3 + 6 * (cell % 20) / 19).toPrecision(9)))}`), told);
assert.equal(await states.end(), 0);
// a design: how the search went, the best ones, all candidates, the trials of the best with replays
writeFileSync(join(artifacts, 'design.yaml'), `
study: design
name: how hard to throw
scene: box.yaml
vary:
  params.v0: {bounds: [0.2, 2, 0.4]}
  params.mu: {uniform: [0.2, 0.4]}
trials: 6
stop: "at_rest(0.05)"
measure: {miss: "abs(x('box') - 0.5)", past: "x('box') > 0.9"}
objective: {minimise: "mean(miss)"}
constraints: ["probability(past) <= 0.5"]
method: {algorithm: cobyla, evaluations: 25, restarts: 2}
`);
execFileSync(command, ['design', 'design.yaml', '--report', 'design.html', '--quiet', '--replays', '3'], { cwd: artifacts });
await page.goto(`file://${join(artifacts, 'design.html')}`);
const tried = await page.locator('#convergence circle.candidate').count();
assert.ok(tried >= 20);
assert.match(await page.textContent('#search'), new RegExp(`^\\d+ candidates, \\d+ keep all constraints; the best is candidate \\d+`));
assert.equal(await page.locator('#convergence polyline.best').count(), 1);
assert.equal(await page.locator('#designs tr.design').count(), 10);
const objectives = (await page.locator('#designs tr.design td:nth-child(2)').allTextContents()).map(Number);
assert.deepEqual(objectives, [...objectives].sort((a, b) => a - b));
assert.equal(await page.locator('#candidates polyline').count(), tried);
assert.equal(await page.locator('#candidates polyline.top').count(), 10);
const [found] = await Promise.all([page.waitForEvent('download'), page.click('#candidates-csv')]);
assert.ok(readFileSync(await found.path(), 'utf8').trim().split('\n').length > tried);
assert.equal(await page.locator('#scatter circle').count(), 6);
await page.screenshot({ path: join(artifacts, 'design.png'), fullPage: true });
const [again] = await Promise.all([context.waitForEvent('page'), page.locator('#replays button').first().click()]);
await again.waitForSelector('canvas, svg', { timeout: 20000 });
// a plan: its actions, the errors of all runs, replays
writeFileSync(join(artifacts, 'fence.yaml'), `
dimension: 2
gravity: [0, 0]
params: {x0: 0, from: -0.3, by: 0.3, begin: 0}
bodies:
  - {name: block, type: dynamic, mass: 1, shape: {box: {size: [0.2, 0.1]}}, position: [x0, 0], support: {points: [[0.05, 0.03], [-0.05, 0.03], [0, -0.03]], friction: 0.3}}
  - {name: fence, type: kinematic, shape: {box: {size: [0.02, 1]}}, motion: {x: "from - 0.01 + by*(t - begin)", y: 0}}
simulation: {step: 0.02, start: begin, duration: 1, model: {inertia: quasistatic}}
`);
writeFileSync(join(artifacts, 'reach.yaml'), `
study: plan
name: push a block to a mark
scene: fence.yaml
seed: 2
vary: {params.x0: {uniform: [-0.05, 0.05]}}
trials: 4
check: 10
actions: {push: {choose: {params.by: {bounds: [0, 0.5]}}, set: {params.from: "x('block') - 0.3", params.begin: time}}}
carry: [block]
length: [1, 5]
measure: {miss: "x('block') - 0.7"}
goal: {miss: 0.001}
method: {samples: 20, width: 6}
`);
execFileSync(command, ['plan', 'reach.yaml', '--report', 'plan.html', '--quiet', '--replays', '2'], { cwd: artifacts });
await page.goto(`file://${join(artifacts, 'plan.html')}`);
assert.match(await page.textContent('#plan'), /^\d actions, found with \d+ simulated; the goal is reached: by 5 of 5 runs, and by 100 % of 10 fresh trials/);
assert.equal(await page.locator('#actions tr.action').count(), Number((await page.textContent('#plan')).split(' ')[0]));
assert.equal(await page.locator('#errors circle.run').count(), 5);
const [runs] = await Promise.all([page.waitForEvent('download'), page.click('#runs-csv')]);
assert.equal(readFileSync(await runs.path(), 'utf8').trim().split('\n').length, 6);
await page.screenshot({ path: join(artifacts, 'plan.png'), fullPage: true });
await page.locator('#errors circle[data-run="2"]').dispatchEvent('click');
assert.match(await page.textContent('#told'), /stickslip plan reach.yaml --follow reach.plan.csv --run 2/);
const [pushed] = await Promise.all([context.waitForEvent('page'), page.locator('#errors circle[data-run="0"]').dispatchEvent('click')]);
await pushed.waitForSelector('canvas, svg', { timeout: 20000 });
assert.deepEqual(complaints, []);
await browser.close();
console.log('ok: the report of a study');
