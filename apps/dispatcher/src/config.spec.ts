import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { certificateAuthority, newIdentityKeys } from '@lanyard/testing';
import { type DispatcherConfig, readConfig } from './config.js';

describe('the configuration of callbacks', () => {
  const folder = mkdtempSync(join(tmpdir(), 'dispatcher-config-'));
  afterAll(() => rmSync(folder, { recursive: true }));

  const read = (settings: NodeJS.ProcessEnv): DispatcherConfig =>
    readConfig({
      KAFKA_BROKERS: 'a:1',
      DATABASE_URL: 'postgres://a',
      REDIS_URL: 'redis://a',
      ...newIdentityKeys().serviceEnv,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      ...settings,
    });

  const file = (content: string, name = 'bundle.pem'): string => {
    const path = join(folder, name);
    writeFileSync(path, content);
    return path;
  };

  it('takes all certificates of a bundle', () => {
    const [one, two] = [certificateAuthority('one').certificate, certificateAuthority('two').certificate];
    const { callback } = read({ DISPATCHER_CALLBACK_CA_FILE: file(`# ours\n${one}\nand theirs\n${two}`) });
    expect(callback.authorities).toEqual([one.trim(), two.trim()]);
    expect(read({}).callback.authorities).toEqual([]);
  });

  it.each([
    ['is not there', () => join(folder, 'missing.pem')],
    ['has no certificate', () => file('-----BEGIN PRIVATE KEY-----\n-----END PRIVATE KEY-----')],
    ['has a broken one', () => file('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----')],
  ])('a bundle that %s is named', (_, path) => {
    expect(() => read({ DISPATCHER_CALLBACK_CA_FILE: path() })).toThrow(/^DISPATCHER_CALLBACK_CA_FILE names/);
  });

  it('a certificate of the service needs its private key', () => {
    const { certificate, privateKey } = certificateAuthority('Public').issue('notifications.example');
    const ofCertificate = { DISPATCHER_CALLBACK_CERTIFICATE_FILE: file(certificate, 'certificate.pem') };
    const ofKey = { DISPATCHER_CALLBACK_PRIVATE_KEY_FILE: file(privateKey, 'key.pem') };
    expect(read({ ...ofCertificate, ...ofKey }).callback.certificate).toEqual({ cert: certificate, key: privateKey });
    expect(read({}).callback.certificate).toEqual({});
    for (const one of [ofCertificate, ofKey]) expect(() => read(one)).toThrow('must be set together');
    expect(() => read({ ...ofCertificate, DISPATCHER_CALLBACK_PRIVATE_KEY_FILE: file('none') })).toThrow(
      /^DISPATCHER_CALLBACK_PRIVATE_KEY_FILE names/,
    );
    const otherKey = file(certificateAuthority('Other').privateKey);
    expect(() => read({ ...ofCertificate, DISPATCHER_CALLBACK_PRIVATE_KEY_FILE: otherKey })).toThrow(
      'is not the key of the first certificate',
    );
  });

  it('a network that is none is named', () => {
    expect(() => read({ DISPATCHER_CALLBACK_ALLOW_CIDRS: '10.0.0.0' })).toThrow('DISPATCHER_CALLBACK_ALLOW_CIDRS');
  });
});
