/** docs/configuration.md names every variable that an app or a tool reads, and no other; .env.example names only such variables. */
import { conclude, isTest, namesIn, projectFiles } from './lanyard/project-files.ts';
import { apps } from './lanyard/service-processes.ts';
import { variablesOf } from './manifests/environment.ts';

const ofApps = await Promise.all([...apps, 'simulator'].map(variablesOf));
const programs = projectFiles('tools/**/*.ts', 'bench/**/*.ts').filter((path) => !isTest(path));
const ofTools = namesIn(programs, /process\.env(?:\.|\[')([A-Z_]+)/g);
const read = new Set([...ofApps.flatMap((names) => [...names]), ...ofTools]);

/** The names in the first cell of a row, which may hold several. */
const cells = namesIn(['docs/configuration.md'], /^\| (`[^|]*`) +\|/gm);
const documented = new Set(
  [...cells].flatMap((cell) => [...cell.matchAll(/`([A-Z][A-Z0-9_]+)`/g)].map(([, name = '']) => name)),
);
const example = namesIn(['.env.example'], /^([A-Z][A-Z0-9_]+)=/gm);

const outside = (names: Iterable<string>, others: ReadonlySet<string>, problem: string) =>
  [...names].filter((name) => !others.has(name)).map((name) => `${name} ${problem}`);

conclude([
  ...outside(read, documented, 'is read, but not in docs/configuration.md'),
  ...outside(documented, read, 'is in docs/configuration.md, but nothing reads it'),
  ...outside(example, documented, 'is in .env.example, but not in docs/configuration.md'),
]);
