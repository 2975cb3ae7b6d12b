/** The whole system with devices over DTLS behind a load balancer, beside the dispatchers of the run. */
import { DtlsRehearsal, proxies } from '../../tools/testing/dtls-rehearsal.ts';
import { TestSystem } from '../../tools/testing/test-system.ts';
import type { Experiment, Row } from '../experiment.ts';

const devices = 40;
/** With this many retransmissions, a device has several left when the lease of a killed replica has ended. */
const load = { devices, valuesPerSecond: devices, updateSeconds: 5, retransmissions: 6, patienceMs: 300_000 };

const badNetwork = { loss: 0.03, duplication: 0.1, delayMs: [0, 3_000] } as const;

/** Each fault hits the state that the previous one has left; after each, values must flow again. */
const breakAll = async (experiment: Experiment, system: TestSystem, rehearsal: DtlsRehearsal) => {
  const { balancer } = rehearsal;
  balancer.conditions = badNetwork;
  await rehearsal.flows();
  for (const [victim, other] of [
    [0, 1],
    [1, 0],
  ] as const)
    await experiment.fault('kill a device-proxy', {}, async () => {
      system.signal(proxies[victim], 'SIGKILL');
      balancer.route(() => other);
      await rehearsal.allAt(other);
      await rehearsal.flows();
      await system.restart(proxies[victim]);
    });
  await experiment.fault('kill the Redis of the system', {}, () => system.restart('redis', 'SIGKILL'));
  await rehearsal.flows();
  balancer.conditions = undefined;
};

const dtls: Row = {
  name: 'F31',
  about: 'devices over DTLS: a network that loses, repeats and reorders, SIGKILL of device-proxies and of Redis',
  exclusive: true,
  kinds: ['pull'],
  perSecond: 20,
  inject: async (experiment) => {
    const system = await new TestSystem({ name: 'faults-dtls', replicas: { 'device-proxy': 2 } }).start();
    const rehearsal = new DtlsRehearsal(system, load);
    try {
      await rehearsal.begin();
      await breakAll(experiment, system, rehearsal);
      experiment.say(`  F31 ${JSON.stringify(await rehearsal.end())}`);
    } catch (error) {
      experiment.violation(`F31 ${error instanceof Error ? error.message : String(error)}`);
    } finally {
      await rehearsal.stop();
      await system.stop();
    }
  },
};

export const dtlsRows = [dtls];
