import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { absentDevice, thirdPartyDevice } from '../journeys.js';

describe('one replica of each service', () => {
  let system: RunningSystem;
  let app: Application;

  beforeAll(async () => {
    system = await startSystem('journeys');
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
  });

  afterAll(async () => {
    app?.closes();
    await system?.stop();
  });

  it('a device on Eclipse Leshan: registration, subscription, commands, snapshot, event log, suspension', async () => {
    await thirdPartyDevice(app, system.coapUrls[0] as string);
  });

  it('a command waits for an absent device, or expires', async () => {
    await absentDevice(app, system.coapUrls[0] as string);
  });
});
