import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, patienceMs } from '@lanyard/testing';
import { DtlsRehearsal, proxies } from '../../tools/testing/dtls-rehearsal.ts';
import { sessionsAt } from '../../tools/testing/metrics.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { foreignDtlsReplicas } from './foreign-dtls-replicas.ts';

/** More for a long run: `LANYARD_E2E_DEVICES=2000 npm test -- dtls-replicas`. */
const devices = Number(process.env['LANYARD_E2E_DEVICES'] ?? 60);
const updateSeconds = Math.max(5, devices / 100);

let system: RunningSystem;

beforeAll(async () => {
  system = await startSystem('dtls-replicas', {
    replicas: { 'device-proxy': 2 },
    without: ['snapshot', 'event-log', 'campaigns'],
  });
});
afterAll(() => system?.stop());

/** The devices are told nothing: they speak to one address, and the connections continue behind it. */
describe('DTLS connections while one of two device-proxies dies, is restarted or is suspended', () => {
  let rehearsal: DtlsRehearsal;

  beforeAll(async () => {
    const load = { devices, valuesPerSecond: devices, updateSeconds, patienceMs: 2 * patienceMs + devices * 100 };
    rehearsal = await new DtlsRehearsal(system, load).begin();
  });

  afterAll(() => rehearsal?.stop());

  it('kill -9: the other one continues all of them', async () => {
    await rehearsal.flows();
    system.signal(proxies[0], 'SIGKILL');
    rehearsal.balancer.route(() => 1);
    await rehearsal.allAt(1);
    await rehearsal.flows();
    await system.restart(proxies[0]);
  });

  it('a balancer that forgets: records are forwarded to their owner', async () => {
    await eventually(async () => expect(await sessionsAt(rehearsal.urls[0] as string)).toBe(0));
    rehearsal.balancer.route((client) => client % 2);
    await rehearsal.flows();
    await eventually(async () => expect(await rehearsal.replicaEvents(0, 'forwarded')).toBeGreaterThan(0));
    expect(await sessionsAt(rehearsal.urls[1] as string)).toBe(devices);
  });

  it('a rolling restart: each one hands over what it has', async () => {
    for (const [replica, other] of [
      [1, 0],
      [0, 1],
    ] as const) {
      // The balancer no longer sends to a replica that is not ready.
      rehearsal.balancer.route(() => other);
      system.signal(proxies[replica], 'SIGTERM');
      // A replica that is back before a device has been heard continues its connection.
      await rehearsal.allAt(other);
      await system.restart(proxies[replica]);
      await rehearsal.flows();
    }
  });

  it('SIGSTOP: the other one continues them, and when it resumes it knows', async () => {
    system.signal(proxies[1], 'SIGSTOP');
    rehearsal.balancer.route(() => 0);
    await rehearsal.allAt(0);
    system.signal(proxies[1], 'SIGCONT');
    await eventually(async () => expect(await sessionsAt(rehearsal.urls[1] as string)).toBe(0));
    await rehearsal.flows();
    await rehearsal.allAt(0);
  });

  it('no device handshakes again, no acknowledged value is lost, and every command ended in one way', async () => {
    const { values_acknowledged: values } = await rehearsal.end();
    expect(values).toBeGreaterThan(devices);
  });
});

describe('devices of others over DTLS, whose device-proxy is killed', () => foreignDtlsReplicas(() => system));
