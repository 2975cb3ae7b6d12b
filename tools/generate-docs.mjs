/**
 * Writes what is generated: docs/topics.md and docs/asyncapi.json from the contracts, docs/errors.md from the errors,
 * docs/openapi.json from the controllers, and from that the types of libs/client.
 * `node tools/generate-docs.mjs` writes the files; `--check` fails when the committed ones differ. Requires a build.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { topics } from '../libs/contracts/dist/index.js';
import { asyncApi } from './docs/asyncapi.mjs';
import { clientTypes } from './docs/client-types.mjs';
import { errorsPage } from './docs/errors-page.mjs';
import { openApi } from './docs/openapi.mjs';
import { topicsPage } from './docs/topics-page.mjs';

const root = new URL('../', import.meta.url);
const document = await openApi();

/** @type {[string, string][]} */
const files = [
  ['docs/topics.md', topicsPage(topics)],
  ['docs/asyncapi.json', JSON.stringify(asyncApi(topics))],
  ['docs/errors.md', await errorsPage()],
  ['docs/openapi.json', JSON.stringify(document)],
  ['libs/client/src/generated/api.ts', clientTypes(document)],
];

const check = process.argv.includes('--check');
let stale = 0;
for (const [path, text] of files) {
  const url = new URL(path, root);
  const options = await resolveConfig(url);
  const wanted = await format(text, { ...options, filepath: path });
  if (!check) writeFileSync(url, wanted);
  else if (read(url) !== wanted) {
    console.error(`${path} is out of date: run node tools/generate-docs.mjs`);
    stale++;
  }
}
process.exitCode = stale > 0 ? 1 : 0;

/** @param {URL} url */
function read(url) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}
