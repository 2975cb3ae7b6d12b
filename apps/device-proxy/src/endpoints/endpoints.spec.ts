import { describe, expect, it } from '@jest/globals';
import { type Identity, newId } from '@lanyard/service';
import type { Commands } from '../commands/commands.js';
import type { SessionStore } from '../sessions/session-store.js';
import type { DeviceGroupsReader } from '../state/device-groups.reader.js';
import { Endpoints } from './endpoints.js';

describe('lists of registered devices', () => {
  it('of one account read its sessions one after the other; one of another account begins', async () => {
    const begun: string[] = [];
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => {
      release = resolve;
    });
    async function* ofAccount(accountId: string): AsyncGenerator<string[]> {
      begun.push(accountId);
      await held;
      yield [];
    }
    const endpoints = new Endpoints(
      { ofAccount } as unknown as SessionStore,
      {} as unknown as Commands,
      {} as unknown as DeviceGroupsReader,
    );
    const list = (accountId: string): Promise<unknown[]> => endpoints.list({ accountId } as Identity, 'meter');
    const [many, other] = [newId(), newId()];
    const lists = Array.from({ length: 10 }, () => list(many));
    lists.push(list(other));
    await new Promise(setImmediate);
    expect(begun).toEqual([many, other]);
    release();
    expect((await Promise.all(lists)).flat()).toEqual([]);
    expect(begun).toHaveLength(11);
  });

  it('have at most 200 devices, of those that the caller may see', async () => {
    const seen = Array.from({ length: 201 }, (_, n) => `seen ${n}`);
    async function* ofAccount(): AsyncGenerator<string[]> {
      yield ['hidden', ...seen.slice(0, 100)];
      yield seen.slice(100);
    }
    const read = (deviceId: string): Promise<unknown> => Promise.resolve({ deviceId, data: { queueMode: false } });
    const endpoints = new Endpoints(
      { ofAccount, read } as unknown as SessionStore,
      {} as unknown as Commands,
      { get: (deviceId: string) => (deviceId === 'hidden' ? [] : ['north']) } as unknown as DeviceGroupsReader,
    );
    const caller = { accountId: newId(), deviceGroups: ['north'] } as unknown as Identity;
    const listed = (await endpoints.list(caller, undefined)).map(({ name }) => name);
    expect(listed).toEqual(seen.slice(0, 200));
  });
});
