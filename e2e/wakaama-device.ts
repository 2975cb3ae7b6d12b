import { spawn } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { runProgram } from '../tools/lanyard/programs.ts';
import { madeOnce } from '../tools/lanyard/made-once.ts';
import { root } from '../tools/lanyard/project.ts';
import type { PreSharedKey } from './compiled-device.ts';
import { ForeignDevice } from './java-device.ts';

const source = join(root, 'e2e/wakaama');
const program = 'wakaama-device.mjs';

/** As `wakatiwai.gyp` of the package names them, below its `deps/wakatiwai`. */
const wakaama = 'deps/wakaama';
const shared = `${wakaama}/examples/shared`;
const sources: Record<string, string> = {
  'src/client': 'lwm2mclient object_generic dtlsconnection registration block1',
  'deps/base64': 'base64',
  [`${wakaama}/core/er-coap-13`]: 'er-coap-13',
  [`${wakaama}/core`]:
    'bootstrap data discover liblwm2m list management objects observe packet tlv transaction uri utils',
  [shared]: 'commandline memtrace platform',
  [`${shared}/tinydtls`]: 'ccm crypto dtls_debug dtls_time dtls hmac netq peer session sha2/sha2 aes/rijndael ecc/ecc',
};
const includes = [
  ...[`${wakaama}/core`, `${wakaama}/core/er-coap-13`, shared, 'deps/tinydtls', 'deps', 'src/client', 'src'],
  ...['', '/aes', '/ecc', '/sha2'].map((part) => `${shared}/tinydtls${part}`),
  'deps/base64',
];
const defines = [
  ...['LWM2M_LITTLE_ENDIAN=TRUE', 'REST_MAX_CHUNK_SIZE=16384', 'MAX_BLOCK1_SIZE=1048576', 'NDEBUG'],
  ...['LWM2M_BOOTSTRAP', 'LWM2M_CLIENT_MODE', 'WITH_TINYDTLS', 'DTLSv12', 'WITH_SHA256', 'DTLS_PSK', 'DTLS_ECC'],
  ...['WAKATIWAI_VERSION="3.3.2"', 'WAKATIWAI_EXECUTABLE="wakatiwaiclient"'],
];

/** Where the package looks for the program that its install script would have downloaded. */
const placeIn = (folder: string): string =>
  join(folder, 'dist/binding', `node-v${process.versions.modules}-${process.platform}-${process.arch}`);

const compile = async (folder: string): Promise<void> => {
  const wakatiwai = join(folder, 'deps/wakatiwai');
  const files = Object.entries(sources).flatMap(([place, names]) =>
    names.split(' ').map((name) => join(wakatiwai, place, `${name}.c`)),
  );
  mkdirSync(placeIn(folder), { recursive: true });
  await runProgram('cc', [
    ...['-O1', '-w', '-o', join(placeIn(folder), 'wakatiwaiclient')],
    ...defines.map((define) => `-D${define}`),
    ...includes.map((include) => `-I${join(wakatiwai, include)}`),
    ...files,
  ]);
};

/** The package, without what its install script would download, and its client compiled; made once per version. */
export const prepareWakaama = async (): Promise<string> => {
  const files = readdirSync(source).map((name) => readFileSync(join(source, name)));
  const parts = [process.versions.modules, JSON.stringify([sources, includes, defines]), ...files];
  return madeOnce(join(root, '.lanyard/interop/wakaama-'), parts, async (own) => {
    for (const name of readdirSync(source)) copyFileSync(join(source, name), join(own, name));
    await runProgram('npm', ['ci', '--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    await compile(join(own, 'node_modules/node-red-contrib-lwm2m'));
  });
};

/** On Wakaama, over UDP, or with a key over DTLS (tinydtls). It updates its registration by itself, every 15 s. */
export class WakaamaDevice extends ForeignDevice {
  static async start(port: number, name: string, localPort: number, psk?: PreSharedKey): Promise<WakaamaDevice> {
    const args = [join(await prepareWakaama(), program), String(port), name, String(localPort)];
    if (psk) args.push(psk.identity, psk.key);
    return new WakaamaDevice(spawn(process.execPath, args, { stdio: 'pipe' }));
  }

  /** Not by a signal: its client process would outlive it. */
  override async ends(): Promise<void> {
    const { process: device } = this;
    if (device.exitCode !== null || device.signalCode !== null) return;
    const gone = new Promise((resolve) => device.once('exit', resolve));
    device.stdin?.end();
    await gone;
  }
}
