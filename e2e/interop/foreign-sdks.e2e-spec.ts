import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.js';
import { type RunningSystem, startSystem } from '../constellation.js';
import { foreignSdk, javaSdk, pythonSdk, type SdkProgram } from '../foreign-sdk.js';
import { prepareJava } from '../java-device.js';

/** Set by tools/test.mjs where the package is there. */
const python = process.env['LANYARD_PYTHON'];

const timeoutMs = 240_000;

describe('software development kits of the compatible service', () => {
  let system: RunningSystem;
  let java: SdkProgram;

  beforeAll(async () => {
    await prepareJava('leshan');
    java = await javaSdk();
    system = await startSystem('foreign-sdks');
  }, timeoutMs);
  afterAll(() => system?.stop());

  const runs = (program: SdkProgram): Promise<void> =>
    foreignSdk(new Application(system.baseUrl, system.adminKey), system.coapUrls[0] as string, program);

  it('Maven mbed-cloud-sdk 2.0.0, unchanged', () => runs(java), timeoutMs);

  (python === undefined ? it.skip : it)(
    'PyPI mbed-cloud-sdk 2.2.0, unchanged',
    () => runs(pythonSdk(python as string)),
    timeoutMs,
  );
});
