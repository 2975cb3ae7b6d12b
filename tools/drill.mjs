/**
 * `npm run drill [-- --devices N] [--values-per-second N] [--calls-per-second N] [--settle-seconds N] [--only REGEXP] [--json]`:
 * two replicas of everything under load; engines and services are restarted and killed in turn. Ends with 1 when
 * anything was lost, or fewer than 99.9 % of the calls succeeded after one repetition.
 */
import { parseArgs } from 'node:util';
import { build, installPackages } from './lanyard/install.mjs';
import { checkEnginePrerequisites, checkNode } from './lanyard/prerequisites.mjs';
import { progress, run, say, sleep } from './lanyard/project.mjs';

const number = (/** @type {string} */ text) => Number(text);

const { values } = parseArgs({
  options: {
    devices: { type: 'string', default: '40' },
    'values-per-second': { type: 'string', default: '40' },
    'calls-per-second': { type: 'string', default: '20' },
    'settle-seconds': { type: 'string', default: '3' },
    only: { type: 'string', default: '' },
    json: { type: 'boolean', default: false },
  },
});

progress.stream = process.stderr;

await run(async () => {
  checkNode();
  checkEnginePrerequisites();
  await installPackages();
  await build();
  const { DrillSystem } = await import('./drill/system.mjs');
  const { Rehearsal } = await import('./drill/rehearsal.mjs');
  const { report } = await import('./drill/report.mjs');
  const system = await DrillSystem.start();
  const rehearsal = new Rehearsal(system, {
    devices: number(values.devices),
    valuesPerSecond: number(values['values-per-second']),
    callsPerSecond: number(values['calls-per-second']),
    settleMs: number(values['settle-seconds']) * 1_000,
  });
  /** @param {string} name @param {() => Promise<string | void>} work @param {boolean} [inOrder] */
  const step = async (name, work, inOrder) => {
    if (new RegExp(values.only).test(name)) await rehearsal.step(name, work, { inOrder });
  };
  const ended = (/** @type {number} */ ms) => `had ended after ${(ms / 1_000).toFixed(1)} s`;
  try {
    await rehearsal.begin();
    say('under load');
    await rehearsal.step('nothing', () => sleep(10_000));
    const engines = ['redis', 'postgresql', 'kafka'];
    for (const name of engines) await step(`restart of ${name}`, async () => ended(await system.restart(name)));
    for (const name of engines)
      await step(`kill -9 of ${name}`, async () => void (await system.restart(name, 'SIGKILL')));
    for (const name of system.replicaNames)
      await step(`kill -9 of ${name}`, async () => void (await system.restart(name, 'SIGKILL')));
    for (const name of system.replicaNames)
      await step(`restart of ${name}`, async () => ended(await system.restart(name)), true);
    say('waiting for what is owed');
    return report(rehearsal, await rehearsal.end(), values.json);
  } finally {
    rehearsal.stop();
    await system.stop();
  }
});
process.exit();
