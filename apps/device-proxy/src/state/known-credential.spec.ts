import { type DeviceCredentialChanged, DeviceCredentials, fixtures } from '@lanyard/contracts';
import { describe, expect, it } from '@jest/globals';
import { knownCredential } from './known-credential.js';

const announced = Object.entries(fixtures(DeviceCredentials).valid) as [string, DeviceCredentialChanged][];

describe('a credential that is kept', () => {
  it.each(announced)('says what was announced: %s', (_, credential) => {
    const known = knownCredential(credential, credential.credentialId);
    for (const [name, value] of Object.entries(credential))
      expect([name, known[name as keyof DeviceCredentialChanged]]).toEqual([name, value]);
    expect(known.service).toBe(credential.service);
  });

  it('takes less memory where it is the pre-shared key of a device', () => {
    const plain: DeviceCredentialChanged = {
      ...{
        credentialId: 'c'.repeat(32),
        accountId: 'a'.repeat(32),
        kind: 'psk',
        service: 'lwm2m',
        deviceId: '0a'.repeat(16),
      },
      ...{ identity: 'gerät', sealedKey: 'x.y-z_', changedAt: '2026-01-01T00:00:00.000000Z' },
    };
    const known = knownCredential(plain, plain.credentialId);
    expect(Object.keys(known)).toEqual(['credentialId', 'accountId', 'identity', 'deviceId', 'packed']);
    const { sealedKey, changedAt, kind, service } = known;
    expect({ ...plain, sealedKey, changedAt, kind, service }).toEqual(plain);
    const bootstrap = { ...plain, service: 'bootstrap' } as const;
    expect(knownCredential(bootstrap, plain.credentialId)).toBe(bootstrap);
  });
});
