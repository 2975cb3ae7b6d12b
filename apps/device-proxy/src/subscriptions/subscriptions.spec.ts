import { expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { DataSource } from 'typeorm';
import type { Commands } from '../commands/commands.js';
import type { SubscriptionStore } from '../interest/subscription-store.js';
import type { SessionStore } from '../sessions/session-store.js';
import type { WakeUps } from '../sessions/wake-ups.js';
import { Subscriptions } from './subscriptions.js';

it('the subscriptions of a key end on every device, also when Redis takes no messages to their owners', async () => {
  const devices = [newId(), newId()];
  const refuse = (): Promise<never> => Promise.reject(new Error('Connection is closed.'));
  const connection = { query: () => Promise.resolve({ rows: [] }) };
  const manager = { queryRunner: { isReleased: false, connect: () => Promise.resolve(connection) } };
  const database = {
    query: () => Promise.resolve(devices.map((deviceId) => ({ device_id: deviceId }))),
    transaction: (work: (manager: object) => Promise<unknown>) => work(manager),
  };
  const ended: string[] = [];
  const store = {
    lose: (_: unknown, which: { deviceId: string }) => {
      ended.push(which.deviceId);
      return Promise.resolve([which]);
    },
  };
  const sessions = { ownerOf: (deviceId: string) => (deviceId === devices[0] ? refuse() : Promise.resolve('dp-1')) };
  const subscriptions = new Subscriptions(
    database as unknown as DataSource,
    store as unknown as SubscriptionStore,
    {} as unknown as Commands,
    sessions as unknown as SessionStore,
    { on: () => undefined, send: refuse } as unknown as WakeUps,
    new TestClock(),
  );
  await subscriptions.forgetKey(newId());
  expect(ended).toEqual(devices);
});
