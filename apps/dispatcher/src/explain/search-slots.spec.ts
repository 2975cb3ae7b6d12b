import { describe, expect, it } from '@jest/globals';
import { TooManySearches } from '../errors.js';
import { SearchSlots } from './search-slots.js';

/** A search that ends when the test ends it. */
const heldSearch = () => {
  let end: (found: string) => void = () => undefined;
  const found = new Promise<string>((resolve) => {
    end = resolve;
  });
  return { search: () => found, end };
};

describe('searches for events', () => {
  it('of one account run one at a time, and leave a slot to another', async () => {
    const slots = new SearchSlots();
    const [first, second] = [heldSearch(), heldSearch()];
    const found = slots.run('a', first.search);
    const refusal = { status: 429, code: 'rate_limit_exceeded', retryAfterSeconds: 5 };
    await expect(slots.run('a', second.search)).rejects.toMatchObject(refusal);
    const other = slots.run('b', second.search);
    await expect(slots.run('c', second.search)).rejects.toThrow(TooManySearches);
    first.end('found');
    second.end('found as well');
    expect(await Promise.all([found, other])).toEqual(['found', 'found as well']);
  });

  it('that fail give their slots back', async () => {
    const slots = new SearchSlots();
    const fail = (): Promise<void> => slots.run('a', () => Promise.reject(new Error('Kafka is away')));
    for (let n = 0; n < 3; n++) await expect(fail()).rejects.toThrow('Kafka is away');
  });
});
