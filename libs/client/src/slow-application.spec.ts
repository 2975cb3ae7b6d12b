import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { ChannelService } from '../test/channel-service.js';
import { Channel, type ChannelLimits, type ChannelState } from './channel.js';
import { textOf } from './bytes.js';
import { type LanyardEvent, type ValueEvent } from './events.js';
import { Http } from './http.js';

const numberOf = (event: LanyardEvent): number => Number(textOf((event as ValueEvent).payload));

describe('an application that takes slowly', () => {
  let service: ChannelService;
  let channel: Channel;
  const states: ChannelState[] = [];

  const listening = async (
    limits: Partial<ChannelLimits>,
    pongMaxMs?: number,
    messagesPerPing?: number,
  ): Promise<AsyncIterator<LanyardEvent>> => {
    service = new ChannelService(pongMaxMs, messagesPerPing);
    states.length = 0;
    const http = new Http({ baseUrl: await service.start(), key: 'ak_1x', timeoutMs: 5_000, retries: 0, fetch });
    const onState = (state: ChannelState): void => void states.push(state);
    channel = await Channel.open(http, { reconnectMaxMs: 10, onState }, limits);
    return channel[Symbol.asyncIterator]();
  };

  const take = async (events: AsyncIterator<LanyardEvent>, count: number): Promise<number[]> => {
    const taken: number[] = [];
    while (taken.length < count) taken.push(numberOf((await events.next()).value as LanyardEvent));
    return taken;
  };

  const isIn = (state: ChannelState): Promise<unknown> => eventually(() => expect(states.at(-1)).toBe(state));

  afterEach(() => {
    channel.close();
    service.stop();
  });

  it.each([
    // A message takes longer than the service waits for a pong.
    [10, 100, 200, 12],
    // Every message takes less, and those that are under way together take longer.
    [40, 10, 7_000, 15],
    // Many messages in what was read together.
    [400, 4, 200, 3],
  ])(
    'gets all of %i messages of %i events once, in order, and only a few are held',
    async (messages, each, bytes, ms) => {
      const heldMax = 20;
      const events = await listening({ heldMax, pausedMaxMs: 450 }, 900);
      service.queue(messages, each, bytes);
      const taken: number[] = [];
      let lostInCrashMax = 0;
      while (taken.length < messages * each) {
        taken.push(...(await take(events, 1)));
        lostInCrashMax = Math.max(lostInCrashMax, service.confirmed * each - taken.length);
        await sleep(ms);
      }
      expect(taken).toEqual(Array.from({ length: messages * each }, (_, i) => i));
      // What one read of a socket gives is added to what is held.
      expect(lostInCrashMax).toBeLessThanOrEqual(heldMax + 3 * each + Math.ceil(65_536 / bytes));
      expect(service.closeCodes).not.toContain(1001);
    },
  );

  it('gets each event once if the service sends many messages before a ping', async () => {
    const events = await listening({ heldMax: 20, pausedMaxMs: 450 }, 10_000, 16);
    // Each message is more than one read of a socket.
    service.queue(30, 10, 7_000);
    const taken: number[] = [];
    while (taken.length < 300) {
      taken.push(...(await take(events, 1)));
      await sleep(10);
    }
    expect(taken).toEqual(Array.from({ length: 300 }, (_, i) => i));
  });

  it('is connected again when half of what was held is taken, and not before', async () => {
    const events = await listening({ heldMax: 10, pausedMaxMs: 50 });
    service.queue(100, 1, 65_536);
    await isIn('waiting');
    expect(await take(events, 4)).toEqual([0, 1, 2, 3]);
    await sleep(100);
    expect([service.connections.length, states]).toEqual([1, ['open', 'waiting']]);
    expect(await take(events, 96)).toEqual(Array.from({ length: 96 }, (_, i) => i + 4));
    expect(states.slice(0, 4)).toEqual(['open', 'waiting', 'connecting', 'open']);
  });

  it('is not connected either when the connection was lost meanwhile', async () => {
    const events = await listening({ heldMax: 10 });
    service.queue(1, 10);
    await eventually(() => expect(service.confirmed).toBe(1));
    service.connections[0]?.terminate();
    service.queue(50, 10);
    expect(await take(events, 1)).toEqual([0]);
    await sleep(300);
    expect([service.connections.length, service.confirmed]).toEqual([1, 1]);
    expect(await take(events, 509)).toEqual(Array.from({ length: 509 }, (_, i) => i + 1));
  });

  it('is not flooded by a service that does not ping', async () => {
    await listening({ heldMax: 10, pausedMaxMs: 50 });
    for (let i = 0; i < 80; i++)
      service.connections[0]?.send(JSON.stringify({ registrations: [{ ep: 'd' }, { ep: 'd' }] }));
    await eventually(() => expect(service.connections.length).toBe(2));
  });

  it('is not taken for a service that is silent', async () => {
    const events = await listening({ heldMax: 10, silenceMaxMs: 3_000, pausedMaxMs: 60_000 }, 60_000);
    service.queue(2, 10, 65_536);
    await eventually(() => expect(service.confirmed).toBe(1));
    await sleep(4_500);
    expect(await take(events, 20)).toHaveLength(20);
    expect(service.connections.length).toBe(1);
  });

  it('closes in time', async () => {
    await listening({ heldMax: 10 });
    service.queue(20, 10, 20_000);
    await eventually(() => expect(service.confirmed).toBe(1));
    channel.close();
    await eventually(() => expect(service.closeCodes).toEqual([1000]));
    expect(service.confirmed).toBe(1);
  });
});
