import { expect, it } from '@jest/globals';
import { type Server, type Socket } from 'node:net';
import { Duplex } from 'node:stream';
import { ManualClock } from '../../test/manual-clock.js';
import { Code } from '../codec/code.js';
import { StreamCore } from './core.js';
import { StreamListener } from './listener.js';

it('connections count together whose addresses have one source', () => {
  const core = new StreamCore({
    clock: new ManualClock(),
    limits: { connectionsPerAddressMax: 2 },
    sourceOf: (address) => address.split('::')[0] ?? '',
    onRequest: async () => ({ code: Code.Content }),
  });
  const listener = new StreamListener(core, () => undefined);
  const server = Reflect.get(listener, 'server') as Server;
  const isAdmitted = (remoteAddress: string): boolean => {
    const socket = new Duplex({ read: () => undefined, write: () => undefined });
    server.emit('connection', Object.assign(socket, { remoteAddress }) as unknown as Socket);
    return !socket.destroyed;
  };
  expect(isAdmitted('2001:db8:0:1::1')).toBe(true);
  expect(isAdmitted('2001:db8:0:1::2')).toBe(true);
  expect(isAdmitted('2001:db8:0:1::3')).toBe(false);
  expect(isAdmitted('2001:db8:0:2::1')).toBe(true);
  expect([listener.size, core.counters['connection-refused-by-limit']]).toEqual([3, 1]);
});
