import { describe, expect, it } from '@jest/globals';
import { createLogger, LOGGER, startService, StopDeadline } from '@lanyard/service';
import { type InfrastructureName, newIdentityKeys, stopLog, withProviders } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { readConfig } from '../src/config.js';

/** The time that all parts share. Short where some do not answer, because all of it is used. */
const sharedMs = { working: 120_000, broken: 4_000 };
/** After the shared time, for what has no share of it, on a machine that may stand still for seconds. */
const graceMs = 15_000;

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
    const shared = sharedMs[broken.length > 0 ? 'broken' : 'working'];
    const timeout = { stopTimeoutMs: shared + graceMs };
    const service = await startService(definition, { ...config, http, ...timeout }, withProviders([LOGGER, logger]));
    const stop = (): Promise<void> => {
      // The stop itself does not prolong a deadline that has begun.
      service.app.get(StopDeadline).begin(shared);
      return service.stop();
    };
    return { url: service.url, stop };
  });

describe('the stop of a device proxy', () => {
  it('ends all of its parts', async () => {
    // A consumer gives Kafka two seconds: if the process stands still for longer, it says that Kafka does not answer.
    const ofSteps = (line: string): boolean => line.startsWith('stop: a step') || line === 'stopped';
    expect((await logOfStop([])).filter(ofSteps)).toEqual(['stopped']);
  });

  it.each<InfrastructureName[][]>([[['postgresql']], [['kafka']], [['redis']], [['kafka', 'postgresql', 'redis']]])(
    'leaves each part its share of the time while %s do not answer',
    async (broken) => {
      expect((await logOfStop(broken)).at(-1)).toBe('stopped');
    },
  );
});
