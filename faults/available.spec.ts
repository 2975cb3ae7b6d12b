import { describe, expect, it } from '@jest/globals';
import { whenAvailable } from './available.ts';

describe('a call of the API during faults', () => {
  const answering = (...answers: [status: number, retryAfter?: string][]) => {
    const calls = { count: 0 };
    const call = async () => {
      const [status, retryAfter = null] = answers[calls.count++] ?? [500];
      return { status, retryAfter };
    };
    return { call, calls };
  };

  it('is tried again after 503, until there is another answer', async () => {
    const { call, calls } = answering([503, '0'], [503, '0'], [201]);
    await expect(whenAvailable(call)).resolves.toMatchObject({ status: 201 });
    expect(calls.count).toBe(3);
  });

  it('is not tried again after another error', async () => {
    const { call, calls } = answering([400, '0'], [201]);
    await expect(whenAvailable(call)).resolves.toMatchObject({ status: 400 });
    expect(calls.count).toBe(1);
  });

  it('ends with the 503 when there is no time for another attempt', async () => {
    const { call, calls } = answering([503, '0.02'], [503, '60'], [201]);
    await expect(whenAvailable(call, 10_000)).resolves.toMatchObject({ status: 503 });
    expect(calls.count).toBe(2);
  });
});
