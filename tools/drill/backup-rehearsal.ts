/** Backs up an installation that is in use, restores it into another one with empty infrastructure, and compares both. */
import { rmSync, mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { Lanyard } from '@lanyard/client';
import { restoreBackup, writeBackup } from '../backup/backup-file.ts';
import { countsText } from '../backup/installation.ts';
import { dataFolder, say } from '../lanyard/project.ts';
import { waitUntil } from '../lanyard/probes.ts';
import { Simulator } from '../testing/simulator.ts';
import { CallbackApplication, sensorClient } from './applications.ts';
import { UpdateCampaign } from './update-campaign.ts';
import type { InfrastructureUrls } from '../lanyard/service-processes.ts';

const devices = 20;
const patience = { timeoutMs: 300_000 };

/** `callbackHost`: the address of this machine that the dispatchers reach */
export interface BackedUpSystem {
  baseUrl: string;
  coapUrls: string[];
  adminKey: string;
  callbackHost?: string;
  infrastructureUrls: InfrastructureUrls;
  stopServices(): Promise<void>;
  revive(): Promise<unknown>;
  stop(): Promise<void>;
}

const clientOf = ({ baseUrl }: BackedUpSystem, key: string) => new Lanyard({ baseUrl, key, retries: 10 });

const idsOf = async (lanyard: Lanyard) =>
  (await Array.fromAsync(lanyard.items('GET /v3/devices'))).map(({ id }) => id).sort();

const infrastructureOf = ({ infrastructureUrls: { databaseUrl, brokers } }: BackedUpSystem) => ({
  databaseUrl,
  brokers,
  topicPrefix: '',
});

const fleetOf = (system: BackedUpSystem) =>
  Simulator.start({
    devices,
    server: system.coapUrls.join(','),
    'name-prefix': 'backup',
    'values-per-second': 20,
    'numbered-values': true,
    'update-seconds': 10,
    'back-off-max-ms': 3_000,
  });

const seconds = (sinceMs: number) => ((performance.now() - sinceMs) / 1_000).toFixed(1);

/**
 * @param first an installation that runs
 * @param another makes a second one with the secrets and the packages of the first, which it may stop
 * @returns the exit code
 */
export const rehearseBackup = async (first: BackedUpSystem, another: () => Promise<BackedUpSystem>) => {
  mkdirSync(dataFolder(), { recursive: true });
  const folder = mkdtempSync(join(dataFolder(), 'drill-backup-'));
  const file = join(folder, 'backup');
  const { adminKey } = first;
  let second: BackedUpSystem | undefined;
  const running: { stop(): unknown }[] = [];
  try {
    const administrator = clientOf(first, adminKey);
    const { lanyard: client } = await sensorClient(first.baseUrl, administrator, 'backup drill');
    const application = await new CallbackApplication().start(client, first.callbackHost);
    running.push(application);
    const fleet = await fleetOf(first);
    running.push(fleet);
    const isUsed = async () => application.inbox.items > devices * 5;
    await waitUntil('values of the first installation', isUsed, patience);
    const before = await idsOf(administrator);
    const { id: campaignId } = await UpdateCampaign.create(administrator);
    const started = performance.now();
    const written = await writeBackup(infrastructureOf(first), file);
    say(`backed up in ${seconds(started)} s`);
    await fleet.stop();

    // A fresh installation: its services create the tables, and are stopped during the restore.
    second = await another();
    await second.stopServices();
    const restoring = performance.now();
    const restored = await restoreBackup(infrastructureOf(second), file, { overwrite: true });
    say(`restored in ${seconds(restoring)} s`);
    await second.revive();
    const restoredAdministrator = clientOf(second, adminKey);
    const isKnown = () =>
      restoredAdministrator.call('GET /v3/api-keys/{id}', { path: { id: 'me' } }).then(Boolean, () => false);
    await waitUntil('the previous keys', isKnown, patience);
    const after = await idsOf(restoredAdministrator);
    const itemsBefore = application.inbox.items;
    running.push(await fleetOf(second));
    const haveArrived = async () => application.inbox.items > itemsBefore + devices;
    await waitUntil('values of the second installation at the callback of the first', haveArrived, patience);
    const campaign = new UpdateCampaign(restoredAdministrator, campaignId);
    await campaign.start();
    await campaign.finish();
    const updated = await campaign.succeeded();
    const problems = [
      ...(updated === before.length ? [] : [`${updated} of ${before.length} devices downloaded the restored package`]),
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
    rmSync(folder, { recursive: true, force: true });
  }
};
