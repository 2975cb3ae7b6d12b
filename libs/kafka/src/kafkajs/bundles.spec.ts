import { describe, expect, it } from '@jest/globals';
import type { Message } from 'kafkajs';
import { Bundles, unbundled } from './bundles.js';
import { keyPartitioner } from './partitioner.js';
import { replaceParts } from './replacements.js';

replaceParts();

const message = (key: string | null, value: string): Message => ({ key, value });
const partitionsOf = (count: number): never =>
  Array.from({ length: count }, (_, partitionId) => ({ partitionId, leader: 1 })) as never;

const messages = Array.from({ length: 200 }, (_, n) => message(`device ${n % 40}`, String(n)));

/** What kafkajs would make of them: the messages of each partition. */
const byPartition = (sent: readonly Message[], partitionOf: (message: Message) => number): Map<number, string[]> => {
  const lists = new Map<number, string[]>();
  for (const one of sent) {
    const partition = partitionOf(one);
    lists.set(partition, [...(lists.get(partition) ?? []), ...unbundled([one]).map(({ value }) => String(value))]);
  }
  return lists;
};

describe('bundles', () => {
  it('are not made before kafkajs has said how many partitions there are', () => {
    expect(new Bundles().bundle('t', messages)).toEqual(messages);
  });

  it('carry the messages of a partition in order, and nothing else', () => {
    const bundles = new Bundles();
    const partitionMetadata = partitionsOf(8);
    const [partitioner, plain] = [bundles.partitioner(), keyPartitioner()];
    partitioner({ topic: 't', partitionMetadata, message: message('k', 'v') });
    const sent = bundles.bundle('t', messages);
    expect(sent.length).toBeLessThanOrEqual(8);
    expect(byPartition(sent, (one) => partitioner({ topic: 't', partitionMetadata, message: one }))).toEqual(
      byPartition(messages, (one) => plain({ topic: 't', partitionMetadata, message: one })),
    );
  });

  it('leave out what has no key: kafkajs spreads it', () => {
    const bundles = new Bundles();
    bundles.partitioner()({ topic: 't', partitionMetadata: partitionsOf(2), message: message('k', 'v') });
    const keyless = message(null, 'without a key');
    const sent = bundles.bundle('t', [message('k', 'a'), keyless]);
    expect(sent).toContain(keyless);
    expect(unbundled(sent).map(({ value }) => value)).toEqual(['without a key', 'a']);
  });

  it('for a partition that is gone are refused, and made for those that are left', () => {
    const bundles = new Bundles();
    const partitioner = bundles.partitioner();
    partitioner({ topic: 't', partitionMetadata: partitionsOf(8), message: message('k', 'v') });
    const far = bundles.bundle('t', messages).find(({ partition }) => (partition ?? 0) >= 2) as Message;
    expect(() => partitioner({ topic: 't', partitionMetadata: partitionsOf(2), message: far })).toThrow('no partition');
    expect(bundles.bundle('t', messages).map(({ partition }) => partition)).toEqual([0, 1]);
  });
});
