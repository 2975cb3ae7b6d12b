import { X509Certificate } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import type { StateListener } from '@lanyard/kafka';
import { createLogger, seal } from '@lanyard/service';
import { certificateAuthority, TestClock } from '@lanyard/testing';
import { Authentication } from './authentication.js';
import { CredentialIndex } from './credential-index.js';
import type { Refusals } from './refusals.js';

const encryptionKey = Buffer.alloc(32, 7);
const tls = { host: '', port: 0, limits: { connectionsMax: 1, connectionsPerAddressMax: 1, idleMs: 1 } };
const id = (n: number): string => String(n).padStart(32, '0');

const psk = (n: number, identity: string, second: number): DeviceCredentialChanged => ({
  credentialId: id(n),
  accountId: id(0),
  kind: 'psk',
  deviceId: id(100 + n),
  identity,
  sealedKey: seal(encryptionKey, 'ab'.repeat(16)),
  changedAt: `2026-01-01T00:00:0${second}Z`,
});

/** A topic controlled by the test. */
const topicOf = () => {
  const state = new Map<string, DeviceCredentialChanged>();
  let listener: StateListener<DeviceCredentialChanged> = () => undefined;
  const reader = {
    onChange: (one: StateListener<DeviceCredentialChanged>) => {
      listener = one;
      return () => undefined;
    },
    get: (key: string) => state.get(key),
  };
  const say = (key: string, value: DeviceCredentialChanged | undefined): void => {
    const previous = state.get(key);
    if (value) state.set(key, value);
    else state.delete(key);
    listener(key, value, previous);
  };
  return { credentials: new CredentialIndex(reader, { secrets: { encryptionKey }, tls }), say };
};

/** Adds the reason of each refusal to `reasons`. */
const authenticationWith = (credentials: CredentialIndex, clock: TestClock, reasons: string[]): Authentication =>
  new Authentication(
    credentials,
    { report: (reason: string) => reasons.push(reason) } as unknown as Refusals,
    clock,
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
  );

describe('the credential index', () => {
  const [before, after] = [psk(1, 'meter', 1), psk(2, 'meter', 2)];

  it.each([
    ['in order', ['before', 'gone', 'after']],
    ['the successor before the end of its predecessor', ['before', 'after', 'gone']],
    ['the successor before its predecessor', ['after', 'before', 'gone']],
  ])('an identity that was withdrawn and given again: %s', (_order, steps) => {
    const { credentials, say } = topicOf();
    for (const step of steps) {
      if (step === 'before') say(id(1), before);
      if (step === 'after') say(id(2), after);
      if (step === 'gone') say(id(1), undefined);
    }
    expect(credentials.identified('meter')).toBe(after);
  });

  it('the newer of two is valid, and keys are read only when asked for', () => {
    const { credentials, say } = topicOf();
    say(id(2), after);
    say(id(1), before);
    expect(credentials.identified('meter')).toBe(after);
    expect(credentials.keyOf(after).toString('hex')).toBe('ab'.repeat(16));
    expect(() => credentials.keyOf({ ...after, sealedKey: seal(Buffer.alloc(32), 'ab') })).toThrow();
  });

  it('tells of what was withdrawn, not of what has changed', () => {
    const { credentials, say } = topicOf();
    const withdrawn: string[] = [];
    credentials.onWithdrawn(({ credentialId }) => withdrawn.push(credentialId));
    say(id(1), before);
    say(id(1), { ...before, identity: 'other' });
    expect(credentials.identified('meter')).toBeUndefined();
    expect(withdrawn).toEqual([]);
    say(id(1), undefined);
    say(id(9), undefined);
    expect(withdrawn).toEqual([id(1)]);
    expect([credentials.identified('other'), credentials.isValid({ id: id(1) })]).toEqual([undefined, false]);
  });

  it.each([
    ['the account that added it', id(0), 'certificate'],
    ['the account that proved its issuer, where another one added it', id(5), 'authority'],
  ] as const)('a certificate belongs to %s', (_whose, issuerAccount, kind) => {
    const { credentials, say } = topicOf();
    const issuer = certificateAuthority('issuer');
    const x509 = new X509Certificate(issuer.issue('meter').certificate);
    const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase();
    const changedAt = '2026-01-01T00:00:00Z';
    const own = { accountId: id(0), kind: 'certificate', deviceId: id(100), fingerprint } as const;
    const trusted = { accountId: issuerAccount, kind: 'authority', certificate: issuer.certificate } as const;
    say(id(1), { credentialId: id(1), changedAt, ...own });
    say(id(2), { credentialId: id(2), changedAt, ...trusted });
    expect(credentials.certified([x509], Date.now())?.credential.kind).toBe(kind);
  });

  it('an issuer that has expired lets no device in, and leaves none to another account', () => {
    const { credentials, say } = topicOf();
    const clock = new TestClock(Date.now());
    const reasons: string[] = [];
    const authentication = authenticationWith(credentials, clock, reasons);
    const issuer = certificateAuthority('issuer', { notAfter: new Date(clock.now() + 3_600_000) });
    const x509 = new X509Certificate(issuer.issue('meter').certificate);
    const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase();
    const changedAt = '2026-01-01T00:00:00Z';
    const added = { accountId: id(0), kind: 'certificate', deviceId: id(100), fingerprint } as const;
    const trusted = { accountId: id(5), kind: 'authority', certificate: issuer.certificate } as const;
    say(id(1), { credentialId: id(1), changedAt, ...added });
    say(id(2), { credentialId: id(2), changedAt, ...trusted });
    const enter = () => authentication.withCertificate([x509], 'address');
    expect(enter()).toMatchObject({ accountId: id(5), endpointName: 'meter' });
    clock.adjust(7_200_000);
    expect(enter()).toBeUndefined();
    expect(reasons).toEqual(['expired-certificate']);
  });

  it('an issuer that is inactive lets no device in, and leaves none to another account', () => {
    const { credentials, say } = topicOf();
    const clock = new TestClock(Date.now());
    const reasons: string[] = [];
    const withdrawn: string[] = [];
    credentials.onWithdrawn(({ credentialId }) => withdrawn.push(credentialId));
    const authentication = authenticationWith(credentials, clock, reasons);
    const issuer = certificateAuthority('issuer');
    const x509 = new X509Certificate(issuer.issue('meter').certificate);
    const fingerprint = x509.fingerprint256.replaceAll(':', '').toLowerCase();
    const changedAt = '2026-01-01T00:00:01Z';
    const added = { accountId: id(0), kind: 'certificate', deviceId: id(100), fingerprint } as const;
    const trusted = { accountId: id(5), kind: 'authority', certificate: issuer.certificate } as const;
    say(id(1), { credentialId: id(1), changedAt, ...added });
    say(id(2), { credentialId: id(2), changedAt, ...trusted });
    const enter = () => authentication.withCertificate([x509], 'address');
    const sender = enter();
    expect(sender).toMatchObject({ accountId: id(5), endpointName: 'meter', credential: { id: id(2) } });
    say(id(2), { credentialId: id(2), changedAt, ...trusted, kind: 'inactive_authority' });
    expect([enter(), credentials.isValid({ id: id(2) }), withdrawn]).toEqual([undefined, false, [id(2)]]);
    expect(reasons).toEqual(['unknown-certificate']);
    // Another certificate of the issuer counts instead, also an older one.
    say(id(3), { credentialId: id(3), changedAt: '2026-01-01T00:00:00Z', ...trusted });
    expect(enter()).toMatchObject({ accountId: id(5), credential: { id: id(3) } });
    say(id(3), undefined);
    say(id(2), undefined);
    expect(enter()).toMatchObject({ accountId: id(0), deviceId: id(100) });
  });

  it('an issuer that the account trusts may limit how many issuers are below it', () => {
    const { credentials, say } = topicOf();
    const root = certificateAuthority('root', { pathLength: 0 });
    const between = root.intermediate('between');
    const changedAt = '2026-01-01T00:00:00Z';
    const trusted = { accountId: id(0), kind: 'authority', certificate: root.certificate } as const;
    say(id(1), { credentialId: id(1), changedAt, ...trusted });
    const chains = [[root.issue('direct')], [between.issue('behind'), between]];
    const found = chains.map((chain) => {
      const shown = chain.map(({ certificate }) => new X509Certificate(certificate));
      return credentials.certified(shown, Date.now())?.credential.credentialId;
    });
    expect(found).toEqual([id(1), undefined]);
  });
});
