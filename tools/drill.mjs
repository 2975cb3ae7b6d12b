/**
 * `npm run drill [-- OPTIONS]`: two replicas of everything under load; engines and services are restarted and killed in turn. Ends with 1 when
 * anything was lost, or fewer than 99.9 % of the calls succeeded after one repetition.
 */
import { loadOptions, loadUsage, readLoad } from './drill/load-options.mjs';
import { readCommandLine } from './lanyard/command-line.mjs';
import { build, prepare } from './lanyard/install.mjs';
import { checkEnginePrerequisites } from './lanyard/prerequisites.mjs';
import { progress, run, say, sleep } from './lanyard/project.mjs';

const usage = `npm run drill -- ${loadUsage} [--only REGEXP] [--json]`;

const options = /** @type {const} */ ({
  ...loadOptions,
  only: { type: 'string', default: '' },
  json: { type: 'boolean', default: false },
});

progress.stream = process.stderr;

await run(async () => {
  const { values } = readCommandLine(usage, options);
  const load = readLoad(values);
  checkEnginePrerequisites();
  await prepare();
  await build();
  const { DrillSystem } = await import('./drill/system.mjs');
  const { Rehearsal } = await import('./drill/rehearsal.mjs');
  const { report } = await import('./drill/report.mjs');
  const system = await DrillSystem.start();
  const rehearsal = new Rehearsal(system, load);
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
