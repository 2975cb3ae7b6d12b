/** Metrics that documents speak of exist, and every metric is in docs/operations.md. */
import { namesIn } from './lanyard/names-in.ts';

const metrics = namesIn(['apps/*/src/*.ts', 'libs/*/src/*.ts'], /name: '(lanyard_[a-z_]+)'/g);
const operations = namesIn(['docs/operations.md'], /`(lanyard_[a-z_]+)/g);
const spokenOf = namesIn(['docs/*.md', 'apps/*/README.md', 'libs/*/README.md'], /`(lanyard_[a-z_]+)/g);
for (const name of spokenOf) if (!metrics.has(name)) console.error(`${name} is documented, but is no metric`);
for (const name of metrics) if (!operations.has(name)) console.error(`${name} is not in docs/operations.md`);
const wrong = [...spokenOf].some((name) => !metrics.has(name)) || [...metrics].some((name) => !operations.has(name));
process.exitCode = wrong ? 1 : 0;
