import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { proxies } from '../../tools/testing/dtls-rehearsal.ts';
import { dtlsEventsAt } from '../../tools/testing/metrics.ts';
import { UdpBalancer } from '../../tools/testing/udp-balancer.ts';
import { Application } from '../application.ts';
import { CaliforniumDevice } from '../californium-device.ts';
import type { PreSharedKey } from '../compiled-device.ts';
import { startUntilRegistered } from '../foreign-life.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';
import type { ForeignDevice } from '../java-device.ts';
import { asks, fresh, sensor, subscribes } from '../journeys.ts';
import { LeshanDevice } from '../leshan-device.ts';
import type { RunningSystem } from '../system.ts';

type Start = (port: number, name: string, psk: PreSharedKey) => Promise<ForeignDevice>;

const devices: { who: string; start: Start }[] = [
  { who: 'Californium', start: (port, name, psk) => CaliforniumDevice.start('dtls', port, name, { psk }) },
  { who: 'Leshan', start: (port, name, psk) => LeshanDevice.start(`coaps://127.0.0.1:${port}`, name, { psk }) },
];

/** The system has two device-proxies. */
export const foreignDtlsReplicas = (given: () => RunningSystem): void => {
  let system: RunningSystem;
  let app: Application;
  let balancer: UdpBalancer;

  beforeAll(async () => {
    await prepareJava('californium');
    await prepareJava('leshan');
    system = given();
    // A failed test of another group may have left a process dead.
    for (const name of system.dead) await system.restart(name);
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    balancer = await new UdpBalancer(system.coapsUrls.map((url) => Number(new URL(url).port))).start();
  });

  afterAll(async () => {
    app?.closes();
    balancer?.stop();
  });

  const handshakesAtOther = (): Promise<number> =>
    dtlsEventsAt(system.unit(proxies[1]).unit.address, 'handshake-completed');

  const reports = async (device: ForeignDevice, deviceId: string, value: number): Promise<void> => {
    const known = app.values(sensor, deviceId).length;
    device.tell(`set ${value}`);
    await eventually(() => expect(app.values(sensor, deviceId).length).toBeGreaterThan(known));
  };

  it.each(devices)('$who continues at the other one, without a handshake', async ({ who, start }) => {
    const name = fresh(`killed-${who.toLowerCase()}`);
    const { deviceId, ...psk } = await app.credentialOf(name);
    balancer.route(() => 0);
    const before = await handshakesAtOther();
    const device = await startUntilRegistered(() => start(balancer.port, name, psk));
    try {
      await subscribes(app, deviceId, sensor);
      await reports(device, deviceId, 21.5);
      system.signal(proxies[0], 'SIGKILL');
      balancer.route(() => 1);
      const since = device.said.length;
      device.tell('update');
      await device.says(/^updated/, { since });
      await reports(device, deviceId, 22.5);
      expect(await asks(app, deviceId, { method: 'GET', uri: sensor })).toMatchObject({ status: 200 });
      expect(await handshakesAtOther()).toBe(before);
      device.tell('stop');
      await device.says(/^deregistered/);
    } finally {
      await device.ends();
      await system.restart(proxies[0]);
    }
  });
};
