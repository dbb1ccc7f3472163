// SPDX-License-Identifier: Apache-2.0
// Bundles the page of reports into one HTML file without data: node build.mjs [page.html].
// With --check it writes nothing and fails when the file is not what it would write.
import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const check = process.argv[2] === '--check';
const page = process.argv[check ? 3 : 2] ?? join(here, 'page.html');

const result = await esbuild.build({
  entryPoints: [join(here, 'src/main.ts')], bundle: true, minify: true, write: false, format: 'iife',
  target: ['es2020'], legalComments: 'none', charset: 'utf8', absWorkingDir: here,
});
const text = (...path) => readFileSync(join(here, ...path), 'utf8');
const licences = ['three', 'uplot', 'fflate'].map((name) =>
  `/* ${name}\n${text('node_modules', name, 'LICENSE').trim()} */\n`).join('');
const script = licences + result.outputFiles[0].text.replaceAll('</script', '<\\/script');
const style = text('node_modules/uplot/dist/uPlot.min.css') + text('src/style.css');

// The browser runs this script and applies this style, and no other: what a run file or a scene
// brings into the page is data.
const hash = (what) => `'sha256-${createHash('sha256').update(what, 'utf8').digest('base64')}'`;
const html = text('src/page.html')
  .replace('SS-SCRIPT-HASH', hash(script)).replace('SS-STYLE-HASH', hash(style))
  .replace('/*SS-STYLE*/', () => style).replace('/*SS-SCRIPT*/', () => script);
if (!check) {
  writeFileSync(page, html);
} else if (readFileSync(page, 'utf8') !== html) {
  console.error(`${page} is not what viewer/src makes: run 'make page' and commit the result`);
  process.exit(1);
}
