/**
 * Generates docs/topics.md and docs/asyncapi.json from the contracts, docs/errors.md from the errors,
 * docs/cli.md from the commands, docs/capacity.md from the unit costs, docs/limits.md from the limits, and
 * docs/openapi.json from the controllers.
 * `npm run docs` writes the files; `--check` fails when the committed ones differ. Requires a build.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { topics } from '@lanyard/contracts';
import { asyncApi } from './docs/asyncapi.ts';
import { capacityPage } from './docs/capacity-page.ts';
import { cliPage } from './docs/cli-page.ts';
import { errorsPage } from './docs/errors-page.ts';
import { limitsPage } from './docs/limits-page.ts';
import { dashboardMap, prometheusRule } from './docs/monitoring.ts';
import { openApi } from './docs/openapi.ts';
import { topicsPage } from './docs/topics-page.ts';

const root = new URL('../', import.meta.url);

const files: [string, string][] = [
  ['docs/topics.md', topicsPage(topics)],
  ['docs/asyncapi.json', JSON.stringify(asyncApi(topics))],
  ['docs/errors.md', await errorsPage()],
  ['docs/cli.md', await cliPage()],
  ['docs/capacity.md', capacityPage()],
  ['docs/limits.md', await limitsPage()],
  ['docs/openapi.json', JSON.stringify(await openApi())],
  ['k8s/components/monitoring/rules.yaml', prometheusRule()],
  ['k8s/components/monitoring/dashboard.yaml', dashboardMap()],
];

const check = process.argv.includes('--check');
let stale = 0;
for (const [path, text] of files) {
  const url = new URL(path, root);
  const options = await resolveConfig(url);
  const wanted = await format(text, { ...options, filepath: path });
  if (!check) writeFileSync(url, wanted);
  else if (read(url) !== wanted) {
    console.error(`${path} is out of date: run npm run docs`);
    stale++;
  }
}
process.exitCode = stale > 0 ? 1 : 0;

function read(url: URL) {
  try {
    return readFileSync(url, 'utf8');
  } catch {
    return '';
  }
}
