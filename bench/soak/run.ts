/**
 * `npm run soak [-- OPTIONS]`: runs the whole system with two replicas of everything under an even load for hours, and restarts or
 * kills a replica at each interval. Writes a page with charts. Ends with 1 when anything was lost.
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { command } from '../../tools/lanyard/command-line.ts';
import { prepareSystem } from '../../tools/lanyard/install.ts';
import { options, readLoad, usage } from './options.ts';

await command({ usage, options, printsResult: true }, async ({ values }) => {
  const load = readLoad(values);
  await prepareSystem();
  const { drillSettings, startDrillSystem } = await import('../../tools/drill/system.ts');
  const { settingsForDevices } = await import('./groups.ts');
  const { Soak } = await import('./soak.ts');
  const { report } = await import('./report.ts');
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-soak-'));
  const system = await startDrillSystem({ name: 'soak', env: { ...drillSettings, ...settingsForDevices } });
  const soak = new Soak(system, load, folder);
  try {
    await soak.begin();
    await soak.last();
    const { figures, violations } = await soak.end();
    const file = resolve(values.report);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, report(soak.samples, figures, violations));
    const lines = Object.entries(figures).map(([name, value]) => `${name.padEnd(46)}${value}`);
    process.stdout.write(`${lines.join('\n')}\n${file}\n`);
    for (const violation of violations) process.stderr.write(`VIOLATION ${violation}\n`);
    return violations.length > 0 ? 1 : 0;
  } finally {
    await soak.stop();
    await system.stop();
    rmSync(folder, { recursive: true, force: true });
  }
});
