import { PassThrough } from 'node:stream';
import { expect, it } from '@jest/globals';
import { createLogger, type Identity, Metrics, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { AccessKeysReader } from './access-keys.reader.js';
import type { AppendNotifications } from './append-notifications.js';
import { Streams } from './streams.js';

const caller: Identity = {
  accountId: newId(),
  keyId: newId(),
  groups: [],
  permissions: ['devices'],
  tier: 'commercial',
  requestId: 'r',
};

it('a stream that is opened while the service stops ends at once, and says why', async () => {
  const keys = { onChange: () => undefined, statusOf: () => 'valid', scopeOf: () => undefined };
  const streams = new Streams(
    keys as unknown as AccessKeysReader,
    { onAppend: () => undefined } as unknown as AppendNotifications,
    new TestClock(),
    createLogger({ app: 'test', replicaId: 'test', level: 'silent' }),
    new Metrics('test', 'test'),
  );
  streams.beforeApplicationShutdown();
  const client = new PassThrough();
  const nothing = { events: [], place: { position: '0', id: '0' }, hasMore: false };
  void streams.run(caller, client, nothing.place, async () => nothing);
  await new Promise((turned) => setImmediate(turned));
  expect(String(client.read())).toBe('event: end\ndata: {"reason":"restart"}\n\n');
  client.destroy();
});
