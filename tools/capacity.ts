/** `npm run capacity -- --devices N …`: the resources that a fleet needs, by measured unit costs. */
import { fleetText, planText, unitCostsText } from './capacity/report.ts';
import { type Fleet, type Prices, usualFleet, usualPrices } from './capacity/fleet.ts';
import { planOf } from './capacity/plan.ts';
import { command } from './lanyard/command-line.ts';
import { Stop } from './lanyard/project.ts';

/** Name of the option -> what it sets, the least and the most it may be. */
const settings: Record<string, [field: keyof Fleet, min: number, max: number, what: string]> = {
  devices: ['devices', 1, 1e10, 'number of devices'],
  observed: ['observed', 1, 1_000, 'observed resources of each device'],
  'value-seconds': ['valueSeconds', 0.1, 1e7, 'time between two values of a resource'],
  'update-seconds': ['updateSeconds', 1, 1e7, 'time between two registration updates'],
  'commands-per-day': ['commandsPerDay', 0, 1e6, 'commands to each device'],
  'requests-per-day': ['requestsPerDay', 0, 1e6, 'REST requests of applications for each device'],
  dtls: ['dtlsShare', 0, 1, 'share of the devices that use DTLS'],
  tls: ['tlsShare', 0, 1, 'share of the devices that use TLS'],
  channels: ['channels', 0, 1_000, 'channels that get each value'],
  'offline-hours': ['offlineHours', 0, 24, 'how long applications may be unreachable without a loss of events'],
  'recovery-seconds': ['recoverySeconds', 1, 1e6, 'time in which all devices register again after an outage'],
  'history-days': ['historyDays', 0, 3_650, 'days of value history; 0: none'],
  'event-log-days': ['eventLogDays', 1, 3_650, 'days of the event log'],
  'pod-memory': ['podGiB', 1, 1_024, 'memory of a pod of device-proxy, in GiB'],
  'dtls-connections': ['dtlsConnections', 1, 1e7, 'DTLS connections that a pod of device-proxy accepts'],
  'tls-connections': ['tlsConnections', 1, 1e7, 'TLS connections that a pod of device-proxy accepts'],
  partitions: ['partitions', 1, 100_000, 'partitions of each topic'],
};

const prices: Record<string, [field: keyof Prices, what: string]> = {
  'price-core': ['core', 'price of a core per month'],
  'price-memory': ['memoryGiB', 'price of a GiB of memory per month'],
  'price-disk': ['diskGiB', 'price of a GiB of disk per month'],
};

const usage = [
  'Usage: npm run capacity -- [--devices N] [options]',
  ...Object.entries(settings).map(
    ([name, [field, , , what]]) => `  --${name.padEnd(18)} ${what} (${usualFleet[field]})`,
  ),
  ...Object.entries(prices).map(([name, [field, what]]) => `  --${name.padEnd(18)} ${what} (${usualPrices[field]})`),
  '  --costs              prints the unit costs instead',
  '  --json               one JSON object on standard output',
].join('\n');

const numberOf = (name: string, text: unknown, min: number, max: number): number => {
  const value = Number(text);
  if (String(text).trim() === '' || !(value >= min && value <= max))
    throw new Stop(`--${name} takes a number from ${min} to ${max}, not "${String(text)}"`);
  return value;
};

const numbers = Object.fromEntries(
  [...Object.keys(settings), ...Object.keys(prices)].map((name) => [name, { type: 'string' } as const]),
);
const options = { ...numbers, costs: { type: 'boolean' }, json: { type: 'boolean' } } as const;

await command({ usage, options }, async ({ values }) => {
  const given: Record<string, unknown> = values;
  const fleet = { ...usualFleet };
  for (const [name, [field, min, max]] of Object.entries(settings))
    if (given[name] !== undefined) fleet[field] = numberOf(name, given[name], min, max);
  if (fleet.dtlsShare + fleet.tlsShare > 1) throw new Stop('--dtls and --tls together are at most 1');
  const price = { ...usualPrices };
  for (const [name, [field]] of Object.entries(prices))
    if (given[name] !== undefined) price[field] = numberOf(name, given[name], 0, 1e6);
  const plan = planOf(fleet, price);
  if (values.costs) process.stdout.write(`${unitCostsText()}\n`);
  else if (values.json) process.stdout.write(`${JSON.stringify({ fleet, ...plan }, null, 2)}\n`);
  else process.stdout.write(`${fleetText(fleet)}.\n\n${planText(fleet, plan, price)}\n`);
});
