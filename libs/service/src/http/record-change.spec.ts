import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { dividedChange, recordChange, refuseOtherValues } from './record-change.js';

const record = z.object({ id: z.string(), name: z.string(), used_at: z.string().optional(), count: z.number() });
const changes = { name: z.string().optional() };
const schema = recordChange(record, changes);

const namesOf = (act: () => void): string[] => {
  try {
    act();
    return [];
  } catch (error) {
    return (error as { fields: { name: string }[] }).fields.map(({ name }) => name);
  }
};

describe('the change of a record', () => {
  it('takes fields of the record and no other', () => {
    expect(schema.safeParse({ name: 'new', id: '1', used_at: null, count: 2 }).success).toBe(true);
    expect(schema.safeParse({}).success).toBe(true);
    expect(schema.safeParse({ colour: 'red' }).error?.issues[0]).toMatchObject({ keys: ['colour'] });
    expect(schema.safeParse({ count: 'two' }).success).toBe(false);
  });

  it('is divided into what it changes and what stays as it is', () => {
    const body = schema.parse({ name: 'new', id: '1', count: 2 });
    expect(dividedChange(body, changes)).toEqual({ changes: { name: 'new' }, unchanged: { id: '1', count: 2 } });
  });

  it('is refused naming the read-only fields with another value; null and left out are the same', () => {
    const now = { id: '1', name: 'n', count: 2 };
    expect(namesOf(() => refuseOtherValues({ id: '1', used_at: null, count: 2 }, now))).toEqual([]);
    expect(namesOf(() => refuseOtherValues({ id: '2', used_at: 'x', count: 2 }, now))).toEqual(['id', 'used_at']);
    expect(namesOf(() => refuseOtherValues({ id: null, count: 3 }, now, ['count']))).toEqual(['id']);
  });
});
