import kafkajs, { type ICustomPartitioner } from 'kafkajs';
import { privateModule } from './modules.js';
import { isReplaced } from './switches.js';

const multiplier = 0x5bd1e995;
const seed = 0x9747b28c;

/** The hash of the Java client: messages of one key share a partition, whichever client produces them. Signed, 32 bits. */
export const murmur2 = (key: Buffer): number => {
  const { length } = key;
  const whole = length & ~3;
  let hash = seed ^ length;
  for (let at = 0; at < whole; at += 4) {
    let part = Math.imul(key.readInt32LE(at), multiplier);
    part = Math.imul(part ^ (part >>> 24), multiplier);
    hash = Math.imul(hash, multiplier) ^ part;
  }
  const rest = length - whole;
  if (rest === 3) hash ^= (key[whole + 2] as number) << 16;
  if (rest >= 2) hash ^= (key[whole + 1] as number) << 8;
  if (rest >= 1) hash = Math.imul(hash ^ (key[whole] as number), multiplier);
  hash = Math.imul(hash ^ (hash >>> 13), multiplier);
  return hash ^ (hash >>> 15);
};

const kafkajsMurmur2 = privateModule('producer/partitioners/default/murmur2.js') as (key: string | Buffer) => number;

/** The partition of a key's messages in a topic with this many partitions. */
export const partitionOf = (key: string | Buffer, partitions: number): number => {
  const hash = isReplaced('partitioner')
    ? murmur2(typeof key === 'string' ? Buffer.from(key) : key)
    : kafkajsMurmur2(key);
  return (hash & 0x7fffffff) % partitions;
};

/** As kafkajs' default partitioner, which computes the hash with BigInt. */
export const keyPartitioner: ICustomPartitioner = () => {
  const defaultPartition = kafkajs.Partitioners.DefaultPartitioner();
  return (about) => {
    const { message, partitionMetadata } = about;
    if (message.key === null || message.key === undefined || typeof message.partition === 'number')
      return defaultPartition(about);
    return partitionOf(message.key, partitionMetadata.length);
  };
};
