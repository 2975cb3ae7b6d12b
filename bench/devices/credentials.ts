/** Pre-shared keys of simulated devices, as the registry would have announced them. */
import { writeFileSync } from 'node:fs';
import { DeviceCredentials, DeviceLifecycle } from '@lanyard/contracts';
import { newId, seal } from '@lanyard/service';
import type { BenchSystem } from '../system.ts';

export const keyHex = '000102030405060708090a0b0c0d0e0f';
/** Prefix of the names of devices that may connect over DTLS. */
export const securePrefix = 'secure-';

export const reporterName = (isSecure: boolean, n: number) => `${isSecure ? securePrefix : ''}reports-${n}`;

export const identityOf = (name: string) => `id-${name}`;

export const credentialOf = (name: string) => ({
  identity: Buffer.from(identityOf(name)),
  key: Buffer.from(keyHex, 'hex'),
});

/** Writes the credentials file of the simulator. */
export const writeCredentials = (file: string, names: readonly string[]) => {
  writeFileSync(file, names.map((name) => `${name} ${identityOf(name)} ${keyHex}\n`).join(''));
  return file;
};

const atOnce = 500;

/** Announces devices of the directory, with their keys if they may connect over DTLS. */
export const announceDevices = async (
  { producer, secrets }: BenchSystem,
  names: readonly string[],
  endpointType: string,
) => {
  const { accountId } = secrets;
  const sealedKey = seal(Buffer.from(secrets.encryptionKey, 'base64'), keyHex);
  const announce = async (endpointName: string) => {
    const [deviceId, changedAt] = [newId(), new Date().toISOString()];
    await producer.send(DeviceLifecycle, {
      ...{ deviceId, accountId, change: 'created' as const, endpointName, endpointType },
      ...{ lifecycleStatus: 'enabled' as const, revision: 1, changedAt },
    });
    if (!endpointName.startsWith(securePrefix)) return;
    await producer.send(DeviceCredentials, {
      ...{ credentialId: newId(), accountId, deviceId, kind: 'psk' as const, service: 'lwm2m' as const },
      ...{ identity: identityOf(endpointName), sealedKey, changedAt },
    });
  };
  for (let from = 0; from < names.length; from += atOnce)
    await Promise.all(names.slice(from, from + atOnce).map(announce));
};
