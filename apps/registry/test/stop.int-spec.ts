import { describe, expect, it } from '@jest/globals';
import { createLogger, LOGGER, startService, StopDeadline } from '@lanyard/service';
import { type InfrastructureName, newIdentityKeys, stopLog, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

const logOfStop = (broken: readonly InfrastructureName[]): Promise<string[]> =>
  stopLog('registry-stop', broken, async ({ environment, destination }) => {
    const config = readConfig({
      ...environment,
      ...newIdentityKeys().serviceEnv,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
    });
    const logger = createLogger({ app: 'registry', replicaId: 'registry-0', level: 'info', destination });
    const service = await startService(definition, config, withProviders([LOGGER, logger]));
    return { service, deadline: service.app.get(StopDeadline) };
  });

describe('the stop of a registry', () => {
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
