/** Third-party LwM2M and DTLS clients that are not in Java, compiled or installed once per version, for the end-to-end tests. */
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { madeOnce } from './made-once.ts';
import { runProgram } from './programs.ts';
import { root } from './project.ts';

const built = join(root, '.lanyard/interop');

const filesOf = (source: string) => readdirSync(source).map((name) => readFileSync(join(source, name)));

/** `libcoap-device.c` compiled, with the flags that `environmentOfCompiledDevices` has found. */
export const prepareLibcoap = async (flags = '-lcoap-3-openssl') => {
  const source = join(root, 'e2e/interop/libcoap-device.c');
  const made = await madeOnce(join(built, 'libcoap-'), [readFileSync(source), flags], async (own) => {
    const target = join(own, 'libcoap-device');
    await runProgram('cc', ['-O1', '-Wall', '-Wextra', '-o', target, source, ...flags.split(' ')]);
  });
  return join(made, 'libcoap-device');
};

/** The packages that `source` locks, without the downloads of their install scripts. */
const installedFrom = (
  name: string,
  source: string,
  version: readonly string[] = [],
  finish: (folder: string) => Promise<void> = async () => undefined,
) =>
  madeOnce(join(built, `${name}-`), [...version, ...filesOf(source)], async (own) => {
    for (const file of readdirSync(source)) copyFileSync(join(source, file), join(own, file));
    await runProgram('npm', ['ci', '--prefix', own, '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error']);
    await finish(own);
  });

/** As in `wakatiwai.gyp` of the package, whose paths are below `deps/wakatiwai`. */
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

/** Where the package looks for the program that its install script would download. */
const placeIn = (folder: string) =>
  join(folder, 'dist/binding', `node-v${process.versions.modules}-${process.platform}-${process.arch}`);

const compileWakaama = async (folder: string) => {
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

/** The folder with `wakaama-device.mjs`, whose package has its client compiled. */
export const prepareWakaama = () =>
  installedFrom(
    'wakaama',
    join(root, 'e2e/wakaama'),
    [process.versions.modules, JSON.stringify([sources, includes, defines])],
    (own) => compileWakaama(join(own, 'node_modules/node-red-contrib-lwm2m')),
  );

/** The folder with the package `node-dtls-client`. */
export const prepareNodeDtls = () => installedFrom('node-dtls-client', join(root, 'e2e/dtls/node-dtls-client'));

/** `pion/main.go` compiled. */
export const preparePion = async () => {
  const source = join(root, 'e2e/dtls/pion');
  const made = await madeOnce(join(built, 'pion-'), filesOf(source), async (own) => {
    await runProgram('go', ['-C', source, 'build', '-o', join(own, 'pion-client'), '.']);
  });
  return join(made, 'pion-client');
};
