/** docs/lwm2m.md: each supported feature names a test that exists, by its file and its title as written there. */
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lanyard/project.ts';

const page = 'docs/lwm2m.md';

const complain = (problem: string) => {
  console.error(`${page}: ${problem}`);
  process.exitCode = 1;
};

/** `| feature | version | yes, no or partly, with a reason | tests |` */
const rows = readFileSync(join(root, page), 'utf8')
  .split('\n')
  .filter((line) => line.startsWith('|') && !/^\|(?: -+ \||:?-)/.test(line))
  .map((line) =>
    line
      .split('|')
      .slice(1, -1)
      .map((cell) => cell.trim()),
  )
  .filter(([feature]) => feature !== 'Feature');

const checkTest = (feature: string, test: string) => {
  const [, path = '', title = ''] = /^`([^`]+)`: (.+)$/.exec(test) ?? [];
  const file = join(root, path);
  if (!/(spec|operations\/\w+)\.ts$/.test(path) || !existsSync(file))
    return complain(`${feature}: no test file in "${test}"`);
  const text = readFileSync(file, 'utf8').replaceAll("\\'", "'");
  if (!["'", '"', '`'].some((quote) => text.includes(`${quote}${title}${quote}`)))
    complain(`${feature}: ${path} has no test "${title}"`);
};

for (const [feature = '', version = '', supported = '', tests = ''] of rows) {
  const named = tests === '' ? [] : tests.split('<br>');
  if (!/^1\.[012]$/.test(version)) complain(`${feature}: "${version}" is no version of LwM2M`);
  if (!/^(yes$|(no|partly)(: .+))/.test(supported))
    complain(`${feature}: "${supported}" is neither yes, nor no or partly with a reason`);
  if (supported.startsWith('no') !== (named.length === 0))
    complain(`${feature}: ${supported.split(':')[0]} with ${named.length} tests`);
  for (const test of named) checkTest(feature, test);
}
if (rows.length < 100) complain(`only ${rows.length} features`);
