import { afterAll, describe, expect, it } from '@jest/globals';
import { awaiting, awaitingMigrations, startsWithin } from './start-deadline.js';

let end: () => void;
const unending = new Promise<void>((resolve) => (end = resolve));

// What is waited for is of the whole process, in which other tests run.
afterAll(() => end());

describe('the deadline of a start', () => {
  it('names what is waited for, and nothing that has come', async () => {
    await awaiting('PostgreSQL at a', Promise.resolve());
    void awaiting('Kafka at b: topic x', unending);
    await expect(startsWithin(150, awaiting('Redis at c', unending))).rejects.toThrow(
      'Not started within 0.15 s (START_TIMEOUT_MS). Waiting for: Kafka at b: topic x; Redis at c',
    );
  });

  it('does not count migrations', async () => {
    const migrations = new Promise((resolve) => setTimeout(resolve, 500));
    const starting = awaitingMigrations(migrations).then(() => 'started');
    expect(await startsWithin(200, starting)).toBe('started');
    await expect(startsWithin(200, unending)).rejects.toThrow('Not started within 0.2 s');
  });
});
