import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { engines, isolate } from '@lanyard/testing';
import { type Constellation, startConstellation } from '../tools/lanyard/constellation.mjs';
import { isProcess } from '../tools/lanyard/processes.mjs';
import { dataFolder } from '../tools/lanyard/project.mjs';
import { secretsOf } from '../tools/lanyard/state.mjs';

/** Free ports: `tcpPort(0)`. */
export { tcpPort, udpPort } from '../tools/lanyard/ports.mjs';
/** For tokens as the gateway signs them. */
export { signingKeyOf } from '../tools/lanyard/identity-keys.mjs';

export interface RunningSystem {
  constellation: Constellation;
  baseUrl: string;
  /** One per device-proxy replica. */
  coapUrls: string[];
  adminKey: string;
  databaseUrl: string;
  stop(): Promise<void>;
}

export interface SystemOptions {
  replicas?: Partial<Record<'gateway' | 'registry' | 'device-proxy' | 'snapshot' | 'event-log' | 'dispatcher', number>>;
  env?: Record<string, string>;
  /** Of another Redis than that of the other tests. */
  redisUrl?: string;
}

/** Processes that exited without being killed, with the end of their logs. */
const deadIn = ({ supervised, logs }: Constellation): string =>
  supervised
    .filter(({ unit }) => !isProcess(unit.pid, unit.marker))
    .map(({ unit: { name } }) => `${name} died:\n${readFileSync(join(logs, `${name}.log`), 'utf8').slice(-4_000)}`)
    .join('\n');

/**
 * The six services as processes of their own, as `npm start` runs them, on the test engines and on topics, a database
 * and keys that nothing else uses. They are not supervised: what a test kills stays dead until the test starts it.
 */
export const startSystem = async (
  name: string,
  { replicas = {}, env = {}, redisUrl = engines().redisUrl }: SystemOptions = {},
): Promise<RunningSystem> => {
  const isolation = await isolate(name);
  const dataDir = mkdtempSync(join(dataFolder(), 'e2e-'));
  const { brokers } = engines();
  const constellation = await startConstellation({
    dataDir,
    replicas,
    engines: { brokers: brokers.join(','), databaseUrl: isolation.databaseUrl, redisUrl },
    env: {
      KAFKA_TOPIC_PREFIX: isolation.topicPrefix,
      GATEWAY_REDIS_PREFIX: `${isolation.redisPrefix}gateway:`,
      DEVICE_PROXY_REDIS_PREFIX: `${isolation.redisPrefix}device-proxy:`,
      DISPATCHER_REDIS_PREFIX: `${isolation.redisPrefix}dispatcher:`,
      DEVICE_PROXY_COAP_TCP_NOSEC_ACCOUNT_ID: secretsOf(dataDir).accountId,
      LOG_LEVEL: 'warn',
      ...env,
    },
    freePorts: true,
    supervise: false,
    quiet: true,
  });
  return {
    constellation,
    baseUrl: constellation.baseUrl,
    coapUrls: constellation.coapUrls,
    adminKey: constellation.adminKey(),
    databaseUrl: isolation.databaseUrl,
    stop: async () => {
      const dead = deadIn(constellation);
      await constellation.stop();
      await isolation.drop();
      if (!process.env['LANYARD_KEEP_TEST_DATA']) rmSync(dataDir, { recursive: true, force: true });
      if (dead !== '') throw new Error(dead);
    },
  };
};
