// SPDX-License-Identifier: Apache-2.0
// Bundles the page into one HTML file without data: node build.mjs [page.html [page.c]].
// With a second name it also writes the page as a C array, for the library to carry.
import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import esbuild from 'esbuild';

const here = dirname(fileURLToPath(import.meta.url));
const [page = join(here, 'page.html'), array] = process.argv.slice(2);

function asArray(text) {
  const lines = [];
  for (let i = 0; i < text.length; i += 32) lines.push(Array.from(text.subarray(i, i + 32)).join(',') + ',');
  return '/* SPDX-License-Identifier: Apache-2.0 */\n/* Made by viewer/build.mjs: the page of a report, without data. */\n'
    + '#include "io/viewer_page.h"\n\nstatic const unsigned char text[] = {\n' + lines.join('\n') + '\n};\n\n'
    + 'const ss_viewer_page ss_viewer_page_built = {(const char *)text, sizeof text};\n';
}

const result = await esbuild.build({
  entryPoints: [join(here, 'src/main.ts')], bundle: true, minify: true, write: false, format: 'iife',
  target: ['es2020'], loader: { '.css': 'text' }, legalComments: 'none', charset: 'utf8', absWorkingDir: here,
});
const script = result.outputFiles[0].text.replaceAll('</script', '<\\/script');
const licences = ['three', 'uplot', 'fflate'].map((name) =>
  `/* ${name}\n${readFileSync(join(here, 'node_modules', name, 'LICENSE'), 'utf8').trim()} */\n`).join('');
const template = readFileSync(join(here, 'src/page.html'), 'utf8');
const html = template.replace('/*SS-SCRIPT*/', () => licences + script);
writeFileSync(page, html);
if (array) writeFileSync(array, asArray(Buffer.from(html)));
