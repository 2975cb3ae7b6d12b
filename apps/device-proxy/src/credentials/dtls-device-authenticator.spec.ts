import { describe, expect, it } from '@jest/globals';
import type { DeviceCredentialChanged } from '@lanyard/contracts';
import { HandshakeFailed, type HandshakeFailure, type HandshakeOfClient } from '@lanyard/dtls';
import { createLogger, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { Authentication } from './authentication.js';
import type { CredentialIndex } from './credential-index.js';
import { DtlsDeviceAuthenticator } from './dtls-device-authenticator.js';
import type { Refusals } from './refusals.js';

const credential: DeviceCredentialChanged = {
  credentialId: newId(),
  accountId: newId(),
  deviceId: newId(),
  kind: 'psk',
  identity: 'known',
  changedAt: '2026-01-01T00:00:00Z',
};

/** Why a client was refused: its handshake ended for this reason, after it had shown the identity (if there is one). */
const refusalsOf = (reason: HandshakeFailure, identity?: string): string[] => {
  const reasons: string[] = [];
  const credentials = {
    identified: (shown: string) => (shown === 'known' ? credential : undefined),
    keyOf: () => Buffer.alloc(16),
    onWithdrawn: () => undefined,
  };
  const authenticator = new DtlsDeviceAuthenticator(
    new Authentication(
      credentials as unknown as CredentialIndex,
      { report: (one: string) => reasons.push(one) } as unknown as Refusals,
      new TestClock(),
      createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    ),
  );
  const handshake: HandshakeOfClient = { remote: { address: '192.0.2.1', port: 5_684 } };
  if (identity !== undefined) authenticator.keyOf(Buffer.from(identity), handshake);
  authenticator.handshakeFailed(new HandshakeFailed(reason), handshake);
  return reasons;
};

describe('a DTLS handshake that ended without a connection', () => {
  it.each([
    ['abandoned', undefined, []],
    ['abandoned', 'known', []],
    ['abandoned', 'unknown', ['unknown-identity']],
    ['wrong-key', 'known', ['wrong-key']],
    ['refused', undefined, ['handshake-failed']],
  ] as const)('as %s, of a client with the identity %s, is reported as %j', (reason, identity, reasons) => {
    expect(refusalsOf(reason, identity)).toEqual(reasons);
  });
});
