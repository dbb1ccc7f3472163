// SPDX-License-Identifier: Apache-2.0
// What was measured beside what was simulated, in a browser: node measured.test.mjs STICKSLIP ARTIFACTS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const [command, artifacts] = process.argv.slice(2);
const folder = join(artifacts, 'measured');
mkdirSync(folder, { recursive: true });
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) {
  console.error('NOT TESTED: no Chromium on this machine (apt install chromium)');
  process.exit(1);
}

// Blocks that slide to rest by the closed form, with a known error in the middle of the first recording.
const MU = 0.2, G = 9.81, ERROR = 0.003;
const path = (v, t) => { const s = Math.min(t, v / (MU * G)); return v * s - 0.5 * MU * G * s * s; };
const times = Array.from({ length: 18 }, (_, i) => 0.05 * i);
const wave = (i, k) => 2e-4 * Math.sin(5 * i + k); // stands for noise
writeFileSync(join(folder, 'box.yaml'), `dimension: 2
params: {mu: 0.3}
materials: {default: {friction: mu}}
bodies:
  - {name: floor, type: static, shape: {halfplane: {normal: [0, 1]}}}
  - {name: box, type: dynamic, mass: 1, shape: {box: {size: [0.1, 0.05]}}, position: [0, 0.025], velocity: [1.2, 0]}
simulation: {step: 0.0005, duration: 1}
`);
[1.2, 1, 0.8].forEach((v, k) => writeFileSync(join(folder, `hit${k}.csv`),
  ['time,px', ...times.map((t, i) => (i === 4 ? `${t},` : `${t},${path(v, t) + wave(i, k) + (k === 0 && i === 6 ? ERROR : 0)}`))].join('\n')));
writeFileSync(join(folder, 'friction.yaml'), `study: identify
name: three hits
scene: box.yaml
data: {files: [hit0.csv, hit1.csv, hit2.csv], columns: {t: time, box.x: px}}
free: {params.mu: {bounds: [0.05, 1]}}
nuisance: {start: {box: [x, vx]}, offset: {axes: [x], bounds: [0.1, 0.1001, 0.1]}}
folds: 3
confidence: {bootstrap: 20}
models: [{name: coarse, set: {simulation.step: 0.005}}, {name: fine, set: {simulation.step: 0.0025}}]
`);
writeFileSync(join(folder, 'one.yaml'), `study: identify
name: one hit
scene: box.yaml
set: {simulation.step: 0.005}
data: {files: [hit1.csv], columns: {t: time, box.x: px}}
free: {params.mu: {bounds: [0.05, 1]}}
nuisance: {start: {box: [x, vx]}}
noise: {position: 0.0005}
`);
const run = (...args) => execFileSync(command, args, { cwd: folder, encoding: 'utf8' });

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--disable-background-networking', '--disable-component-update'] });
const open = async (file, hash = '', width = 1400) => {
  const page = await browser.newPage({ viewport: { width, height: 850 } });
  page.on('pageerror', (e) => { throw e; });
  page.on('console', (m) => { if (m.type() === 'error') throw new Error(m.text()); });
  await page.goto(`file://${join(folder, file)}${hash}`);
  await page.waitForFunction(() => window.stickslip?.ready && window.stickslip.plots() >= 3, null, { timeout: 60000 });
  return page;
};
let done = 0;
const test = async (name, body) => { await body(); console.log(`ok ${++done} ${name}`); };
const chart = (page, quantity) => page.evaluate((wanted) => {
  const { chart: c } = window.stickslip.charts().find((one) => one.subject.startsWith('body') && one.quantity === wanted);
  return { labels: c.series.map((s) => s.label), data: c.data.map((d) => Array.from(d)) };
}, quantity);

run('run', 'box.yaml', '--set', 'params.mu=0.2', '--measured', 'hit0.csv', '--columns', 't=time,box.x=px', '--report', 'run.html', '--quiet');
const page = await open('run.html', '#t=0.3');

await test('samples are points of the plot of their body, gaps stay gaps', async () => {
  const { labels, data } = await chart(page, 'position');
  assert.deepEqual(labels, ['t', 'x', 'y', 'x, measured']);
  const seen = data[3].filter((v) => v !== null && v !== undefined);
  assert.equal(seen.length, times.length - 1);
  const at = data[0].findIndex((t) => Math.abs(t - 0.3) < 1e-9);
  assert.ok(Math.abs(data[3][at] - path(1.2, 0.3) - wave(6, 0) - ERROR) < 1e-9);
});

await test('the difference is measured less simulated, at the samples', async () => {
  const { labels, data } = await chart(page, 'off');
  assert.deepEqual(labels, ['t', 'x']);
  assert.equal(data[0].length, times.length);
  times.forEach((t, i) => {
    const expected = i === 4 ? null : wave(i, 0) + (i === 6 ? ERROR : 0);
    if (expected === null) assert.equal(data[1][i], null);
    else assert.ok(Math.abs(data[1][i] - expected) < 2e-4, `${t}: ${data[1][i]} for ${expected}`); // the step's own error: v h / 2
  });
});

await test('the ghost is where the body was seen, gone where it was not, and can be hidden', async () => {
  const ghost = async (t) => page.evaluate(async (at) => { await window.stickslip.seek(at); return window.stickslip.stage.measuredPosition(1); }, t);
  const seen = await ghost(0.3);
  assert.ok(Math.abs(seen[0] - path(1.2, 0.3) - wave(6, 0) - ERROR) < 1e-9 && Math.abs(seen[1] - 0.025) < 1e-6);
  const between = await ghost(0.325);
  assert.ok(between[0] > seen[0] && between[0] < path(1.2, 0.35) + ERROR);
  assert.equal(await ghost(0.21), undefined); // one of its two samples is missing
  assert.equal(await ghost(0.95), undefined); // after the last
  await page.screenshot({ path: join(artifacts, 'measured-run.png') });
  await page.evaluate(() => { document.querySelector('.menu').open = true; document.getElementById('layer-measured').click(); });
  assert.equal(await ghost(0.3), undefined);
});
await page.close();

run('identify', 'friction.yaml', '--report', 'id.html', '--quiet');
const found = JSON.parse(run('identify', 'friction.yaml', '--json'));
const id = await open('id.html', '#t=0.2');

await test('values, intervals and scores are those of the command', async () => {
  await id.click('#tab-identified');
  const text = await id.evaluate(() => document.getElementById('identified').textContent);
  const mu = found.models[0].parameters.find((p) => p.name === 'params.mu');
  for (const v of [mu.value, mu.low, mu.high, mu.bootstrap_low]) assert.ok(text.includes(v.toPrecision(4)), `${v} in ${text}`);
  assert.ok(text.includes('coarse') && text.includes('fine') && text.includes('Unseen, less coarse'));
  const cell = await id.evaluate(() => Array.from(document.querySelector('.scores tbody tr').children).map((n) => n.textContent));
  const first = found.models[0].recordings[0];
  assert.equal(Number(cell[1]).toPrecision(2), (1e3 * first.position).toPrecision(2));
  assert.equal(Number(cell[2]).toPrecision(2), (1e3 * first.unseen_position).toPrecision(2));
});

await test('the curve of a value has its maximum at it and covers its interval', async () => {
  const { points, best, interval } = await id.evaluate(() => {
    const svg = document.querySelector('.certainty');
    const at = (n, a) => Number(n.getAttribute(a));
    const box = svg.querySelector('.interval');
    return { points: svg.querySelector('.likelihood').getAttribute('points').split(' ').map((p) => p.split(',').map(Number)),
      best: at(svg.querySelector('.best'), 'x1'), interval: [at(box, 'x'), at(box, 'x') + at(box, 'width')] };
  });
  const top = points.reduce((a, b) => (b[1] < a[1] ? b : a));
  assert.ok(Math.abs(top[0] - best) < 6 && interval[0] < best && interval[1] > best);
  const floor = Math.max(...points.map((p) => p[1])), height = (x) => (floor - points.reduce((a, b) => (Math.abs(b[0] - x) < Math.abs(a[0] - x) ? b : a))[1]) / (floor - top[1]);
  assert.ok(height(interval[0]) < 0.45 && height(interval[0]) > 0.1, `exp(-q^2/2) = 0.26 at the ends for 90 %, is ${height(interval[0])}`);
});

await test('both models run beside the recording, in the frame of the scene', async () => {
  assert.equal(await id.evaluate(() => window.stickslip.runs.length), 2);
  const { labels, data } = await chart(id, 'position');
  assert.deepEqual(labels, ['t', 'x, coarse', 'y, coarse', 'x, fine', 'y, fine', 'x, measured']);
  const seen = data[5].find((v) => v !== null && v !== undefined);
  assert.ok(Math.abs(seen + 0.1) < 2e-4); // the offset of 0.1 is undone
});

await test('another recording is one click away', async () => {
  await Promise.all([id.waitForNavigation(), id.click('[data-recording="2"]')]);
  await id.waitForFunction(() => window.stickslip?.ready);
  assert.equal(await id.evaluate(() => document.getElementById('recording').value), '2');
  const speed = await id.evaluate(() => window.stickslip.runs[0].steps.kinetic[0]);
  assert.ok(Math.abs(speed - 0.5 * 0.8 * 0.8) < 0.02);
});

await id.close();

// One hit, sample by sample: windows, then particles.
for (const [method, file] of [['{name: window, samples: 6}', 'windows.html'], ['{name: particles, particles: 60, kind: rao-blackwell}', 'cloud.html']]) {
  const args = ['identify', 'one.yaml', '--set', `method=${method}`];
  run(...args, '--report', file, '--quiet');
  const { moments, unknowns } = JSON.parse(run(...args, '--json')).models[0];
  const at = unknowns.indexOf('params.mu');
  const over = await open(file);
  await over.click('#tab-identified');
  await test(`${file}: values over time, with interval and cloud`, async () => {
    const seen = await over.evaluate(() => {
      const svg = document.querySelector('.history[data-unknown="params.mu"]');
      const points = (q) => svg.querySelector(q).getAttribute('points').split(' ').map((p) => p.split(',').map(Number));
      return { line: points('.likelihood'), band: points('.interval'), particles: svg.querySelectorAll('.particle').length, label: svg.getAttribute('aria-label') };
    });
    const told = moments.filter((m) => Number.isFinite(m.value[at]));
    assert.equal(seen.line.length, told.length);
    assert.equal(seen.band.length, 2 * told.length);
    assert.equal(seen.particles, moments.reduce((n, m) => n + (m.cloud?.length ?? 0), 0));
    assert.ok(file === 'windows.html' ? seen.particles === 0 : seen.particles > 100);
    assert.ok(seen.label.includes(told[told.length - 1].value[at].toPrecision(4)), seen.label);
    const heights = told.map((_, k) => seen.band[2 * told.length - 1 - k][1] - seen.band[k][1]);
    assert.ok(heights.every((h) => h >= 0) && Math.min(...heights) < 0.5 * Math.max(...heights)); // what is known grows
    await over.screenshot({ path: join(artifacts, `${file}.png`) });
  });
  await over.close();
}

for (const width of [1280, 1400, 1920]) for (const theme of ['light', 'dark']) {
  await test(`${width} ${theme}: nothing is cut`, async () => {
    const one = await open('id.html', `#theme=${theme}&t=0.2`, width);
    await one.click('#tab-identified');
    await one.waitForTimeout(80);
    const cut = await one.evaluate(() => Array.from(document.querySelectorAll('aside td, aside th, aside p, aside h2, aside button'))
      .filter((n) => n.offsetParent && n.scrollWidth > n.clientWidth + 1 && getComputedStyle(n).display !== 'inline').map((n) => n.textContent));
    assert.deepEqual(cut, []);
    const wide = await one.evaluate(() => { const p = document.getElementById('panel-identified'); return p.scrollWidth - p.clientWidth; });
    assert.ok(wide <= 1, `${wide} pixels too wide`);
    await one.screenshot({ path: join(artifacts, `identified-${width}-${theme}.png`) });
    await one.close();
  });
}
await browser.close();
console.log(`${done} tests`);
