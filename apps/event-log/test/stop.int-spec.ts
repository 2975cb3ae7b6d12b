import { describe, expect, it } from '@jest/globals';
import { createLogger, LOGGER, startService, StopDeadline } from '@lanyard/service';
import { type InfrastructureName, newIdentityKeys, stopLog, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

/**
 * While parts do not answer, each waits for its share of this time, and the last share ends shortly before it. The stop as a
 * whole is given the time of production: a process that stands still for a moment would otherwise miss its end.
 */
const sharedMs = 4_000;

const logOfStop = (broken: readonly InfrastructureName[]): Promise<string[]> =>
  stopLog('event-log-stop', broken, async ({ environment, destination }) => {
    const config = readConfig({
      ...environment,
      ...newIdentityKeys().serviceEnv,
    });
    const logger = createLogger({ app: 'event-log', replicaId: 'event-log-0', level: 'info', destination });
    const service = await startService(definition, config, withProviders([LOGGER, logger]));
    const stop = (): Promise<void> => {
      if (broken.length > 0) service.app.get(StopDeadline).begin(sharedMs);
      return service.stop();
    };
    return { url: service.url, stop };
  });

describe('the stop of an event log', () => {
  it('ends all of its parts', async () => {
    expect((await logOfStop([])).filter((line) => line.startsWith('stop'))).toEqual(['stopped']);
  });

  it.each<InfrastructureName[][]>([[['postgresql']], [['kafka']], [['kafka', 'postgresql']]])(
    'leaves each part its share of the time while %s do not answer',
    async (broken) => {
      expect((await logOfStop(broken)).at(-1)).toBe('stopped');
    },
  );
});
