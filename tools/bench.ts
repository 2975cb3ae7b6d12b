/** `npm run bench [-- NAME...] [--json] [--seconds N] [--rounds N]`: measures the real system, on infrastructure of its own. */
import { cpus, totalmem } from 'node:os';
import { busyShare, Theft } from '../bench/machine.ts';
import { round } from '../bench/statistics.ts';
import { command, wholeNumber } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';
import { say, Stop } from './lanyard/project.ts';

const usage = 'npm run bench [-- NAME...] [--json] [--seconds N] [--rounds N]';

const options = {
  help: { type: 'boolean', default: false },
  json: { type: 'boolean', default: false },
  seconds: { type: 'string', default: '10' },
  rounds: { type: 'string', default: '3' },
} as const;

const table = (results: Record<string, Record<string, number>>) =>
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

/** If the machine is busier than this before a benchmark, the figures include the work of other programs. */
const quietShare = 0.1;

const about = { usage, options, allowPositionals: true, printsResult: true };

await command(about, async ({ values, positionals: wanted }) => {
  const [seconds, rounds] = [wholeNumber('seconds', values.seconds, 1), wholeNumber('rounds', values.rounds, 1)];
  await prepareSystem();
  const { benches } = await import('../bench/benches.ts');
  const { BenchSystem } = await import('../bench/system.ts');
  if (values.help) {
    const list = Object.entries(benches).map(([name, { about }]) => `  ${name.padEnd(12)}${about}`);
    process.stdout.write(`${[usage, ...list].join('\n')}\n`);
    return;
  }
  const isWanted = (want: string, name: string) => name === want || name.startsWith(`${want}-`);
  for (const want of wanted)
    if (!Object.keys(benches).some((name) => isWanted(want, name)))
      throw new Stop(`no benchmark ${want}: there are ${Object.keys(benches).join(', ')}`);
  const results: Record<string, Record<string, number>> = {};
  for (const [name, bench] of Object.entries(benches)) {
    if (wanted.length > 0 && !wanted.some((want) => isWanted(want, name))) continue;
    say(`${name}: ${bench.about}`);
    const busy = await busyShare();
    if (busy > quietShare)
      say(`  other programs have ${Math.round(busy * 100)} % of the processors: figures are of both`);
    const theft = new Theft();
    const system = new BenchSystem(bench.replicas, bench.env);
    if (!bench.alone) await system.start();
    try {
      const figures = await bench.run({ system, seconds, rounds, say: (text) => say(`  ${text}`) });
      results[name] = { ...figures, machine_busy_before_share: round(busy), machine_stolen_share: round(theft.share) };
    } finally {
      if (!bench.alone) await system.stop();
    }
  }
  const report = { at: new Date().toISOString(), machine: machine(), seconds, rounds, ...results };
  process.stdout.write(`${values.json ? JSON.stringify(report, null, 2) : table(results)}\n`);
});
