/** docs/lwm2m.md: each supported feature names an existing test, by its file and its title as written there. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lanyard/project.ts';
import { conclude, textOf } from './lanyard/project-files.ts';

const page = 'docs/lwm2m.md';

const problems: string[] = [];
const complain = (problem: string) => void problems.push(`${page}: ${problem}`);

/** `| feature | version | yes, no or partly, with a reason | tests |` */
const rows = textOf(page)
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
  if (!/(spec|(operations|long)\/[\w-]+)\.ts$/.test(path) || !existsSync(join(root, path)))
    return complain(`${feature}: no test file in "${test}"`);
  const text = textOf(path).replaceAll("\\'", "'");
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
conclude(problems);
