import { createHash, createPublicKey, generateKeyPairSync } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually, selfSigned, withCertificate, withPublicKey } from '@lanyard/testing';
import { SecureTestSystem } from './secure-test-system.js';

const spkiOf = (pem: string): Buffer => createPublicKey(pem).export({ format: 'der', type: 'spki' });
const newPrivateKey = (): string =>
  generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'pem', type: 'pkcs8' }) as string;
const fingerprintOf = (pem: string): string => createHash('sha256').update(spkiOf(pem)).digest('hex');

describe('devices and their raw public keys', () => {
  let secured: SecureTestSystem;
  /** The server's, PEM. */
  let serverKey: string;

  beforeAll(async () => {
    secured = await SecureTestSystem.create('public-keys', 'DTLS');
    serverKey = createPublicKey(secured.server.certificate).export({ format: 'pem', type: 'spki' }) as string;
  });
  afterEach(() => secured.closeDevices());
  afterAll(() => secured.close());

  const deviceWith = async (name: string, privateKey: string): Promise<{ deviceId: string; credentialId: string }> => {
    const { system } = secured;
    const deviceId = newId();
    await system.lifecycle(deviceId, name, 'created');
    const credential = { kind: 'raw_public_key', deviceId, fingerprint: fingerprintOf(privateKey) } as const;
    return { deviceId, credentialId: await system.credential(credential) };
  };

  it('its own key lets a device in, another one does not; a withdrawn one disconnects it', async () => {
    const { system } = secured;
    const own = newPrivateKey();
    const { deviceId, credentialId } = await deviceWith('keyed', own);
    const thing = secured.device('keyed');
    await secured.connected(thing, withPublicKey(own, serverKey));
    expect(await thing.register('another')).toBe('4.03');
    expect(await thing.register()).toBe('2.01');
    expect((await secured.registered('keyed')).value.deviceId).toBe(deviceId);
    const stranger = secured.device('keyed');
    await expect(secured.connect(stranger, withPublicKey(newPrivateKey(), serverKey))).rejects.toThrow();
    await system.withdraw(credentialId);
    await eventually(() => expect(thing.connected).toBe(false));
    await system.fact(system.sessions, (v) => v.deviceId === deviceId && v.reason === 'credential-withdrawn');
    await expect(secured.connect(thing, withPublicKey(own, serverKey))).rejects.toThrow();
  });

  it('the key of a certificate is no credential by itself, nor the other way round', async () => {
    const certified = selfSigned('certified');
    await deviceWith('by-key', certified.privateKey);
    const thing = secured.device('by-key');
    await secured.connected(thing, withPublicKey(certified.privateKey, serverKey));
    const byCertificate = withCertificate(certified, secured.server.certificate);
    await expect(secured.connect(thing, byCertificate)).rejects.toThrow();
  });

  it('need only the private key of the listener', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'lanyard-rpk-'));
    const privateKeyFile = join(folder, 'server.key');
    await writeFile(privateKeyFile, secured.server.privateKey);
    const own = newPrivateKey();
    await deviceWith('plain-key', own);
    const replica = await secured.system.proxy('dp-rpk', { dtls: { privateKeyFile } });
    const thing = secured.device('plain-key');
    await secured.connected(thing, withPublicKey(own, serverKey), replica);
    expect(await thing.register()).toBe('2.01');
    await secured.system.stop(replica);
    await rm(folder, { recursive: true });
  });
});
