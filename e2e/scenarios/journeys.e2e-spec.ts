import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { absentDevice, thirdPartyDevice } from '../journeys.js';
import { failingCallback } from '../journeys-callback.js';
import { prepareJava } from '../java-device.js';
import { explained } from '../journeys-explain.js';
import { officialSdk } from '../sdk.js';

describe.each([
  ['one replica of each service', {}],
  ['two dispatchers and two device-proxies', { dispatcher: 2, 'device-proxy': 2 }],
])('%s', (name, replicas) => {
  let system: RunningSystem;
  let app: Application;
  /** The last proxy: with two of them, commands are often accepted by the other one. */
  const coapUrl = (): string => system.coapUrls.at(-1) as string;

  beforeAll(async () => {
    await prepareJava('leshan');
    system = await startSystem(`journeys-${name.slice(0, 3)}`, { replicas });
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
  });

  afterAll(async () => {
    app?.closes();
    await system?.stop();
  });

  it('a device on Eclipse Leshan: registration, subscription, commands, snapshot, event log, suspension', async () => {
    await thirdPartyDevice(app, coapUrl());
  });

  it('the same with a callback application that answers 503 for a while', async () => {
    await failingCallback(app, coapUrl());
  });

  it('the official JavaScript SDK, unchanged', async () => {
    await officialSdk(app, coapUrl());
  });

  it('a command waits for an absent device, or expires', async () => {
    await absentDevice(app, coapUrl());
  });

  it('a command, a device and an event, explained', async () => {
    await explained(app, coapUrl());
  });
});
