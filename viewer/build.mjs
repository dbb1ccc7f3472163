// SPDX-License-Identifier: Apache-2.0
// Bundles the page of reports into one HTML file without data: node build.mjs [page.html].
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const page = process.argv[2] ?? join(here, 'page.html');

const result = await esbuild.build({
  entryPoints: [join(here, 'src/main.ts')], bundle: true, minify: true, write: false, format: 'iife',
  target: ['es2020'], loader: { '.css': 'text' }, legalComments: 'none', charset: 'utf8', absWorkingDir: here,
});
const script = result.outputFiles[0].text.replaceAll('</script', '<\\/script');
const licences = ['three', 'uplot', 'fflate'].map((name) =>
  `/* ${name}\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()} */\n`).join('');
const template = readFileSync(join(here, 'src/page.html'), 'utf8');
writeFileSync(page, template.replace('/*SS-SCRIPT*/', () => licences + script));
