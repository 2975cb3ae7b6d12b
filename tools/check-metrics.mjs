/** Metrics that documents speak of exist, and every metric is in docs/operations.md. */
import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './lanyard/project.mjs';

/** @param {string[]} paths @param {RegExp} form */
const namesIn = (paths, form) => {
  const { stdout } = spawnSync('git', ['ls-files', '-co', '--exclude-standard', '--', ...paths], {
    cwd: root,
    encoding: 'utf8',
  });
  const texts = stdout
    .trim()
    .split('\n')
    .map((path) => readFileSync(join(root, path), 'utf8'));
  return new Set(texts.flatMap((text) => [...text.matchAll(form)].map(([, name = '']) => name)));
};

const metrics = namesIn(['apps/*/src/*.ts', 'libs/*/src/*.ts'], /name: '(lanyard_[a-z_]+)'/g);
const operations = namesIn(['docs/operations.md'], /`(lanyard_[a-z_]+)/g);
const spokenOf = namesIn(['docs/*.md', 'apps/*/README.md', 'libs/*/README.md'], /`(lanyard_[a-z_]+)/g);
for (const name of spokenOf) if (!metrics.has(name)) console.error(`${name} is documented, but is no metric`);
for (const name of metrics) if (!operations.has(name)) console.error(`${name} is not in docs/operations.md`);
const wrong = [...spokenOf].some((name) => !metrics.has(name)) || [...metrics].some((name) => !operations.has(name));
process.exitCode = wrong ? 1 : 0;
