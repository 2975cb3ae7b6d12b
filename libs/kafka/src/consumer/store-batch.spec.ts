import { describe, expect, it } from '@jest/globals';
import { InvalidMessage } from '@lanyard/contracts';
import { type Batch, PoisonMessage } from './batch.js';
import { storeBatch } from './store-batch.js';

const batchOf = (values: number[]): Pick<Batch<number>, 'messages'> => ({
  messages: values.map((value, n) => ({ value, offset: BigInt(100 + n) }) as Batch<number>['messages'][number]),
});

const refusal = (code: string): Error => Object.assign(new Error(`refused with ${code}`), { code });

describe('storing a batch', () => {
  it('takes one write, of the rows of all messages in their order', async () => {
    const writes: number[][] = [];
    await storeBatch(
      batchOf([3, 0, 2]),
      (n) => Array.from({ length: n }, () => n),
      async (rows) => void writes.push(rows),
    );
    expect(writes).toEqual([[3, 3, 3, 2, 2]]);
  });

  it.each([0, 1, 2, 3, 4])('finds the one that PostgreSQL refuses, at place %i', async (place) => {
    const values = [1, 2, 3, 4, 5].map((n) => (n === place + 1 ? -1 : n));
    const write = async (rows: number[]): Promise<void> => {
      if (rows.includes(-1)) throw refusal('22021');
    };
    await expect(storeBatch(batchOf(values), (n) => [n], write)).rejects.toEqual(
      new PoisonMessage(BigInt(100 + place), 'refused with 22021'),
    );
  });

  it('finds the one that is too large for an index', async () => {
    const write = async (rows: number[]): Promise<void> => {
      if (rows.includes(2)) throw Object.assign(refusal('54000'), { routine: '_bt_check_third_page' });
    };
    await expect(storeBatch(batchOf([1, 2, 3]), (n) => [n], write)).rejects.toMatchObject({ offset: 101n });
  });

  it.each(['GetNewTransactionId', 'GetNewMultiXactId', 'PreCommit_Notify'])(
    'finds none when %s is at its limit',
    async (routine) => {
      const write = async (): Promise<void> => {
        throw Object.assign(refusal('54000'), { routine });
      };
      await expect(storeBatch(batchOf([1, 2, 3]), (n) => [n], write)).rejects.toMatchObject({ code: '54000' });
    },
  );

  it('finds the one because of which something is announced that fits no topic', async () => {
    const write = async (rows: number[]): Promise<void> => {
      if (rows.includes(2)) throw new InvalidMessage('device.lifecycle', 'message: too long');
    };
    await expect(storeBatch(batchOf([1, 2, 3]), (n) => [n], write)).rejects.toMatchObject({ offset: 101n });
  });

  it('what makes no rows is poison', async () => {
    const rowsOf = (n: number): number[] => {
      if (n === 2) throw new RangeError('no such time');
      return [n];
    };
    await expect(storeBatch(batchOf([1, 2, 3]), rowsOf, async () => undefined)).rejects.toEqual(
      new PoisonMessage(101n, 'RangeError: no such time'),
    );
  });

  it.each(['57P01', '40P01', '53300'])(
    'an error that the data did not cause (%s) is thrown to the consumer',
    async (code) => {
      const writes: number[][] = [];
      const write = async (rows: number[]): Promise<void> => {
        writes.push(rows);
        throw refusal(code);
      };
      await expect(storeBatch(batchOf([1, 2]), (n) => [n], write)).rejects.toMatchObject({ code });
      expect(writes).toEqual([[1, 2]]);
    },
  );
});
