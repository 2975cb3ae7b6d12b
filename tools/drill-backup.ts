/**
 * `npm run drill:backup`: an installation with devices, keys and a channel is backed up while it runs, restored into a
 * fresh one with empty engines, and compared: counts, keys, channel, a value that reaches the application again, and a
 * firmware image that devices download.
 */
import { cpSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { build } from './lanyard/install.ts';
import { removeData } from './lanyard/engine-processes.ts';
import { checkEnginePrerequisites } from './lanyard/prerequisites.ts';
import { waitUntil } from './lanyard/probes.ts';
import { root, run, say } from './lanyard/project.ts';
import type { TestSystem } from './testing/test-system.ts';

const devices = 20;

await run(async () => {
  checkEnginePrerequisites();
  await build();
  const { Lanyard } = await import('@lanyard/client');
  const { CallbackApplication, sensorPath } = await import('./drill/applications.ts');
  const { Simulator } = await import('./testing/simulator.ts');
  const { UpdateCampaign } = await import('./drill/update-campaign.ts');
  const { startDrillSystem } = await import('./drill/system.ts');
  const { restoreBackup, writeBackup } = await import('./backup/backup-file.ts');
  const { countsText } = await import('./backup/installation.ts');

  const patience = { timeoutMs: 300_000 };
  const clientOf = ({ baseUrl }: TestSystem, key: string) => new Lanyard({ baseUrl, key });
  const idsOf = async (lanyard: InstanceType<typeof Lanyard>) =>
    (await Array.fromAsync(lanyard.items('GET /v3/devices'))).map(({ id }) => id).sort();
  const engines = ({ engineUrls: { databaseUrl, brokers } }: TestSystem) => ({ databaseUrl, brokers, topicPrefix: '' });
  const fleetOf = (system: TestSystem) =>
    Simulator.start({
      devices,
      server: system.coapUrls.join(','),
      'name-prefix': 'backup',
      'values-per-second': 20,
      'numbered-values': true,
      'update-seconds': 10,
      'back-off-max-ms': 3_000,
    });

  mkdirSync(join(root, '.lanyard'), { recursive: true });
  const folder = mkdtempSync(join(root, '.lanyard/drill-backup-'));
  const file = join(folder, 'backup');
  const one = { gateway: 1 };
  const first = await startDrillSystem({ replicas: one });
  let second: TestSystem | undefined;
  const running: { stop(): void }[] = [];
  try {
    const administrator = clientOf(first, first.adminKey);
    const { key } = await administrator.call('POST /v3/api-keys', { body: { name: 'backup drill' } });
    const client = clientOf(first, key);
    const application = await new CallbackApplication().start(client);
    running.push(application);
    const rules = [{ 'endpoint-type': 'simulated', 'resource-path': [sensorPath] }];
    await client.call('PUT /v2/subscriptions', { body: rules });
    const fleet = await fleetOf(first);
    running.push(fleet);
    const isUsed = async () => application.inbox.items > devices * 5;
    await waitUntil('values of the first installation', isUsed, patience);
    const before = await idsOf(administrator);
    const { id: campaignId } = await UpdateCampaign.create(administrator);
    const started = performance.now();
    const written = await writeBackup(engines(first), file);
    say(`backed up in ${((performance.now() - started) / 1_000).toFixed(1)} s`);
    fleet.stop();

    // A fresh installation: its services make the tables, and stand still while the backup comes in.
    const { dataDir: source } = first.options;
    const prepare = (dataDir: string) => {
      for (const name of ['secrets.json', 'packages'])
        cpSync(join(source, name), join(dataDir, name), { recursive: true });
    };
    second = await startDrillSystem({ replicas: one, prepare });
    await second.stopServices();
    const restoring = performance.now();
    const restored = await restoreBackup(engines(second), file, { overwrite: true });
    say(`restored in ${((performance.now() - restoring) / 1_000).toFixed(1)} s`);
    await second.revive();
    const again = clientOf(second, first.adminKey);
    const isKnown = () => again.call('GET /v3/api-keys/{id}', { path: { id: 'me' } }).then(Boolean, () => false);
    await waitUntil('the previous keys', isKnown, patience);
    const after = await idsOf(again);
    const had = application.inbox.items;
    running.push(await fleetOf(second));
    const arrive = async () => application.inbox.items > had + devices;
    await waitUntil('values of the second installation at the callback of the first', arrive, patience);
    const campaign = new UpdateCampaign(again, campaignId);
    await campaign.start();
    await campaign.finish();
    const updated = await campaign.succeeded();
    const problems = [
      ...(updated === before.length ? [] : [`${updated} of ${before.length} devices downloaded the restored image`]),
      ...(await campaign.failed()),
      ...(JSON.stringify(before) === JSON.stringify(after) ? [] : ['the devices differ']),
      ...Object.entries(written.tables).flatMap(([name, n]) =>
        restored.tables[name] === n ? [] : [`${name}: ${restored.tables[name]} of ${n}`],
      ),
      ...Object.entries(written.states).flatMap(([name, n]) =>
        (restored.states[name] ?? 0) === n ? [] : [`${name}: ${restored.states[name]} of ${n}`],
      ),
    ];
    process.stdout.write(
      `${countsText(restored)}\ndevices ${before.length}, after ${after.length}, updated ${updated}\n`,
    );
    for (const problem of problems) process.stderr.write(`VIOLATION ${problem}\n`);
    return problems.length > 0 ? 1 : 0;
  } finally {
    for (const part of running) part.stop();
    await second?.stop();
    await first.stop();
    removeData(folder);
  }
});
process.exit();
