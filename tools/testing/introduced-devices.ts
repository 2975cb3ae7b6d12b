/** Creates devices in the directory, each with a pre-shared key, and the file with which the simulator plays them. */
import { writeFileSync } from 'node:fs';
import type { Lanyard } from '@lanyard/client';
import { severalAtOnce } from './several-at-once.ts';

/** Requests to the registry at the same time. */
const atOnce = 20;

/** Creates a pre-shared key. @returns The line of the credentials file */
export const credentialLine = async (lanyard: Lanyard, id: string, name: string) => {
  const made = await lanyard.call('POST /v3/devices/{id}/credentials', { path: { id }, body: { kind: 'psk' } });
  const { identity, key } = made as { identity?: string; key?: string };
  return `${name} ${identity} ${key}`;
};

/** @returns The ids of the devices by their names. */
export const introduceDevices = async (lanyard: Lanyard, names: readonly string[], credentialsFile: string) => {
  const lines: string[] = [];
  const ids = new Map<string, string>();
  await severalAtOnce(atOnce, names, async (name) => {
    const { id } = await lanyard.call('POST /v3/devices', { body: { endpoint_name: name } });
    lines.push(await credentialLine(lanyard, id, name));
    ids.set(name, id);
  });
  writeFileSync(credentialsFile, lines.join('\n'), { mode: 0o600 });
  return ids;
};
