/**
 * `npm run test:faults [-- --seed N] [--seeds K] [--rows F1,F4] [--seconds S] [--parallel P] [--json] [--bugs]`:
 * breaks infrastructure, dispatchers and receivers under load, and counts what is lost. See docs/faults.md.
 */
import { command, wholeNumber } from '../tools/lanyard/command-line.ts';
import { prepareSystem } from '../tools/lanyard/install.ts';
import { say, Stop } from '../tools/lanyard/project.ts';

const usage =
  'npm run test:faults [-- --seed N] [--seeds K] [--rows F1,F4] [--seconds S] [--parallel P] [--json] [--bugs] [--help]';

const options = {
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  bugs: { type: 'boolean', default: false },
  seed: { type: 'string', default: '1' },
  seeds: { type: 'string', default: '1' },
  rows: { type: 'string', default: '' },
  seconds: { type: 'string', default: '0' },
  parallel: { type: 'string', default: '3' },
} as const;

for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(130));

await command({ usage, options, printsResult: true }, async ({ values: given }) => {
  await prepareSystem();
  const { rows } = await import('./rows.ts');
  const { bugs } = await import('./bugs.ts');
  const { Matrix } = await import('./matrix.ts');
  const { bugTable, rowTable } = await import('./report.ts');
  if (given.help) {
    const list = rows.map(({ name, about }) => `  ${name.padEnd(6)}${about}`);
    process.stdout.write(`${[usage, ...list].join('\n')}\n`);
    return 0;
  }
  const names = given.rows.split(',').filter(Boolean);
  const known = given.bugs ? bugs.map(({ name }) => name) : rows.map(({ name }) => name);
  for (const name of names) if (!known.includes(name)) throw new Stop(`no ${name}: there are ${known.join(', ')}`);
  const seconds = wholeNumber('seconds', given.seconds);
  const first = wholeNumber('seed', given.seed);
  const matrix = await Matrix.start({
    say,
    parallel: wholeNumber('parallel', given.parallel, 1),
    ...(seconds > 0 && { seconds }),
  });
  try {
    if (given.bugs) {
      const outcomes = await matrix.runBugs(
        bugs.filter(({ name }) => names.length === 0 || names.includes(name)),
        first,
      );
      process.stdout.write(given.json ? `${JSON.stringify(outcomes, null, 2)}\n` : bugTable(outcomes));
      return outcomes.every(({ caught, notRun }) => caught || notRun) ? 0 : 1;
    }
    const wanted = rows.filter(({ name }) => names.length === 0 || names.includes(name));
    const seeds = Array.from({ length: wholeNumber('seeds', given.seeds, 1) }, (_, n) => first + n);
    const outcomes = await matrix.run(wanted, seeds);
    process.stdout.write(given.json ? `${JSON.stringify(outcomes, null, 2)}\n` : rowTable(outcomes));
    return outcomes.every(({ violations }) => violations.length === 0) ? 0 : 1;
  } finally {
    await matrix.stop();
  }
});
