import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { infrastructure, isolate, type Isolation } from '@lanyard/testing';
import type { App } from '../tools/lanyard/service-processes.ts';
import { TestSystem, type TestSystemOptions } from '../tools/testing/test-system.ts';
import { deleteTopics } from '../tools/testing/topics.ts';

/** Free ports: `tcpPort(0)`. */
export { tcpPort, udpPort } from '../tools/lanyard/ports.ts';
/** The key for tokens like those that the gateway signs. */
export { signingKeyOf } from '../tools/lanyard/identity-keys.ts';

export interface SystemOptions extends Pick<TestSystemOptions, 'replicas' | 'env'> {
  /** Services that the tests do not need: they are not started. */
  without?: readonly Exclude<App, 'gateway'>[];
  /** URL of a Redis other than that of the other tests. */
  redisUrl?: string;
}

/** A system on the test infrastructure, with topics, a database and keys that are used nowhere else. */
export class RunningSystem extends TestSystem {
  private readonly isolation: Isolation;

  constructor(
    isolation: Isolation,
    { replicas = {}, without = [], env = {}, redisUrl = infrastructure().redisUrl }: SystemOptions,
  ) {
    const { databaseUrl, topicPrefix, redisPrefix } = isolation;
    super({
      name: 'e2e',
      replicas: { ...replicas, ...Object.fromEntries(without.map((app) => [app, 0])) },
      infrastructure: { brokers: infrastructure().brokers.join(','), databaseUrl, redisUrl },
      env: {
        KAFKA_TOPIC_PREFIX: topicPrefix,
        GATEWAY_REDIS_PREFIX: `${redisPrefix}gateway:`,
        DEVICE_PROXY_REDIS_PREFIX: `${redisPrefix}device-proxy:`,
        DISPATCHER_REDIS_PREFIX: `${redisPrefix}dispatcher:`,
        LOG_LEVEL: 'warn',
        ...env,
      },
    });
    this.isolation = isolation;
    this.options.env = { DEVICE_PROXY_COAP_TCP_NOSEC_ACCOUNT_ID: this.secrets.accountId, ...this.options.env };
  }

  /** As a supervisor would: on busy cores, the infrastructure may not accept connections in time while the services start. */
  protected override startsAgain(words: string): boolean {
    return words.includes('cannot be reached');
  }

  /** Fails when a process exited without being told to. */
  override async stop(): Promise<void> {
    const said = this.dead.map(
      (name) => `${name} died:\n${readFileSync(join(this.logs, `${name}.log`), 'utf8').slice(-4_000)}`,
    );
    await super.stop();
    await this.isolation.drop();
    await deleteTopics(infrastructure().brokers, this.isolation.topicPrefix);
    if (said.length > 0) throw new Error(said.join('\n'));
  }
}

export const startSystem = async (name: string, options: SystemOptions = {}): Promise<RunningSystem> =>
  new RunningSystem(await isolate(name), options).start();
