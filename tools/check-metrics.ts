/** Metrics that documents mention exist, and every metric is in docs/operations.md. */
import { conclude, namesIn, projectFiles } from './lanyard/project-files.ts';

const metrics = namesIn(projectFiles('apps/*/src/**/*.ts', 'libs/*/src/**/*.ts'), /name: '(lanyard_[a-z_]+)'/g);
const operations = namesIn(['docs/operations.md'], /`(lanyard_[a-z_]+)/g);
const spokenOf = namesIn(projectFiles('docs/*.md', 'apps/*/README.md', 'libs/*/README.md'), /`(lanyard_[a-z_]+)/g);
conclude([
  ...[...spokenOf].filter((name) => !metrics.has(name)).map((name) => `${name} is documented, but is no metric`),
  ...[...metrics].filter((name) => !operations.has(name)).map((name) => `${name} is not in docs/operations.md`),
]);
