import { setTimeout as sleep } from 'node:timers/promises';
import type { Session } from '../cli.js';
import { isTemporary, pauseMs } from '../retries.js';

/**
 * The answer of `ask`, which reads the state of work that continues in the service. Asks again after temporary
 * failures; throws every other error.
 */
export const patiently = async <T>(
  { signal, onLost }: Pick<Session, 'signal' | 'onLost'>,
  ask: () => Promise<T>,
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await ask();
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
      if (failures === 0) onLost(error);
      await sleep(pauseMs(error, failures), undefined, { signal });
    }
};
