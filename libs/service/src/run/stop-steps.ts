import { stopStepMinMs } from '../config/common.js';
import type { Logger } from '../telemetry/logger.js';
import { endsWithin } from '../ends-within.js';

export interface StopStep {
  name: string;
  run: () => Promise<void> | void;
}

/**
 * Runs the steps of a stop one after another, within one deadline. A step that waits for infrastructure that is down is left
 * behind in time for the others; so is one that fails. Nothing is lost by that: what has no effect yet is not committed.
 */
export const runStopSteps = async (steps: readonly StopStep[], timeoutMs: number, logger: Logger): Promise<void> => {
  const endMs = performance.now() + timeoutMs;
  for (const [n, { name, run }] of steps.entries()) {
    const keptMs = (steps.length - 1 - n) * stopStepMinMs;
    const leftMs = Math.max(0, endMs - performance.now() - keptMs);
    try {
      const ended = await endsWithin(leftMs, (async () => run())());
      if (!ended) logger.error({ step: name, waitedMs: Math.round(leftMs) }, 'stop: a step did not end in time');
    } catch (err) {
      logger.error({ err, step: name }, 'stop: a step failed');
    }
  }
};
