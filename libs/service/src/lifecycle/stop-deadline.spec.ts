import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../telemetry/logger.js';
import { StopDeadline } from './stop-deadline.js';

const hangs = (): Promise<void> => new Promise(() => undefined);

describe('the deadline of a stop', () => {
  it('leaves each step its share of the time, despite earlier ones that hang or fail', async () => {
    const lines: Record<string, unknown>[] = [];
    const destination = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
    const deadline = new StopDeadline(createLogger({ app: 'test', replicaId: 'test-0', level: 'error', destination }));
    const ran: string[] = [];
    deadline.begin(600);
    await deadline.step('hangs', hangs);
    await deadline.step('hangs too', hangs);
    await deadline.step('throws', () => Promise.reject(new Error('away')));
    await deadline.step('works', () => void ran.push('works'));
    expect(ran).toEqual(['works']);
    expect(lines.map(({ step }) => step)).toEqual(['hangs', 'hangs too', 'throws']);
    // Half of the time and half of the rest, or less on a machine that stands still.
    const [first, second] = lines.map(({ waitedMs }) => waitedMs);
    expect(first).toBeLessThanOrEqual(300);
    expect(second).toBeLessThan(200);
  });
});
