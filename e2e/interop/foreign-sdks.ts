import { beforeAll, it } from '@jest/globals';
import type { Running } from '../application.ts';
import { foreignSdk, javaSdk, pythonSdk, type SdkProgram } from '../foreign-sdk.ts';
import { prepareJava } from '../../tools/lanyard/java-programs.ts';

/** Set by tools/test.ts where the package is there. */
const python = process.env['LANYARD_PYTHON'];

type Sdk = [name: string, program: () => SdkProgram | Promise<SdkProgram>];

const sdks: Sdk[] = [
  ['Maven mbed-cloud-sdk 2.0.0', javaSdk],
  ...(python === undefined ? [] : [['PyPI mbed-cloud-sdk 2.2.0', () => pythonSdk(python)] satisfies Sdk]),
];

export const foreignSdks = (given: () => Running): void => {
  beforeAll(() => prepareJava('leshan'));

  it.each(sdks)('%s, unchanged', async (_, program) => {
    const { system, app } = given();
    await foreignSdk(app, system.coapUrls[0] as string, await program());
  });
};
