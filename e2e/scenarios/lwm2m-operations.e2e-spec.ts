import { afterAll, beforeAll, describe } from '@jest/globals';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { fresh } from '../journeys.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';
import { LeshanDevice, type LeshanOptions } from '../leshan-device.ts';
import { Conversation } from '../operations/conversation.ts';
import { firmware } from '../operations/firmware.ts';
import { observing } from '../operations/observing.ts';
import { patching } from '../operations/patching.ts';
import { reading } from '../operations/reading.ts';
import { oldFashioned, registering, sleeping } from '../operations/registering.ts';
import { writing } from '../operations/writing.ts';

/** So that a device sleeps soon. */
const awakeMs = 2_000;

describe('every operation and format, with devices on Eclipse Leshan', () => {
  let system: RunningSystem;
  let app: Application;
  const devices: LeshanDevice[] = [];
  const talks = new Map<string, Conversation>();

  beforeAll(async () => {
    await prepareJava('leshan');
    system = await startSystem('operations', {
      without: ['campaigns'],
      env: { DEVICE_PROXY_QUEUE_MODE_AWAKE_MS: String(awakeMs) },
    });
    app = new Application(system.baseUrl, system.adminKey);
    await app.connects();
    const meet = async (who: string, options: LeshanOptions): Promise<void> => {
      const name = fresh(who);
      const device = await LeshanDevice.start(system.coapUrls[0] as string, name, { specimen: true, ...options });
      devices.push(device);
      talks.set(who, await Conversation.between(app, device, name));
    };
    await Promise.all([
      meet('versatile', {}),
      meet('sleeper', { queueMode: true, formats: [11_543, 0], lifetimeSeconds: 3_600 }),
      meet('modern', { formats: [110, 112, 320, 322, 0, 42, 60] }),
      meet('old-fashioned', { formats: [1542, 1541, 1543, 1544] }),
    ]);
  });

  afterAll(async () => {
    await Promise.all(devices.map((device) => device.ends()));
    app?.closes();
    await system?.stop();
  });

  const talk = (who: string) => (): Conversation => {
    const found = talks.get(who);
    if (!found) throw new Error(`${who} has not come`);
    return found;
  };

  describe('read', () => reading(talk('versatile')));
  describe('write', () => writing(talk('versatile')));
  describe('observe', () => observing(talk('versatile')));
  describe('firmware', () => firmware(talk('versatile')));
  describe('a device in queue mode', () => sleeping(talk('sleeper')));
  describe('a device that lists SenML-ETCH', () => patching(talk('modern')));
  describe('a device from before LwM2M 1.0', () => oldFashioned(talk('old-fashioned')));
  describe('registration', () => registering(talk('versatile')));
});
