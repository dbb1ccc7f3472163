// SPDX-License-Identifier: Apache-2.0
// Puts the page together: data, replay, strip, plots, tables and keys.
import { App } from './app';
import { byId, el } from './dom';
import { chosenRecording } from './identified';
import { initialTheme } from './palette';
import { type BlobSource, type Header, PageBlobs, Run, ServedBlobs } from './payload';

async function readHeader(): Promise<{ header: Header; source: BlobSource; live: boolean }> {
  const inline = document.getElementById('ss-header');
  if (inline) return { header: JSON.parse(inline.textContent ?? '') as Header, source: new PageBlobs(), live: false };
  const answer = await fetch('header.json', { cache: 'no-store' });
  if (!answer.ok) throw new Error(`no data: ${answer.status} ${answer.statusText}`);
  return { header: (await answer.json()) as Header, source: new ServedBlobs(), live: true };
}

async function boot(): Promise<void> {
  const address = new URLSearchParams(location.hash.slice(1));
  initialTheme(address.get('theme'));
  if (address.has('shot')) document.documentElement.dataset.shot = '';
  if (address.has('clear')) document.documentElement.dataset.clear = '';
  try {
    const { header, source, live } = await readHeader();
    if (header.format !== 'stickslip-report' || header.version !== 1) {
      throw new Error(`this page reads report data of version 1, not ${header.format} ${header.version}`);
    }
    const id = header.identification, first = id ? id.recordings[chosenRecording(id, address)].run : 0;
    const shown = id ? header.runs.slice(first, first + id.models.length) : header.runs;
    const runs = shown.map((r) => new Run(r, source));
    await Promise.all(runs.map((r) => r.open()));
    await runs[0].need(0);
    const app = new App(header, runs, address);
    if (live) app.watch();
  } catch (e) {
    const text = e instanceof Error ? e.message : String(e);
    byId('app').replaceChildren(el('div', { class: 'fatal', role: 'alert' }, el('h1', {}, 'This report cannot be shown'), el('p', {}, text)));
    throw e;
  }
}

void boot();
