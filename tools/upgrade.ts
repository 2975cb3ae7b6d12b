/**
 * `npm run upgrade [-- OPTIONS]`: starts two replicas of everything from a previous commit (default: HEAD~1), and under load
 * rolls them to this commit one by one, back, and forward again. Ends with 1 when anything was lost or a call failed twice.
 */
import { loadOptions, loadUsage, readLoad } from './drill/load-options.ts';
import { command } from './lanyard/command-line.ts';
import { prepareSystem } from './lanyard/install.ts';
import { root, say, sleep } from './lanyard/project.ts';

const usage = `npm run upgrade -- [--from REF] ${loadUsage} [--json]`;

const options = {
  from: { type: 'string', default: 'HEAD~1' },
  ...loadOptions,
  json: { type: 'boolean', default: false },
} as const;

await command({ usage, options, printsResult: true }, async ({ values }) => {
  const load = readLoad(values);
  await prepareSystem();
  const { PreviousCommit } = await import('./drill/previous.ts');
  const { startDrillSystem } = await import('./drill/system.ts');
  const { Rehearsal } = await import('./drill/rehearsal.ts');
  const { report } = await import('./drill/report.ts');
  const previous = await PreviousCommit.checkOut(values.from);
  say(`from ${previous.commit}`);
  const system = await startDrillSystem({ rootOf: previous.folder });
  const rehearsal = new Rehearsal(system, {
    ...load,
    // Only requests that both versions know are sent.
    explains: false,
    successGoal: 1,
    // The older version may write other entries than this one.
    audited: false,
  });
  const roll = async (direction: string, folder: string, names: readonly string[]) => {
    for (const name of names)
      await rehearsal.step(
        `${name} ${direction}`,
        async () => {
          system.roots.set(name, folder);
          await system.restart(name);
        },
        // Only on the way back, the process that ends has this version; an older one may not close WebSockets in order.
        { inOrder: direction === 'back' },
      );
  };
  const named = (form: RegExp) => system.replicaNames.filter((name) => form.test(name));
  // The event log is upgraded before all others, and rolled back after them (docs/operations.md).
  const [log, first, second] = [named(/^event-log/), named(/^(?!event-log).*-0$/), named(/^(?!event-log).*-1$/)];
  try {
    await rehearsal.begin();
    await rehearsal.step(`all of ${previous.commit}`, () => sleep(10_000));
    await roll('forward', root, [...log, ...first]);
    await rehearsal.step('both versions', () => sleep(20_000));
    await roll('forward', root, second);
    await rehearsal.step('all of this version', () => sleep(10_000));
    await roll('back', previous.folder, [...first, ...second, ...log]);
    await rehearsal.step(`all of ${previous.commit} again`, () => sleep(10_000));
    await roll('forward again', root, [...log, ...first, ...second]);
    say('waiting for what is owed');
    return report(rehearsal, await rehearsal.end(), values.json);
  } finally {
    rehearsal.stop();
    await system.stop();
    previous.remove();
  }
});
