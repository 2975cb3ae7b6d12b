/**
 * Generates docs/topics.md and docs/asyncapi.json from the contracts, docs/errors.md from the errors, docs/cli.md from
 * the commands, docs/capacity.md from the unit costs, docs/limits.md from the limits, docs/openapi.json from the
 * controllers, and the rules and the dashboard of k8s/components/monitoring from deploy/observability.
 * `npm run docs` writes the files; with `--check` it ends with 1 when the committed ones differ. Requires a build.
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
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
import { command } from './lanyard/command-line.ts';

const usage = 'npm run docs [-- --check]';
const options = { check: { type: 'boolean', default: false } } as const;

const root = new URL('../', import.meta.url);

const generated = async (): Promise<[path: string, text: string][]> => [
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

await command({ usage, options }, async ({ values: { check } }) => {
  let stale = 0;
  for (const [path, text] of await generated()) {
    const url = new URL(path, root);
    const style = await resolveConfig(url);
    const wanted = await format(text, { ...style, filepath: path });
    if (!check) writeFileSync(url, wanted);
    else if (!existsSync(url) || readFileSync(url, 'utf8') !== wanted) {
      console.error(`${path} is out of date: run npm run docs`);
      stale++;
    }
  }
  return stale > 0 ? 1 : 0;
});
