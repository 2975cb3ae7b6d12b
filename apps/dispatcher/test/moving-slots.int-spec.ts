import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { newId } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { OwnCluster } from './own-cluster.js';
import { queueBench } from './queue-bench.js';

describe('queues while a slot of a Redis Cluster moves', () => {
  let cluster: OwnCluster;

  beforeAll(async () => {
    cluster = await OwnCluster.start();
  });

  const bench = queueBench(() => cluster.url);

  afterAll(() => cluster?.stop());

  /** Takes everything from a channel, batch by batch. */
  const drain = async (channelId: string): Promise<number[]> => {
    const numbers: number[] = [];
    for (;;) {
      const claim = await bench.queue.claim(channelId, '');
      if (!claim) return numbers;
      numbers.push(...bench.numbersIn(claim.batch));
      await bench.queue.ack(claim.hold, claim.batch, 'release');
    }
  };

  it.each([
    ['the counters of the channels move first', /:m:/],
    ['the queues move first', /:q:/],
    ['the positions move last', /:(m:|q:|expiry|ready)/],
  ])('appends each event once to each channel: %s', async (_, first) => {
    const channels = [bench.channelId, newId()];
    for (const channelId of channels) await bench.register({ channelId });
    let count = 0;
    const batch = (audience = channels) => bench.batchOf([bench.event(`{"n":${count++}}`, { audience })]);
    // One queue has something, the other one does not exist.
    await bench.append([], bench.appender, batch([bench.channelId]));
    let waiting = batch();
    let refused = 0;
    const attempt = () =>
      bench.append([], bench.appender, waiting).then(
        () => void (waiting = batch()),
        () => void refused++,
      );
    const { era } = bench.link;
    await cluster.moveSlotOf(bench.keys.ofChannel(bench.channelId).positions, (key) => first.test(key), attempt);
    await attempt();
    // The node that has the slot now may lack what the other one had: a new era begins.
    await eventually(() => bench.append([], bench.appender, waiting));
    expect(bench.link.era).toBeGreaterThan(era);

    const all = Array.from({ length: count }, (__, n) => n);
    expect(refused).toBeGreaterThan(0);
    await bench.expectCountersToBeRight();
    expect(await drain(bench.channelId)).toEqual(all);
    expect(await drain(channels[1] as string)).toEqual(all.slice(1));
    for (const channelId of channels)
      expect(await bench.registry.inspect(channelId)).toMatchObject({ events: 0, dropped: { size: 0, age: 0 } });
  });
});
