// SPDX-License-Identifier: Apache-2.0
// No number and no arrow of the page misleads: node clear.test.mjs STICKSLIP ARTIFACTS. Every check runs at three
// widths, light and dark; a screenshot of each stays in ARTIFACTS.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { chromium } from 'playwright-core';

const [command, artifacts] = process.argv.slice(2);
const here = dirname(fileURLToPath(import.meta.url));
mkdirSync(artifacts, { recursive: true });
const executablePath = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync);
if (!executablePath) {
  console.error('NOT TESTED: no Chromium on this machine (apt install chromium)');
  process.exit(1);
}
const report = (name, ...args) => {
  const out = join(artifacts, `${name}.html`);
  execFileSync(command, ['run', ...args, '--report', out, '--quiet', '--json'], { encoding: 'utf8' });
  return out;
};
const clear = report('clear', join(here, 'clear.yaml'), '--ranges');
const peg = report('clear-peg', 'builtin:peg-in-hole', '--set', 'params.tilt=0.045', '--set', 'params.direction=1.2');
const both = report('clear-compare', 'builtin:slope', '--duration', '0.2', '--compare', 'cone=polygon:8');

const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--enable-unsafe-swiftshader', '--use-angle=swiftshader', '--disable-background-networking', '--disable-component-update'] });
const open = async (file, hash = '') => {
  const page = await browser.newPage({ viewport: { width: 1400, height: 800 } });
  page.on('pageerror', (e) => { throw e; });
  await page.goto(`file://${file}${hash}`);
  await page.waitForFunction(() => window.stickslip?.ready, null, { timeout: 60000 });
  return page;
};
let done = 0;
const test = async (name, body) => { await body(); console.log(`ok ${++done} ${name}`); };

// Text that needs more room than it has, in everything that is shown.
const cutTexts = (page) => page.evaluate(() => Array.from(document.querySelectorAll('aside td, aside th, aside dd, aside dt, aside button, aside select, aside .unit'))
  .filter((n) => n.offsetParent && n.scrollWidth > n.clientWidth + 1 && getComputedStyle(n).display !== 'inline').map((n) => n.textContent));
const outside = (page) => page.evaluate(() => Array.from(document.querySelectorAll('aside .panel')).filter((p) => !p.hidden && p.scrollWidth > p.clientWidth + 1)
  .map((p) => `${p.id}: ${Array.from(p.querySelectorAll('*')).filter((n) => n.getBoundingClientRect().right > p.getBoundingClientRect().right - 1).map((n) => n.className || n.tagName).slice(0, 6)}`));

const page = await open(clear, '#t=0.4');
await page.waitForFunction(() => window.stickslip.plots() >= 4 && window.stickslip.player.step > 0);
await test('on a phone and a tablet nothing is wider than the window, wherever the replay is', async () => {
  for (const width of [320, 390, 768]) for (const share of [0.5, 1]) {
    await page.setViewportSize({ width, height: 800 });
    await page.evaluate((part) => window.stickslip.player.seekTime(part * window.stickslip.player.run.duration), share);
    await page.waitForFunction(() => document.documentElement.scrollWidth <= window.innerWidth, null, { timeout: 10000 }).catch(() => 0);
    const wide = await page.evaluate(() => [document.documentElement.scrollWidth, window.innerWidth]);
    assert.ok(wide[0] <= wide[1], `${width}, ${share}: ${wide}`);
  }
});

const SIZES = [1280, 1400, 1920], THEMES = ['light', 'dark'];
for (const theme of THEMES) for (const width of SIZES) {
  await page.setViewportSize({ width, height: 800 });
  if (await page.evaluate(() => document.documentElement.dataset.theme) !== theme) await page.keyboard.press('m');
  await page.waitForTimeout(250);
  const where = `${width} ${theme}`;

  await test(`${where}: nothing is cut, in any tab`, async () => {
    for (const tab of ['contacts', 'facts', 'plots']) {
      await page.click(`#tab-${tab}`);
      await page.waitForTimeout(60);
      assert.deepEqual(await outside(page), [], tab);
      assert.deepEqual(await cutTexts(page), [], tab);
    }
    await page.click('#tab-contacts');
    await page.screenshot({ path: join(artifacts, `clear-contacts-${width}-${theme}.png`) });
    await page.click('#tab-plots');
  });

  await test(`${where}: one colour for stick and slip`, async () => {
    const colours = await page.evaluate(async () => {
      const select = document.querySelectorAll('.plot-head select')[1];
      select.value = 'contacts'; select.dispatchEvent(new Event('change'));
      await new Promise((r) => setTimeout(r, 200));
      const { chart } = window.stickslip.charts().find((c) => c.quantity === 'contacts');
      const rgb = (text) => { const n = document.createElement('span'); n.style.color = text; document.body.append(n); const c = getComputedStyle(n).color; n.remove(); return c; };
      const out = {};
      for (const name of ['stick', 'slip']) {
        const s = chart.series.find((one) => one.label === name);
        out[name] = [rgb(typeof s.stroke === 'function' ? s.stroke() : s.stroke), getComputedStyle(document.querySelector(`.legend .dot.${name}`)).backgroundColor];
      }
      select.value = 'energy'; select.dispatchEvent(new Event('change'));
      return out;
    });
    assert.equal(colours.stick[0], colours.stick[1]);
    assert.equal(colours.slip[0], colours.slip[1]);
    assert.notEqual(colours.stick[0], colours.slip[0]);
  });

  await test(`${where}: units stand beside the plot, ticks have room`, async () => {
    const seen = await page.evaluate(() => window.stickslip.charts().map(({ chart }) => ({ label: chart.axes[1].label, size: chart.axes[1]._size, longest: Math.max(...chart.axes[1]._values.map((v) => String(v ?? '').length)) })));
    for (const one of seen) { assert.ok(!one.label); assert.ok(one.size >= 6 * one.longest, JSON.stringify(one)); }
    assert.ok((await page.locator('.plot .unit').allTextContents()).includes('m/s'));
  });

  await test(`${where}: free body with names, sizes and a scale`, async () => {
    await page.evaluate(() => { document.getElementById('free').value = '1'; document.getElementById('free').dispatchEvent(new Event('change')); });
    await page.waitForFunction(() => document.querySelectorAll('.labels span').length === 3);
    const labels = await page.locator('.labels span').allTextContents();
    for (const want of [/^weight · 10\.00 N/, /^floor · 11\.18 N/, /^push · 5\.000 N/]) assert.ok(labels.some((l) => want.test(l)), `${want}: ${labels}`);
    await page.evaluate(() => window.stickslip.stage.freeBody(2)); // at rest on four corners: nobody knows how the load is shared
    await page.evaluate(() => window.stickslip.seek(0.4));
    const loose = await page.locator('.labels span').allTextContents();
    assert.ok(loose.some((l) => /4 contacts, each 0 to 5\.00 N, not unique/.test(l)), `ranges: ${loose}`);
    await page.evaluate(() => window.stickslip.stage.freeBody(1));
    await page.evaluate(() => window.stickslip.seek(0.4));
    const boxes = await page.evaluate(() => Array.from(document.querySelectorAll('.labels span')).map((n) => { const r = n.getBoundingClientRect(); return [r.top, r.bottom, r.left, r.right]; }));
    boxes.sort((a, b) => a[0] - b[0]);
    for (let i = 1; i < boxes.length; i++) assert.ok(boxes[i][0] >= boxes[i - 1][1] - 2, 'labels overprint');
    const bars = await page.locator('.scale-bars .bar').allTextContents();
    assert.ok(bars.some((b) => / N$/.test(b)) && bars.some((b) => / m$/.test(b)), String(bars));
    assert.match(await page.textContent('.scale-bars'), /grid [\d.]+ m/);
    await page.keyboard.press('x');
    await page.screenshot({ path: join(artifacts, `clear-free-${width}-${theme}.png`) });
    await page.keyboard.press('x');
    await page.evaluate(() => { document.getElementById('free').value = '-1'; document.getElementById('free').dispatchEvent(new Event('change')); });
  });
}

await test('slip only where something slips; friction used up at rest is at its limit', async () => {
  const seen = await page.evaluate(async () => {
    const s = window.stickslip, out = { wrong: 0, limit: 0, slip: 0 };
    for (let k = 1; k < s.runs[0].count; k++) {
      await s.runs[0].need(k);
      for (const c of s.contactsAt(k)) {
        const name = s.stateOf(c), speed = Math.hypot(c.slip[1], c.slip[2]);
        if (name === 'slip') { out.slip++; if (speed < 1e-6) out.wrong++; }
        if (name === 'at limit') { out.limit++; if (speed > 1e-6) out.wrong++; }
      }
    }
    return out;
  });
  assert.equal(seen.wrong, 0);
  assert.ok(seen.limit > 50 && seen.slip > 50, JSON.stringify(seen));
});

await test('gap and penetration are of the same instant', async () => {
  const apart = await page.evaluate(async () => {
    const s = window.stickslip; let worst = 0;
    for (let k = 1; k + 1 < s.runs[0].count; k++) {
      await s.runs[0].need(k); await s.runs[0].need(k + 1);
      const deepest = Math.max(0, ...s.contactsAt(k).map((c) => -c.gap));
      worst = Math.max(worst, deepest - s.runs[0].steps.penetration[k]);
    }
    return worst;
  });
  assert.ok(apart < 1e-9, `a gap is ${apart} m deeper than the deepest overlap`);
});

await test('speeds are of the centre of mass', async () => {
  const vx = await page.evaluate(async () => {
    const s = window.stickslip, body = s.runs[0].header.bodies.findIndex((b) => b.name === 'bracket');
    const select = document.querySelectorAll('.plot-head select')[0];
    select.value = `body:${body}`; select.dispatchEvent(new Event('change'));
    const quantity = document.querySelectorAll('.plot-head select')[1];
    quantity.value = 'velocity'; quantity.dispatchEvent(new Event('change'));
    await new Promise((r) => setTimeout(r, 400));
    const { chart } = s.charts().find((c) => c.subject === `body:${body}`);
    return Array.from(chart.data[1]).slice(0, 60);
  });
  for (const v of vx) assert.ok(Math.abs(v - vx[0]) < 1e-9, `in flight the centre of mass keeps its speed: ${v}, ${vx[0]}`);
});

await test('plots start with something, noise is not full height, one impact does not flatten the rest', async () => {
  const seen = await page.evaluate(async () => {
    const s = window.stickslip, run = s.runs[0];
    const contact = s.charts().find((c) => c.subject.startsWith('contact'));
    const first = Math.max(...Array.from(contact.chart.data[1]).map((v) => v ?? 0));
    const pick = async (subject, quantity) => {
      const [a, b] = document.querySelectorAll('.plot-head select');
      a.value = subject; a.dispatchEvent(new Event('change'));
      const q = document.querySelectorAll('.plot-head select')[1];
      q.value = quantity; q.dispatchEvent(new Event('change'));
      await new Promise((r) => setTimeout(r, 400));
      const { chart } = s.charts().find((c) => c.subject === subject && c.quantity === quantity);
      return { low: chart.scales.y.min, high: chart.scales.y.max, most: Math.max(...Array.from(chart.data[1]).map((v) => v ?? -Infinity)), note: document.querySelector('.plot .peak').textContent, shown: !document.querySelector('.plot .peak').hidden };
    };
    const of = (name) => { for (let i = 0; i < run.header.identities.length / 4; i++) if (run.header.bodies[run.header.geoms[run.header.identities[4 * i + 2]].body].name === name || run.header.bodies[run.header.geoms[run.header.identities[4 * i]].body].name === name) return `contact:${i}`; };
    return { first, still: await pick(of('crate'), 'slip'), hit: await pick(of('ball'), 'force') };
  });
  assert.ok(seen.first > 1, 'the first contact that is plotted bears something');
  assert.ok(seen.still.high - seen.still.low > 1e-9, `noise fills the plot: ${JSON.stringify(seen.still)}`);
  assert.ok(seen.hit.high < 0.3 * seen.hit.most && seen.hit.shown && /peak/.test(seen.hit.note), JSON.stringify(seen.hit));
});

await test('joints have tooltips', async () => {
  const place = await page.evaluate(async () => { const s = window.stickslip; await s.seek(0.3); const p = s.stage.project(s.stage.joints.anchors[0]), r = s.stage.canvas.getBoundingClientRect(); return { x: p.x + r.x, y: p.y + r.y }; });
  await page.mouse.move(place.x, place.y);
  const tip = await page.textContent('#tip');
  for (const want of [/hinge/, /revolute/, /world, arm/, /force[\d.]+ N/, /friction/]) assert.match(tip, want);
});

await test('everything that acts on a body is in its diagram: at rest it adds up to nothing', async () => {
  const sum = await page.evaluate(async () => {
    const s = window.stickslip; await s.seek(0.3);
    s.stage.freeBody(1); await s.seek(0.3);
    const total = [0, 0, 0];
    for (const a of s.stage.free.current) a.force.forEach((f, i) => { total[i] += f; });
    const names = s.stage.free.current.map((a) => a.source);
    s.stage.freeBody(5); await s.seek(0.3);
    const arm = s.stage.free.current.map((a) => `${a.source} ${a.name}`);
    s.stage.freeBody(-1);
    return { total, names, arm };
  });
  for (const f of sum.total) assert.ok(Math.abs(f) < 1e-9, `forces on the crate do not balance: ${sum.total}`);
  for (const want of ['weight weight', 'joint hinge', 'spring string']) assert.ok(sum.arm.includes(want), String(sum.arm));
});

await test('seams of unions are not drawn', async () => {
  // the upright stands on the end of the base: where they meet, the outer face and the two sides are flat, and
  // the foot of the upright inside the base's outline is the one concave edge that stays
  const lines = await page.evaluate(() => {
    const s = window.stickslip, bodies = s.stage.bodies, geoms = s.runs[0].header.geoms;
    const body = s.runs[0].header.bodies.findIndex((b) => b.name === 'bracket');
    return bodies.outlines.filter((o) => geoms[o.geom].body === body).map((o) => o.lines.geometry.getAttribute('position').count / 2);
  });
  assert.equal(lines.length, 2);
  assert.ok(lines[1] < 12 * 8 && lines[1] >= 9 * 8 - 8, `pieces of the upright: ${lines}`);
});
await page.close();

await test('wedged at rest, can wedge while it moves', async () => {
  const p = await open(peg);
  const seen = await p.evaluate(async () => {
    const s = window.stickslip, out = new Set();
    for (let k = 0; k < s.runs[0].count; k++) {
      if ((s.runs[0].steps.hold?.[k] ?? 0) !== 4) continue;
      await s.seekStep(k);
      out.add(`${s.runs[0].atRest(k) ? 'rest' : 'moves'}: ${document.getElementById('note').textContent.split(':')[0]}`);
    }
    return [...out];
  });
  assert.ok(seen.length > 0, 'the peg wedges');
  for (const note of seen) assert.ok(/^(rest: wedged|moves: can wedge)/.test(note), note);
  console.log(`   ${seen.join(', ')}`);
  await p.close();
});

await test('a ghost leaves the body to be seen; comparisons are not cut', async () => {
  const p = await open(both, '#t=0.1');
  await p.click('#tab-compare');
  await p.waitForFunction(() => document.querySelectorAll('#comparison .card').length === 2);
  for (const width of SIZES) {
    await p.setViewportSize({ width, height: 800 });
    await p.waitForTimeout(100);
    assert.deepEqual(await outside(p), []);
    assert.deepEqual(await cutTexts(p), []);
  }
  const lines = await p.evaluate(() => Array.from(document.querySelectorAll('.plot:first-child .u-legend .u-series:not(:first-child) .u-marker')).map((n) => n.style.borderStyle || getComputedStyle(n).borderBottomStyle));
  assert.ok(lines.includes('solid') && lines.includes('dashed'), `the legend tells the runs apart: ${lines}`);
  const colour = () => p.evaluate(() => {
    const s = window.stickslip, i = s.runs[0].header.bodies.findIndex((b) => b.type === 'dynamic');
    for (const layer of ['points', 'cones', 'forces', 'normals', 'joints']) s.stage.layers[layer] = false;
    s.player.seekStep(s.player.step);
    s.stage.dirty = true; s.stage.render();
    const at = s.stage.project(s.stage.bodyPosition(i)), c = document.createElement('canvas');
    c.width = s.stage.canvas.width; c.height = s.stage.canvas.height;
    const g = c.getContext('2d'); g.drawImage(s.stage.canvas, 0, 0);
    return Array.from(g.getImageData(Math.round(at.x * c.width / s.stage.canvas.clientWidth), Math.round(at.y * c.height / s.stage.canvas.clientHeight), 1, 1).data);
  });
  const withGhost = await colour();
  await p.keyboard.press('g');
  const without = await colour();
  assert.deepEqual(withGhost, without, 'the ghost covers the body it coincides with');
  await p.screenshot({ path: join(artifacts, 'clear-compare.png') });
  await p.close();
});

await test('verdicts have a strip of their own, words and warnings', async () => {
  const judged = report('clear-verdicts', 'builtin:painleve-plane', '--set', 'params.spin=4', '--set', 'simulation.verdicts=true', '--model', 'level=acceleration', '--duration', '0.2');
  for (const theme of ['light', 'dark']) {
    const p = await open(judged, `#theme=${theme}&t=0.001`);
    await p.waitForFunction(() => /unique: no \(2 motions\)/.test(document.getElementById('note').textContent));
    const lanes = await p.evaluate(() => {
      const c = document.getElementById('verdicts'), g = c.getContext('2d');
      return [0.15, 0.5, 0.85].map((y) => Array.from(g.getImageData(1, Math.floor(y * c.height), 1, 1).data.slice(0, 3)).join());
    });
    assert.equal(lanes[0], '213,94,0', 'the first states have two motions: red');
    assert.notEqual(lanes[2], '213,94,0', 'nothing is said of their stability');
    await p.click('#tab-facts');
    assert.match(await p.textContent('#facts .warnings'), /motion is not unique/);
    assert.deepEqual(await cutTexts(p), []);
    await p.screenshot({ path: join(artifacts, `clear-verdicts-${theme}.png`) });
    await p.close();
  }
  const plain = await open(clear);
  assert.equal(await plain.locator('#verdicts').count(), 0);
  await plain.close();
});

await test('plots of what turns on the spot, and of nothing but impacts; names are read whole', async () => {
  const wheels = join(artifacts, 'wheels.yaml');
  writeFileSync(wheels, `dimension: 2
gravity: [0, 0]
materials: {default: {friction: 0, restitution: 1}}
bodies:
  - {name: flywheel, type: dynamic, mass: 1, shape: {disc: {radius: 0.1}}, angular_velocity: 3}
  - {name: hammer, type: dynamic, mass: 1, shape: {box: {size: [0.04, 0.2]}}, position: [1, -0.1], angular_velocity: 1}
  - {name: long anvil, type: static, shape: {box: {size: [0.1, 0.1]}}, position: [1.1, -0.17]}
joints:
  - {name: axle, type: revolute, bodies: [world, flywheel], friction: 0.01}
  - {name: hinge, type: revolute, bodies: [world, hammer], anchor: [1, -0.1]}
simulation: {step: 0.002, duration: 1}
`);
  const p = await open(report('clear-wheels', wheels));
  await p.waitForFunction(() => window.stickslip.plots() >= 4);
  for (const width of SIZES) {
    await p.setViewportSize({ width, height: 800 });
    await p.waitForTimeout(300);
    const seen = await p.evaluate(() => {
      const g = document.createElement('canvas').getContext('2d');
      const narrow = Array.from(document.querySelectorAll('.plot-head select')).filter((n) => {
        const style = getComputedStyle(n);
        g.font = `${style.fontWeight} ${style.fontSize} ${style.fontFamily}`;
        return g.measureText(n.selectedOptions[0].textContent).width > n.clientWidth;
      }).map((n) => n.selectedOptions[0].textContent);
      const charts = window.stickslip.charts(), force = charts.find((c) => c.subject.startsWith('contact'));
      return { shown: charts.map((c) => c.quantity), narrow, high: force.chart.scales.y.max, most: Math.max(...Array.from(force.chart.data[1]).map((v) => v ?? 0)) };
    });
    assert.ok(seen.shown.includes('spin') && !seen.shown.includes('velocity'), `nothing goes anywhere, something turns: ${seen.shown}`);
    assert.deepEqual(seen.narrow, [], `${width}: names that are cut`);
    assert.ok(seen.most > 1 && seen.high >= seen.most, `impacts are all there is: ${JSON.stringify(seen)}`);
    await p.screenshot({ path: join(artifacts, `clear-wheels-${width}.png`) });
  }
  await p.close();
});

await test('seams of polygons and unions in the plane are not drawn', async () => {
  const flat = join(artifacts, 'flat.yaml');
  writeFileSync(flat, `dimension: 2
bodies:
  - {name: bin, type: static, shape: {polygon: {points: [[0, 0], [1, 0], [1, 0.5], [0.9, 0.5], [0.9, 0.1], [0.1, 0.1], [0.1, 0.5], [0, 0.5]]}}}
  - {name: tee, type: dynamic, mass: 1, position: [0.5, 1], shape: {union: [{box: {size: [0.4, 0.1]}}, {box: {size: [0.1, 0.3], position: [0, -0.1]}}]}}
  - {name: knob, type: dynamic, mass: 1, position: [0.5, 2], shape: {union: [{disc: {radius: 0.1}}, {box: {size: [0.02, 0.1], position: [0, 0.1]}}]}}
simulation: {step: 0.01, duration: 0.02}
`);
  const p = await open(report('clear-flat', flat));
  const drawn = await p.evaluate(() => {
    const s = window.stickslip, { geoms } = s.runs[0].header;
    return [0, 1, 2].map((body) => s.stage.bodies.outlines.filter((o) => geoms[o.geom].body === body).reduce((sum, o) => {
      const q = o.lines.geometry.getAttribute('position');
      for (let i = 0; i + 1 < q.count; i += 2) sum += Math.hypot(q.getX(i + 1) - q.getX(i), q.getY(i + 1) - q.getY(i));
      return sum;
    }, 0));
  });
  await p.screenshot({ path: join(artifacts, 'clear-flat.png') });
  await p.close();
  assert.ok(Math.abs(drawn[0] - 3.8) < 0.02, `the outline of the bin is 3.8 m: ${drawn[0]}`);
  assert.ok(Math.abs(drawn[2] - (2 * Math.PI * 0.1 + 0.1)) < 0.03, `that of the knob 0.73 m: ${drawn[2]}`);
  assert.ok(Math.abs(drawn[1] - 1.4) < 0.1, `that of the tee 1.4 m: ${drawn[1]}`);
});

await test('springs and ropes are seen, a residual of nothing is 0', async () => {
  const seen = await open(clear, '#t=0.3');
  const rods = await seen.evaluate(() => window.stickslip.stage.skeleton.rods.mesh.count);
  await seen.close();
  assert.equal(rods, 1, 'the spring of the scene, between its ends');
  const flight = join(artifacts, 'flight.yaml');
  writeFileSync(flight, 'bodies: [{name: ball, type: dynamic, mass: 1, shape: {sphere: {radius: 0.1}}}]\nsimulation: {step: 0.01, duration: 0.1}\n');
  const free = await open(report('clear-free', flight));
  await free.waitForFunction(() => window.stickslip.plots() >= 2);
  await free.evaluate(() => window.stickslip.seek(0.05));
  const said = await free.locator('.u-legend', { hasText: 'residual' }).first().innerText();
  assert.match(said, /residual\s*:?\s*0$/);
  await free.close();
});

const policyOf = (file) => readFileSync(file, 'utf8').match(/Content-Security-Policy" content="([^"]*)"/)[1];
await test('a map tells what is said of a state and how to open it', async () => {
  const out = join(artifacts, 'map.html');
  execFileSync(command, ['analyze', 'builtin:painleve-plane', '--map', 'params.mu=1:2:20', '--map', 'params.spin=0:4:20', '--set', 'params.speed=2', '--report', out, '--quiet']);
  const p = await browser.newPage({ viewport: { width: 1280, height: 900 } });
  p.on('pageerror', (e) => { throw e; });
  p.on('console', (m) => { if (m.type() === 'error') throw new Error(m.text()); });
  assert.doesNotMatch(policyOf(out), /unsafe-inline/);
  await p.goto(`file://${out}`);
  await p.waitForFunction(() => window.stickslipMap?.panels.length >= 3);
  assert.ok(await p.evaluate(() => window.stickslipMap.panels[0].lines.length > 20), 'lines between verdicts');
  const box = await p.locator('canvas').first().boundingBox(), s = box.width / 388; // left 58, 320 wide, right 10
  await p.mouse.move(box.x + (58 + 312) * s, box.y + (6 + 8) * s);
  assert.match(await p.textContent('#tip'), /params\.mu2params\.spin4solutionsseveral/);
  assert.ok(await p.evaluate(() => {
    const tip = document.getElementById('tip'), edge = tip.getBoundingClientRect().right;
    return tip.scrollWidth <= tip.clientWidth && Array.from(tip.querySelectorAll('dd')).every((n) => n.getBoundingClientRect().right <= edge);
  }), 'the tip holds what it says');
  await p.mouse.click(box.x + (58 + 312) * s, box.y + (6 + 312) * s);
  const told = await p.textContent('#command');
  assert.equal(told, 'stickslip analyze builtin:painleve-plane --set params.speed=2 --set params.mu=2 --set params.spin=0');
  let said = '';
  try { execFileSync(command, told.split(' ').slice(1), { encoding: 'utf8' }); } catch (e) { said = e.stdout; }
  assert.match(said, /no solution/);
  await p.locator('canvas').first().focus();
  await p.keyboard.press('ArrowUp');
  assert.match(await p.textContent('#command'), /spin=0\.21052631578947367/);
  await p.screenshot({ path: join(artifacts, 'clear-map.png') });
  await p.close();
});

await browser.close();
console.log(`${done} tests passed`);
