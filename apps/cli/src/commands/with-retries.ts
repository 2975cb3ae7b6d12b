import { setTimeout as sleep } from 'node:timers/promises';
import { isTemporary } from '@lanyard/client';
import type { Session } from '../cli.js';
import { pauseMs } from '../retries.js';

/**
 * The answer of `call`, which reads the state of work that continues in the service. Repeats the call after temporary
 * failures; throws every other error.
 */
export const withRetries = async <T>(
  { signal, onLost }: Pick<Session, 'signal' | 'onLost'>,
  call: () => Promise<T>,
): Promise<T> => {
  for (let failures = 0; ; failures++)
    try {
      return await call();
    } catch (error) {
      if (signal.aborted || !isTemporary(error)) throw error;
      if (failures === 0) onLost(error);
      await sleep(pauseMs(error, failures), undefined, { signal });
    }
};
