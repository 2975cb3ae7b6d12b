import { describe, expect, it } from '@jest/globals';
import { createLogger, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DeviceProxyConfig } from '../config.js';
import type { SessionEnds } from '../sessions/session-ends.js';
import type { Sessions } from '../sessions/sessions.js';
import type { CredentialIndex, Withdrawn } from './credential-index.js';
import { CredentialRevocation } from './credential-revocation.js';

describe('the withdrawal of a credential', () => {
  const logger = createLogger({ app: 'device-proxy', replicaId: 'test', level: 'silent' });

  /** Which sessions are looked at. */
  const looks = (withdrawal: Parameters<Withdrawn>[0]): string[] => {
    const seen: string[] = [];
    const listeners: Withdrawn[] = [];
    const sessions = {
      listen: () => undefined,
      all: () => {
        seen.push('all');
        return [];
      },
      get: (deviceId: string) => void seen.push(deviceId),
    };
    const revocation = new CredentialRevocation(
      { onWithdrawn: (listener: Withdrawn) => listeners.push(listener) } as unknown as CredentialIndex,
      sessions as unknown as Sessions,
      {} as unknown as SessionEnds,
      { dtls: {} } as unknown as DeviceProxyConfig,
    );
    Object.assign(revocation, { clock: new TestClock(), logger });
    revocation.onApplicationBootstrap();
    seen.length = 0;
    for (const listener of listeners) listener(withdrawal);
    return seen;
  };

  it('of a device looks at the session of this device', () => {
    const deviceId = newId();
    expect(looks({ credentialId: newId(), deviceId })).toEqual([deviceId]);
  });

  it('of an issuer looks at all sessions', () => {
    expect(looks({ credentialId: newId() })).toEqual(['all']);
  });
});
