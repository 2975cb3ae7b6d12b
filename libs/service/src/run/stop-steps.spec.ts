import { describe, expect, it } from '@jest/globals';
import { createLogger } from '../telemetry/logger.js';
import { stopStepMinMs } from '../config/common.js';
import { runStopSteps } from './stop-steps.js';

const lines: Record<string, unknown>[] = [];
const logger = createLogger({
  app: 'test',
  replicaId: 'test-0',
  level: 'error',
  destination: { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) },
});

describe('the steps of a stop', () => {
  it('end within the deadline, later ones in spite of earlier ones that hang or fail', async () => {
    const ran: string[] = [];
    const begun = performance.now();
    await runStopSteps(
      [
        { name: 'hangs', run: () => new Promise(() => undefined) },
        { name: 'throws', run: () => Promise.reject(new Error('away')) },
        { name: 'works', run: () => void ran.push('works') },
      ],
      2 * stopStepMinMs + 200,
      logger,
    );
    expect(ran).toEqual(['works']);
    expect(performance.now() - begun).toBeLessThan(2 * stopStepMinMs);
    expect(lines.map(({ step }) => step)).toEqual(['hangs', 'throws']);
  });
});
