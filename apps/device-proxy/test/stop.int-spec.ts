import { describe, expect, it } from '@jest/globals';
import { createLogger, LOGGER, startService, StopDeadline } from '@lanyard/service';
import { type InfrastructureName, newIdentityKeys, stopLog, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

/** Nothing is broken: all parts end, however slow the machine is. */
const patientMs = 120_000;

const logOfStop = (broken: readonly InfrastructureName[]): Promise<string[]> =>
  stopLog('device-proxy-stop', broken, async ({ environment, redisPrefix, destination }) => {
    const config = readConfig({
      ...environment,
      ...newIdentityKeys().serviceEnv,
      ENCRYPTION_KEY: Buffer.alloc(32).toString('base64'),
      DEVICE_PROXY_REDIS_PREFIX: `${redisPrefix}dp:`,
      DEVICE_PROXY_COAP_TLS_ENABLED: 'true',
      DEVICE_PROXY_COAP_TLS_PORT: '0',
    });
    const logger = createLogger({ app: 'device-proxy', replicaId: 'dp-0', level: 'info', destination });
    const http = { host: '127.0.0.1', port: 0 };
    const timeout = broken.length === 0 && { stopTimeoutMs: patientMs };
    const service = await startService(definition, { ...config, http, ...timeout }, withProviders([LOGGER, logger]));
    return { service, deadline: service.app.get(StopDeadline) };
  });

describe('the stop of a device proxy', () => {
  it('ends all of its parts', async () => {
    expect((await logOfStop([])).filter((line) => line.startsWith('stop'))).toEqual(['stopped']);
  });

  it.each<InfrastructureName[][]>([[['postgresql']], [['kafka']], [['redis']], [['kafka', 'postgresql', 'redis']]])(
    'leaves each part its share of the time while %s do not answer',
    async (broken) => {
      expect((await logOfStop(broken)).at(-1)).toBe('stopped');
    },
  );
});
