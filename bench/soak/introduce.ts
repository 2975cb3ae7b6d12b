/** Creates the devices of a soak in the directory, and a device group for each channel with the devices of this channel. */
import { writeFileSync } from 'node:fs';
import type { Lanyard } from '@lanyard/client';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { say } from '../../tools/lanyard/project.ts';
import { credentialLine } from '../../tools/testing/introduced-devices.ts';
import { severalAtOnce } from '../../tools/testing/several-at-once.ts';
import { bindingOf, credentialsFile, deviceNames, groupOf, isSecure } from './groups.ts';
import type { Load } from './options.ts';

/** Requests to the registry at the same time. */
const atOnce = 20;
const sayAfter = 10_000;
const importMs = 600_000;
const importPollMs = 1_000;

/** Calls `work` for each item, for `atOnce` of them at the same time. */
export const each = <Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>) =>
  severalAtOnce(atOnce, items, work);

const importDevices = async (lanyard: Lanyard, names: readonly string[]) => {
  const body = ['endpoint_name', ...names, ''].join('\n');
  const { id } = await lanyard.call('POST /v3/device-imports', { body });
  const isCompleted = async () => {
    const { status, errors_count: errors } = await lanyard.call('GET /v3/device-imports/{id}', { path: { id } });
    if (errors > 0) throw new Error(`${errors} devices could not be created`);
    return status === 'completed';
  };
  await waitUntil('the import', isCompleted, { timeoutMs: importMs, intervalMs: importPollMs });
};

/**
 * Everything is created before the first device registers: an idle system answers hundreds of requests a second, a busy one
 * tens.
 * @returns The ids of the devices by their names, and the ids of the groups by channel.
 */
export const introduce = async (lanyard: Lanyard, folder: string, load: Load) => {
  const channels = Array.from({ length: load.channels }, (_, channel) => channel);
  const all = channels.flatMap((channel) => deviceNames(channel, load).map((name) => ({ name, channel })));
  await importDevices(
    lanyard,
    all.map(({ name }) => name),
  );
  say('imported');
  const ids = new Map<string, string>();
  for await (const { id, endpoint_name: name } of lanyard.items('GET /v3/devices', { query: { limit: 1_000 } }))
    ids.set(String(name), id);
  const groups: string[] = [];
  await each(channels, async (channel) => {
    groups[channel] = (await lanyard.call('POST /v3/device-groups', { body: { name: groupOf(channel) } })).id;
  });
  const credentials = channels.map((): string[] => []);
  let done = 0;
  await each(all, async ({ name, channel }) => {
    const id = ids.get(name) ?? '';
    const path = { id: groups[channel] ?? '' };
    await lanyard.call('POST /v3/device-groups/{id}/devices/add', { path, body: { device_id: id } });
    if (isSecure(bindingOf(channel))) credentials[channel]?.push(await credentialLine(lanyard, id, name));
    if (++done % sayAfter === 0) say(`${done} devices are in their groups`);
  });
  for (const [channel, lines] of credentials.entries())
    if (lines.length > 0) writeFileSync(credentialsFile(folder, channel), lines.join('\n'), { mode: 0o600 });
  return { ids, groups };
};
