/** All services on separate infrastructure, as durable as in production, for the benchmarks of one run. */
import { Lanyard } from '@lanyard/client';
import { createLogger, newId } from '@lanyard/service';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { signingKeyOf } from '../tools/lanyard/identity-keys.ts';
import { apps } from '../tools/lanyard/service-processes.ts';
import type { SystemOptions } from '../tools/lanyard/system.ts';
import { TestSystem } from '../tools/testing/test-system.ts';
import { Application } from './application.ts';

/** On a busy machine the infrastructure is slow to start, and services that give up are started again. */
const startWithinMs = 300_000;

/** Replicas of these apps only. */
export const only = (replicas: SystemOptions['replicas']): SystemOptions['replicas'] => ({
  ...Object.fromEntries(apps.map((app) => [app, 0])),
  ...replicas,
});

export class BenchSystem extends TestSystem {
  identityKey = signingKeyOf(this.secrets);
  kafka!: KafkaConnection;
  producer!: KafkaProducer;

  /**
   * @param replicas by app; default: one of each
   * @param settings for all services
   */
  constructor(replicas: SystemOptions['replicas'] = {}, settings: Record<string, string> = {}) {
    super({ name: 'bench', replicas, env: { LOG_LEVEL: 'warn', ...settings }, startWithinMs });
  }

  override async start() {
    await super.start();
    const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
    this.kafka = new KafkaConnection({ brokers: this.brokers, clientId: 'bench', logger });
    this.producer = new KafkaProducer(this.kafka, { source: 'bench' });
    await this.producer.connect();
    return this;
  }

  get brokers() {
    return this.infrastructureUrls.brokers.split(',');
  }

  get coapUrl() {
    return this.coapUrls[0] ?? '';
  }

  /** An application with its own key. */
  async application(name = newId()) {
    const administrator = new Lanyard({ baseUrl: this.baseUrl, key: this.adminKey });
    return new Application(this.baseUrl, await administrator.call('POST /v3/api-keys', { body: { name } }));
  }

  get dispatcherUrl() {
    return this.unit('dispatcher-0').unit.address;
  }

  override async stop() {
    await this.producer?.disconnect();
    await this.kafka?.close();
    await super.stop();
  }
}
