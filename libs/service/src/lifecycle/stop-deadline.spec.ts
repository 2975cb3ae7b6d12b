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
    const begun = performance.now();
    // 3 s and 1.5 s for those that hang: the rest is for a busy machine.
    deadline.begin(6_000);
    await deadline.step('hangs', hangs);
    await deadline.step('hangs too', hangs);
    await deadline.step('throws', () => Promise.reject(new Error('away')));
    await deadline.step('works', () => void ran.push('works'));
    expect(performance.now() - begun).toBeLessThan(6_000);
    expect(ran).toEqual(['works']);
    expect(lines.map(({ step }) => step)).toEqual(['hangs', 'hangs too', 'throws']);
  });
});
