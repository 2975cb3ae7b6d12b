import { beforeEach, describe, expect, it } from '@jest/globals';
import { PositionGates } from './positions.js';

describe('a consumer in step with a store of positions', () => {
  const partition = 0;
  let sought: bigint[];
  let gates: PositionGates;

  beforeEach(() => {
    sought = [];
    gates = new PositionGates({ read: async () => new Map([[partition, 10n]]) }, 'topic');
    gates.assign(
      [partition],
      (_, offset) => void sought.push(offset),
      async () => undefined,
    );
  });

  const judge = (first: bigint, last: bigint): Promise<unknown> => gates.judge(partition, first, last);

  it('goes to the stored position, and handles what follows it', async () => {
    expect(await judge(10n, 12n)).toEqual({ kind: 'handle', from: 10n });
    await gates.advance(partition, 13n);
    expect(await judge(13n, 13n)).toEqual({ kind: 'handle', from: 13n });
    expect(sought).toEqual([10n]);
  });

  it('a fetch with the position in its middle is handled from there', async () => {
    expect(await judge(8n, 12n)).toEqual({ kind: 'handle', from: 10n });
  });

  it('a gap is sought once; offered again, the messages are gone', async () => {
    expect(await judge(15n, 16n)).toEqual({ kind: 'seek', to: 10n });
    expect(await judge(15n, 16n)).toEqual({ kind: 'handle', from: 10n });
  });

  it('what lies before is sought past once; offered again, Kafka is behind the store', async () => {
    expect(await judge(0n, 4n)).toEqual({ kind: 'seek', to: 10n });
    expect(await judge(0n, 4n)).toEqual({ kind: 'reread' });
  });

  describe('while the store does not answer', () => {
    let reads = 0;

    const assign = (pause: () => void): void =>
      gates.assign(
        [partition],
        () => undefined,
        async () => pause(),
      );

    beforeEach(() => {
      reads = 0;
      const read = async (): Promise<Map<number, bigint>> => {
        if (++reads === 1) throw new Error('the store is away');
        return new Map();
      };
      gates = new PositionGates({ read }, 'topic');
    });

    it('says why, and how often it has asked', async () => {
      const told: unknown[] = [];
      gates = new PositionGates({ read: () => Promise.reject(new Error('wrong type')) }, 'topic');
      gates.assign(
        [partition],
        () => undefined,
        async (error, failures) => {
          told.push([String(error), failures]);
          if (failures === 2) gates.end();
        },
      );
      await judge(0n, 1n);
      expect(told).toEqual([
        ['Error: wrong type', 1],
        ['Error: wrong type', 2],
      ]);
    });

    it('asks no more when it has ended', async () => {
      assign(() => gates.end());
      await judge(0n, 1n);
      expect(reads).toBe(1);
    });

    it('asks for the last assignment only', async () => {
      let superseded: Promise<unknown> | undefined;
      await new Promise<void>((resolve) => {
        assign(() => {
          assign(() => undefined);
          resolve();
        });
        superseded = judge(0n, 1n);
      });
      await Promise.all([superseded, judge(0n, 1n)]);
      expect(reads).toBe(2);
    });
  });
});
