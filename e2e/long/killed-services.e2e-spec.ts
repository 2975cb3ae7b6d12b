import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { Application } from '../application.ts';
import { interruptedSuspension } from '../bulk-suspension.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { SocketApplication } from '../../tools/drill/applications.ts';
import { isAlive } from '../../tools/lanyard/processes.ts';
import { Flow } from '../flow.ts';
import { sensor } from '../journeys.ts';

const devices = 20;

const victims = [
  'device-proxy-0',
  'dispatcher-0',
  'snapshot-0',
  'gateway-0',
  'registry-0',
  'event-log-0',
  'campaigns-0',
];

describe('services that end while values flow', () => {
  let system: RunningSystem;
  let app: Application;
  let flow: Flow;

  beforeAll(async () => {
    system = await startSystem('killed');
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects({ cfg: { include_uid: true } });
    flow = await Flow.of(app, system.coapUrls[0] as string, devices);
  });

  afterAll(async () => {
    app?.closes();
    await flow?.close();
    await system?.stop();
  });

  it('by kill -9: every value arrives, in order per device, each event once or twice, the snapshot holds the newest, and the history all', async () => {
    flow.begin();
    await flow.waitForValues();
    for (const name of victims) {
      system.signal(name, 'SIGKILL');
      const before = flow.sent;
      await eventually(() => flow.sent >= before + 100);
      await system.restart(name);
      await flow.waitForValues();
    }
    await flow.end();
    await flow.expectAllReceived(2);
    await flow.expectSnapshot();
    await flow.expectHistory();
  }, 1_800_000);

  it('by SIGTERM, the gateway and the dispatcher: a WebSocket is closed with 1012, and nothing is lost', async () => {
    const { key } = await app.lanyard.call('POST /v3/api-keys', { body: { name: 'restarted' } });
    const restarted = new Application(system.baseUrl, key);
    const listener = await new SocketApplication().start(restarted.lanyard);
    const one = flow.ofOne();
    await restarted.call('PUT', `/v2/subscriptions/${one.deviceId}${sensor}`);
    const seen = (): number[] => [...(listener.inbox.values.get(one.deviceId)?.seen ?? [])];
    one.begin();
    await eventually(() => seen().length > 0);
    for (const name of ['gateway-0', 'dispatcher-0']) {
      await eventually(() => listener.isOpen);
      listener.closes = [];
      const { pid } = system.unit(name).unit;
      system.signal(name, 'SIGTERM');
      await eventually(() => expect(listener.closes.map(({ code }) => code)).toEqual([1012]));
      await eventually(() => !isAlive(pid));
      await system.restart(name);
      const [taken, received] = [one.taken, seen().length];
      await eventually(() => one.taken >= taken + 10);
      await eventually(() => seen().length >= received + 10);
    }
    await one.end();
    await eventually(() => seen().includes(one.sent - 1));
    const from = Math.min(...seen());
    expect(seen().toSorted((a, b) => a - b)).toEqual(Array.from({ length: one.sent - from }, (_, n) => from + n));
    listener.stop();
  });

  it('by kill -9, the registry in a bulk suspension: repeated, it does the rest, and nothing twice', () =>
    interruptedSuspension(app, system));
});
