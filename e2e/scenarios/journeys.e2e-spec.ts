import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { isLongRun } from '@lanyard/testing';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem, type SystemOptions } from '../system.ts';
import { absentDevice, thirdPartyDevice } from '../journeys.ts';
import { clientPackage } from '../journeys-client.ts';
import { failingCallback } from '../journeys-callback.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';
import { explained } from '../journeys-explain.ts';
import { remembered } from '../journeys-history.ts';
import { followed } from '../journeys-request.ts';
import { tailed, tailedOverBreaks } from '../journeys-tail.ts';
import { traced } from '../journeys-trace.ts';
import { officialSdk } from '../sdk.ts';
import { TraceReceiver } from '../../tools/testing/trace-receiver.ts';

type System = [name: string, replicas: SystemOptions['replicas'], isTraced: boolean];

const systems: System[] = [
  ['two dispatchers and two device-proxies', { dispatcher: 2, 'device-proxy': 2 }, true],
  ...(isLongRun ? [['one replica of each service', {}, false] satisfies System] : []),
];

describe.each(systems)('%s', (name, replicas, isTraced) => {
  const receiver = new TraceReceiver();
  let system: RunningSystem;
  let app: Application;
  /** Beside the others: it waits most of its time, for the schedule of repeated callbacks. */
  let callbackJourney: Promise<void>;
  /** The last proxy: with two of them, commands are often accepted by the other one. */
  const coapUrl = (): string => system.coapUrls.at(-1) as string;

  beforeAll(async () => {
    await prepareJava('leshan');
    const endpoint = await receiver.start();
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint, OTEL_TRACES_SAMPLER_ARG: '1', LOG_LEVEL: 'debug' };
    system = await startSystem(`journeys-${name.slice(0, 3)}`, {
      ...(replicas && { replicas }),
      ...(isTraced && { env }),
    });
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    callbackJourney = failingCallback(app, coapUrl());
    callbackJourney.catch(() => undefined);
  });

  afterAll(async () => {
    app?.closes();
    await system?.stop();
    receiver.stop();
  });

  it('a device on Eclipse Leshan: registration, subscription, commands, snapshot, event log, suspension', async () => {
    await thirdPartyDevice(app, coapUrl());
  });

  it('the official JavaScript SDK, unchanged', async () => {
    await officialSdk(app, coapUrl());
  });

  it('the client package: pages, events, commands, errors', async () => {
    await clientPackage(app, coapUrl());
  });

  it('a command waits for an absent device, or expires', async () => {
    await absentDevice(app, coapUrl());
  });

  it('a command, a device and an event, explained', async () => {
    await explained(app, coapUrl());
  });

  it('recent values, statistics, and what needs attention', async () => {
    await remembered(app, coapUrl());
  });

  it('the event log, live', async () => {
    await tailed(app, coapUrl());
  });

  it('the event log, live, over connections that break', async () => {
    await tailedOverBreaks(app, coapUrl());
  });

  it('a device on Eclipse Leshan, with a callback application that answers 503 for a while', () => callbackJourney);

  if (isTraced)
    it('one request id in the logs of all who handle what it asks for', async () => {
      await followed(app, coapUrl(), system.logs);
    });

  it(isTraced ? 'one trace from datagram to frame, and one of a command' : 'no traces', async () => {
    if (isTraced) await traced(app, coapUrl(), receiver);
    else expect(receiver.spans).toEqual([]);
  });
});
