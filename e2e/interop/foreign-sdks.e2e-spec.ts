import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { prepareJava } from '../java-device.js';
import { pythonSdk } from '../python-sdk.js';

/** Set by tools/test.mjs where the package is there. */
const python = process.env['LANYARD_PYTHON'];

(python === undefined ? describe.skip : describe)('software development kits of the compatible service', () => {
  let system: RunningSystem;

  beforeAll(async () => {
    await prepareJava('leshan');
    system = await startSystem('foreign-sdks');
  });
  afterAll(() => system?.stop());

  it(
    'PyPI mbed-cloud-sdk 2.2.0, unchanged, with the demonstration device and one on Leshan',
    () => pythonSdk(new Application(system.baseUrl, system.adminKey), system.coapUrls[0] as string, python as string),
    240_000,
  );
});
