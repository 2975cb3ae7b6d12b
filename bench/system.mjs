/** The six services on engines of their own, durable as in production, for the benchmarks of one run. */
import { mkdirSync, mkdtempSync } from 'node:fs';
import { join } from 'node:path';
import { createLogger, newId } from '@lanyard/service';
import { KafkaConnection, KafkaProducer } from '@lanyard/kafka';
import { startConstellation } from '../tools/lanyard/constellation.mjs';
import { removeData } from '../tools/lanyard/engine-processes.mjs';
import { signingKeyOf } from '../tools/lanyard/identity-keys.mjs';
import { root } from '../tools/lanyard/project.mjs';
import { Application } from './application.mjs';

/** On a machine that is busy with other things engines take their time, and services that give up are started again. */
const startWithinMs = 300_000;

export class System {
  /** @param {Awaited<ReturnType<typeof startConstellation>>} constellation @param {string} dataDir */
  constructor(constellation, dataDir) {
    this.constellation = constellation;
    this.dataDir = dataDir;
    this.brokers = /** @type {string} */ (constellation.urls?.brokers).split(',');
    this.coapUrl = constellation.coapUrls[0] ?? '';
    this.administrator = new Application(constellation.baseUrl, constellation.adminKey());
    const logger = createLogger({ app: 'bench', replicaId: 'bench', level: 'error' });
    this.identityKey = signingKeyOf(constellation.secrets);
    this.kafka = new KafkaConnection({ brokers: this.brokers, clientId: 'bench', logger });
    this.producer = new KafkaProducer(this.kafka, { source: 'bench' });
  }

  /** @param {import('../tools/lanyard/constellation.mjs').ConstellationOptions['replicas']} [replicas] by app; default: one of each @param {Record<string, string>} [settings] of all services */
  static async start(replicas, settings) {
    mkdirSync(join(root, '.lanyard'), { recursive: true });
    const dataDir = mkdtempSync(join(root, '.lanyard/bench-'));
    const env = { LOG_LEVEL: 'warn', ...settings };
    const cleanUp = () => removeData(dataDir);
    const fresh = { dataDir, cleanUp, freePorts: true, supervise: false, quiet: true, startWithinMs };
    const options = { ...fresh, env, ...(replicas && { replicas }) };
    const system = new System(await startConstellation(options), dataDir);
    await system.producer.connect();
    return system;
  }

  /** An application with a key of its own. */
  async application(name = newId()) {
    const { key, id, account_id } = await this.administrator.call('POST', '/v3/api-keys', { name });
    return new Application(this.administrator.baseUrl, key, { keyId: id, accountId: account_id });
  }

  dispatcherUrl(replica = 0) {
    return this.constellation.unit(`dispatcher-${replica}`).unit.address;
  }

  /** @param {string} service `dispatcher-0` @param {NodeJS.Signals} name */
  signal(service, name) {
    this.constellation.kill(service, name);
  }

  async stop() {
    // What stands still cannot stop.
    for (const { unit } of this.constellation.supervised) this.signal(unit.name, 'SIGCONT');
    await this.producer.disconnect();
    await this.kafka.close();
    await this.constellation.stop();
    removeData(this.dataDir);
  }
}
