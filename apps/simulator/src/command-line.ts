import { parseArgs } from 'node:util';
import { UnknownOption } from './errors.js';

/** Option and what it means; each is also a variable of the environment: `--values-per-second` is SIMULATOR_VALUES_PER_SECOND. */
const texts = {
  devices: 'how many (100)',
  server: 'coap://host:port, coap+tcp://… or coaps+tcp://…; several with commas (coap://127.0.0.1:5683)',
  'name-prefix': 'of the endpoint names: sim gives sim-0, sim-1 … (sim)',
  'device-type': 'endpoint type that devices register with (simulated)',
  sensors: 'temperatures of each device: /3303/0/5700, /3303/1/5700 … (1)',
  'registrations-per-second': 'how fast the fleet comes (100)',
  'lifetime-seconds': 'of a registration (300)',
  'update-seconds': 'a registration is updated this often (half of its lifetime)',
  'values-per-second': 'of the whole fleet, over all observed resources (10)',
  'awake-seconds': 'with --queue-mode: devices listen this long after each message (93)',
  'restarts-per-minute': 'devices of the fleet that start anew (0)',
  'ack-timeout-ms': 'first wait for an acknowledgement (2000)',
  retransmissions: 'of a confirmable message (4)',
  'back-off-ms': 'first pause after a refusal or silence; doubles (2000)',
  'back-off-max-ms': 'longest pause (300000)',
  'credentials-file': 'for coaps+tcp: lines of endpoint name, PSK identity, key in hex',
  seed: 'of everything random (1)',
  'report-seconds': 'between the lines on the terminal (5)',
} as const;

const switches = {
  'queue-mode': 'devices sleep between their messages',
  'numbered-values': 'values count up from 1000; /values names those without an acknowledgement',
  'non-confirmable': 'values leave without waiting for an acknowledgement (UDP)',
} as const;

const variable = (option: string): string => `SIMULATOR_${option.toUpperCase().replaceAll('-', '_')}`;

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

/** What the command line says, as variables of the environment. */
export const variablesOf = (args: readonly string[]): Record<string, string> =>
  Object.fromEntries(Object.entries(parse(args)).map(([option, value]) => [variable(option), String(value)]));

export const wantsHelp = (args: readonly string[] = process.argv.slice(2)): boolean => args.includes('--help');

export const writeUsage = (): void => {
  const lines = Object.entries({ ...texts, ...switches }).map(([name, text]) => `  --${name.padEnd(26)}${text}`);
  process.stdout.write(
    `${['usage: npm run simulate -- [options]', '', ...lines, '', 'Ctrl-C deregisters all devices and ends.'].join('\n')}\n`,
  );
};
