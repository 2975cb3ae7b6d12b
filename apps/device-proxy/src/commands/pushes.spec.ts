import { createLogger, Metrics } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import { expect, it } from '@jest/globals';
import type { DownlinkClient } from '../downlink/downlink-client.js';
import type { PackageSources } from '../downloads/package-sources.js';
import type { LastSeen } from '../sessions/last-seen.js';
import type { Session } from '../sessions/session.js';
import type { Command } from './command.entity.js';
import { Pushes } from './pushes.js';

it('a push counts as a message of the device from the first block that the device takes, not before', async () => {
  const heard: string[] = [];
  const push: DownlinkClient['push'] = (_session, _path, { onProgress }) => {
    heard.push('sent');
    onProgress(2);
    return Promise.resolve({ code: '2.04', payload: Buffer.alloc(0), contentType: 'text/plain' });
  };
  const source = { bytes: 4, read: () => Promise.resolve(Buffer.alloc(4)) };
  const pushes = new Pushes(
    { push } as unknown as DownlinkClient,
    { open: () => Promise.resolve(source) } as unknown as PackageSources,
    { recordMessage: () => void heard.push('heard') } as unknown as LastSeen,
    { pushMaxMs: 60_000 },
    new TestClock(),
    createLogger({ app: 'device-proxy', replicaId: 'test', level: 'silent' }),
    new Metrics('device-proxy', 'test'),
  );
  const outcome = await pushes.push({ deviceId: 'd' } as Session, { path: '/5/0/0' } as Command, 'a ticket');
  expect(outcome).toMatchObject({ outcome: 'succeeded' });
  expect(heard).toEqual(['sent', 'heard']);
});
