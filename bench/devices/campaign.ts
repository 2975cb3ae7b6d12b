/**
 * An update campaign over many devices with DTLS connections, a quarter of which sleep most of the time. Campaigns and the
 * device-proxy are killed meanwhile. Fails when the progress does not add up, when a device is updated twice or not at all, or
 * when the event log does not have exactly one end for each device.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Lanyard } from '@lanyard/client';
import { sleep } from '../../tools/lanyard/project.ts';
import { UpdateCampaign } from '../../tools/drill/update-campaign.ts';
import { introduceDevices } from '../../tools/testing/introduced-devices.ts';
import { Simulator } from '../../tools/testing/simulator.ts';
import type { Bench, Context } from '../benches.ts';
import { round } from '../statistics.ts';

const devices = Number(process.env.LANYARD_BENCH_DEVICES || 2_000);
const sleepers = Math.floor(devices / 4);
const concurrency = 500;
const packageBytes = 20_000;
const patienceMs = 120_000 + devices * 300;

/** Processes that are killed with SIGKILL and restarted, each after a share of the devices has finished. */
const kills = [
  [0.25, 'campaigns-0'],
  [0.5, 'device-proxy-0'],
] as const;

/**
 * Devices that install at once, and update often: after a kill -9 of its device-proxy, a device continues with its next
 * message, the update of its registration.
 */
const quick = {
  'values-per-second': 0,
  'firmware-install-seconds': 0,
  'firmware-reboot-seconds': 0,
  'update-seconds': 30,
};
const sleeping = { 'queue-mode': true, 'awake-seconds': 5, 'update-seconds': 15 } as const;

const startFleet = async (lanyard: Lanyard, server: string, name: string, count: number, more = {}) => {
  const folder = mkdtempSync(join(tmpdir(), 'lanyard-campaign-'));
  const file = join(folder, 'credentials');
  const names = Array.from({ length: count }, (_, n) => `${name}-${n}`);
  await introduceDevices(lanyard, names, file);
  const common = { server, devices: count, 'credentials-file': file, 'registrations-per-second': 200, ...quick };
  const fleet = await Simulator.start({ ...common, ...more });
  await fleet.until(({ registered }) => registered === count, 'registrations');
  rmSync(folder, { recursive: true });
  return fleet;
};

const updatesOf = async (fleets: readonly Simulator[]) => {
  const counts = await Promise.all(fleets.map((fleet) => fleet.events('firmware-updated')));
  return counts.reduce((all, one) => all + one, 0);
};

/** Entries of the event log that say how a device ended in the campaign. */
const endsInLog = async (lanyard: Lanyard, campaignId: string) => {
  let ends = 0;
  for (const code of ['SYS_100', 'SYS_111', 'SYS_112']) {
    const entries = lanyard.items('GET /v3/device-events', { query: { event_code: code, limit: 1_000 } });
    for await (const { data } of entries) if (data?.campaign_id === campaignId) ends++;
  }
  return ends;
};

const run = async ({ system, say }: Context) => {
  const lanyard = new Lanyard({ baseUrl: system.baseUrl, key: system.adminKey, retries: 10 });
  const server = system.coapsUrls[0] ?? '';
  const fleets = [
    await startFleet(lanyard, server, 'awake', devices - sleepers),
    await startFleet(lanyard, server, 'sleeps', sleepers, sleeping),
  ];
  const campaign = await UpdateCampaign.create(lanyard, { bytes: packageBytes, concurrency });
  await campaign.start();
  const startedAt = performance.now();
  const elapsed = () => performance.now() - startedAt;
  const remainingKills = [...kills];
  let looks = 0;
  let saidAt = 0;
  for (;;) {
    const { devices: all, is_selection_complete: isComplete, ...counts } = await campaign.progress();
    const { waiting, updating, succeeded, skipped, failed, stopped } = counts;
    looks++;
    if (waiting + updating + succeeded + skipped + failed + stopped !== all || updating > concurrency)
      throw new Error(`the progress does not add up: ${JSON.stringify({ all, ...counts })}`);
    if (elapsed() > saidAt) {
      say(`after ${Math.round(elapsed() / 1_000)} s: ${JSON.stringify(counts)}`);
      saidAt += 10_000;
    }
    const [next] = remainingKills;
    if (next && succeeded >= next[0] * devices) {
      remainingKills.shift();
      say(`${succeeded} of ${all} updated after ${Math.round(elapsed() / 1_000)} s: kill -9 ${next[1]}`);
      system.signal(next[1], 'SIGKILL');
      await system.restart(next[1]);
    }
    if (isComplete && waiting + updating === 0) break;
    if (elapsed() > patienceMs) throw new Error(`not done: ${JSON.stringify({ all, ...counts })}`);
    await sleep(250);
  }
  const seconds = elapsed() / 1_000;
  const notUpdated = await campaign.failed();
  const [updates, ends] = [await updatesOf(fleets), await endsInLog(lanyard, campaign.id)];
  await Promise.all(fleets.map((fleet) => fleet.stop()));
  if (notUpdated.length > 0)
    throw new Error(`${notUpdated.length} devices not updated: ${notUpdated.slice(0, 5).join('; ')}`);
  if (remainingKills.length > 0 || updates !== devices || ends !== devices)
    throw new Error(`${updates} updates and ${ends} ends of ${devices} devices`);
  return { devices, sleeping_devices: sleepers, seconds: round(seconds), per_second: round(devices / seconds), looks };
};

export const campaign: Bench = {
  about: `an update campaign over ${devices} DTLS devices (LANYARD_BENCH_DEVICES), a quarter in queue mode, over kill -9 of campaigns and of the device-proxy`,
  replicas: { campaigns: 2 },
  env: {
    CAMPAIGNS_POLL_MIN_MS: '1000',
  },
  run,
};
