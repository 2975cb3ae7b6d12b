import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { Application } from '../application.ts';
import { type RunningSystem, startSystem } from '../system.ts';
import { foreignSdk, javaSdk, pythonSdk, type SdkProgram } from '../foreign-sdk.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';

/** Set by tools/test.ts where the package is there. */
const python = process.env['LANYARD_PYTHON'];

type Sdk = [name: string, program: () => SdkProgram | Promise<SdkProgram>];

const sdks: Sdk[] = [
  ['Maven mbed-cloud-sdk 2.0.0', javaSdk],
  ...(python === undefined ? [] : [['PyPI mbed-cloud-sdk 2.2.0', () => pythonSdk(python)] satisfies Sdk]),
];

describe('software development kits of the compatible service', () => {
  let system: RunningSystem;

  beforeAll(async () => {
    await prepareJava('leshan');
    system = await startSystem('foreign-sdks');
  });
  afterAll(() => system?.stop());

  it.each(sdks)('%s, unchanged', async (_, program) => {
    const app = new Application(system.baseUrl, system.adminKey);
    await foreignSdk(app, system.coapUrls[0] as string, await program());
  });
});
