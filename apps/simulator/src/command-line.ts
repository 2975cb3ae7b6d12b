import { parseArgs } from 'node:util';
import { UnknownOption } from './errors.js';
import { firmwareFailures } from './settings/firmware.js';
import { variableOf } from './settings/reader.js';

/** Options and their meaning. `--values-per-second` is the environment variable SIMULATOR_VALUES_PER_SECOND, and so on. */
const texts = {
  scenario: 'YAML file with groups of devices and phases, instead of the options of devices',
  devices: 'number of devices (100)',
  server:
    'coap://host:port, coaps://…, coap+tcp://… or coaps+tcp://…; separate several with commas (that of the running system, or coap://127.0.0.1:5683)',
  'name-prefix': 'prefix of the endpoint names: sim for sim-0, sim-1 … (sim)',
  'device-type': 'endpoint type that devices register with (simulated)',
  'protocol-version': 'LwM2M 1.0, 1.1 or 1.2 (1.1)',
  sensors: 'temperature sensors per device: /3303/0/5700, /3303/1/5700 … (1)',
  'registrations-per-second': 'rate at which the fleet registers (100)',
  'lifetime-seconds': 'lifetime of a registration (300)',
  'update-seconds': 'interval between registration updates (half of the lifetime)',
  'values-per-second': 'rate of the whole fleet, over all observed resources (10)',
  'value-profile': 'how measured values develop: noise, wave, steps or constant (noise)',
  'awake-seconds': 'with --queue-mode: how long a device listens after each message (93)',
  'kept-values': 'with --queue-mode: values of each observation that a sleeping device keeps (10)',
  'send-values': 'values that each device sends without an observation, at each interval (0)',
  'send-seconds': 'interval between such messages (60)',
  'devices-behind':
    'number of end devices behind each simulated device; more than 0 makes it an LwM2M gateway (object 25): sim-0-0 … (0)',
  'devices-behind-seconds': 'interval at which an end device leaves or returns (0: never)',
  'restarts-per-minute': 'rate at which devices of the fleet restart (0)',
  'rebind-percent': 'percentage of devices that get another address at each interval (0)',
  'rebind-seconds': 'interval between such changes of addresses (60)',
  'ack-timeout-ms': 'initial ACK timeout (2000)',
  retransmissions: 'maximum retransmissions of a confirmable message (4)',
  'back-off-ms': 'first delay after a refusal or a timeout; doubles each time (2000)',
  'back-off-max-ms': 'maximum delay (300000)',
  'credentials-file':
    'for coaps and coaps+tcp: file with a line for each device: endpoint name, PSK identity and key in hex (or a certificate, see README)',
  bootstrap: 'request or pack: --server is a bootstrap server, and --credentials-file is for it (none)',
  'firmware-version': 'firmware version before an update (1.0.0)',
  'firmware-failure': `what goes wrong with firmware updates: ${firmwareFailures.join(', ')} (none)`,
  'firmware-failure-percent': 'percentage of devices that fail this way (100)',
  'firmware-bytes-per-second': 'rate of the download by a device (0: unlimited)',
  'firmware-install-seconds': 'how long an installation takes (2)',
  'firmware-reboot-seconds': 'how long a device is offline while it reboots after an installation (3)',
  'software-instances': 'with --software: instances of object 9 before the server creates any (1)',
  seed: 'seed of the random generator (1)',
  'report-seconds': 'interval between reports on the terminal (5)',
} as const;

const switches = {
  'spread-updates': 'the first update of each device comes at a random moment of the interval, not at its end',
  'queue-mode': 'devices sleep between their messages',
  'numbered-values': 'values count up from 1000; /values lists those without an acknowledgement',
  software: 'devices have object 9, which installs packages named application',
  'without-connection-ids': 'devices over DTLS offer no connection ids',
  'non-confirmable': 'values are sent as non-confirmable messages (UDP)',
} as const;

const parse = (args: readonly string[]): Record<string, string | boolean | undefined> => {
  const kinds = (names: object, type: 'string' | 'boolean'): [string, { type: 'string' | 'boolean' }][] =>
    Object.keys(names).map((name) => [name, { type }]);
  const options = Object.fromEntries([...kinds(texts, 'string'), ...kinds({ ...switches, help: '' }, 'boolean')]);
  try {
    return parseArgs({ args: [...args], options }).values as Record<string, string | boolean | undefined>;
  } catch (error) {
    throw new UnknownOption(error instanceof Error ? error.message : String(error));
  }
};

/** Options that may be given together with a scenario. */
const besideScenario = ['scenario', 'report-seconds', 'help'];

/** The options of the command line, as environment variables. */
export const variablesOf = (args: readonly string[]): Record<string, string> => {
  const options = Object.entries(parse(args));
  const extra = options.find(([option]) => !besideScenario.includes(option));
  if (extra && options.some(([option]) => option === 'scenario'))
    throw new UnknownOption(`--${extra[0]} is a field of the scenario if there is one`);
  return Object.fromEntries(options.map(([option, value]) => [variableOf(option), String(value)]));
};

export const wantsHelp = (args: readonly string[] = process.argv.slice(2)): boolean => args.includes('--help');

export const writeUsage = (): void => {
  const lines = Object.entries({ ...texts, ...switches }).map(([name, text]) => `  --${name.padEnd(26)}${text}`);
  process.stdout.write(
    `${['usage: npm run simulate -- [options]', '', ...lines, '', 'Ctrl-C deregisters all devices and exits.'].join('\n')}\n`,
  );
};
