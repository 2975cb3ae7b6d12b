/** `npm run bench [-- NAME...] [--json] [--seconds N] [--rounds N]`: measures the real system, on engines of its own. */
import { cpus, totalmem } from 'node:os';
import { busyShare, Theft } from '../bench/machine.mjs';
import { round } from '../bench/statistics.mjs';
import { readCommandLine, wholeNumber } from './lanyard/command-line.mjs';
import { build, prepare } from './lanyard/install.mjs';
import { checkEnginePrerequisites } from './lanyard/prerequisites.mjs';
import { progress, run, say, Stop } from './lanyard/project.mjs';

const usage = 'npm run bench [-- NAME...] [--json] [--seconds N] [--rounds N]';

const options = /** @type {const} */ ({
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  seconds: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '3' },
});

/** @param {Record<string, Record<string, number>>} results */
const table = (results) =>
  Object.entries(results)
    .flatMap(([name, figures]) => [
      name,
      ...Object.entries(figures).map(([figure, value]) => `  ${figure.padEnd(32)}${value}`),
    ])
    .join('\n');

const machine = () => ({
  cores: cpus().length,
  cpu: cpus()[0]?.model ?? '',
  memory_gib: Math.round(totalmem() / 2 ** 30),
  node: process.version,
});

/** More than this before a benchmark, and its figures are those of other programs too. */
const quietShare = 0.1;

// Standard output is for the figures.
progress.stream = process.stderr;

await run(async () => {
  const { values, positionals: wanted } = readCommandLine(usage, options, { allowPositionals: true });
  const [seconds, rounds] = [wholeNumber('seconds', values.seconds, 1), wholeNumber('rounds', values.rounds, 1)];
  checkEnginePrerequisites();
  await prepare();
  await build();
  const { benches } = await import('../bench/benches.mjs');
  const { System } = await import('../bench/system.mjs');
  if (values.help) {
    const list = Object.entries(benches).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
    process.stdout.write(`${[usage, ...list].join('\n')}\n`);
    return;
  }
  const isWanted = (/** @type {string} */ want, /** @type {string} */ name) =>
    name === want || name.startsWith(`${want}-`);
  for (const want of wanted)
    if (!Object.keys(benches).some((name) => isWanted(want, name)))
      throw new Stop(`no benchmark ${want}: there are ${Object.keys(benches).join(', ')}`);
  /** @type {Record<string, Record<string, number>>} */
  const results = {};
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.some((want) => isWanted(want, name))) continue;
    say(`${name}: ${bench.about}`);
    const busy = await busyShare();
    if (busy > quietShare)
      say(`  other programs have ${Math.round(busy * 100)} % of the processors: figures are of both`);
    const theft = new Theft();
    const system = await System.start(bench.replicas, bench.env);
    try {
      const figures = await bench.run({ system, seconds, rounds, say: (text) => say(`  ${text}`) });
      results[name] = { ...figures, machine_busy_before_share: round(busy), machine_stolen_share: round(theft.share) };
    } finally {
      await system.stop();
    }
  }
  const report = { at: new Date().toISOString(), machine: machine(), seconds, rounds, ...results };
  process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : table(results)}\n`);
});
// Connections of a benchmark that failed are still open.
process.exit();
