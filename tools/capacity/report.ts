/** A plan as a person reads it: Markdown. */
import { markdownTable } from '../lanyard/tables.ts';
import type { Fleet, Prices } from './fleet.ts';
import type { Limit, Part, Plan, Settings } from './plan.ts';
import { unitCosts } from './unit-costs.ts';

const number = (value: number): string =>
  value >= 100 || Number.isInteger(value) ? Math.round(value).toLocaleString('en') : value.toPrecision(2);

const counted = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

const partRow = ({ name, replicas, cores, memoryGiB, diskGiB, because }: Part): string[] => [
  name,
  number(replicas),
  because,
  number(cores),
  number(memoryGiB),
  diskGiB > 0 ? number(diskGiB) : '',
];

const total = (parts: readonly Part[]): string[] => [
  '**Total**',
  '',
  '',
  ...(['cores', 'memoryGiB', 'diskGiB'] as const).map((of) => number(parts.reduce((sum, part) => sum + part[of], 0))),
];

const bottleneck = ([first]: readonly Limit[], { devices }: Fleet): string => {
  if (!first) return '';
  const isReached = first.devices < devices;
  return `**${isReached ? 'First bottleneck' : 'The next bottleneck'}**, at ${number(first.devices)} devices: ${first.name}. Then: ${first.instead}.`;
};

const settingsText = ({ memoryGiB, maxOldSpaceMiB, environment }: Settings): string => {
  const variables = Object.entries(environment).map(([name, value]) => `\`${name}=${value}\``);
  const all = [
    `${number(Math.ceil(memoryGiB))} GiB of memory (\`k8s/base/device-proxy.yaml\`)`,
    `\`--max-old-space-size=${maxOldSpaceMiB}\` in \`NODE_OPTIONS\` (\`k8s/base/device-proxy.env\`; with Helm, \`heapMiB\`)`,
    ...variables,
  ];
  return `device-proxy needs: ${all.join(', ')}.`;
};

export const fleetText = (fleet: Fleet): string =>
  [
    `${counted(fleet.devices, 'device')} with ${counted(fleet.observed, 'observed resource')}, a value of each every ${fleet.valueSeconds} s`,
    `an update every ${fleet.updateSeconds} s`,
    `${counted(fleet.commandsPerDay, 'command')} and ${counted(fleet.requestsPerDay, 'request')} for each device and day`,
    `${fleet.dtlsShare * 100} % over DTLS, ${fleet.tlsShare * 100} % over TLS`,
    `each value goes to ${counted(fleet.channels, 'channel')}, whose application may be unreachable for ${fleet.offlineHours} h`,
    `after an outage, all devices register again within ${fleet.recoverySeconds} s`,
    fleet.historyDays > 0 ? `a value history of ${fleet.historyDays} days` : 'no value history',
  ].join('; ');

export const planText = (fleet: Fleet, plan: Plan, prices: Prices): string => {
  const { rates, parts, settings, partitions, shards, limits, price } = plan;
  const reached = limits.filter(({ devices }) => devices < fleet.devices).slice(1);
  return [
    `${number(rates.values)} values/s, ${number(rates.events)} events/s to channels, ${number(rates.updates)} updates/s, ${number(rates.commands)} commands/s, ${number(rates.requests)} requests/s; ${number(rates.registrations)} registrations/s after an outage.`,
    markdownTable(
      ['Part', 'Replicas', 'Determined by', 'Cores', 'Memory, GiB', 'Disk, GiB'],
      [...parts.map(partRow), total(parts)],
    ),
    `${counted(partitions, 'partition')}, ${counted(shards, 'shard')} of Redis. About ${number(price)} per month in your currency, at ${prices.core} per core, ${prices.memoryGiB} per GiB of memory and ${prices.diskGiB} per GiB of disk (\`--help\` shows how to set prices).`,
    settingsText(settings),
    bottleneck(limits, fleet),
    reached
      .map(({ name, devices, instead }) => `- Also reached, at ${number(devices)}: ${name}. Then: ${instead}.`)
      .join('\n'),
  ]
    .filter((part) => part !== '')
    .join('\n\n');
};

/** Every unit cost and where it is from. */
export const unitCostsText = (): string =>
  markdownTable(
    ['What', 'Cost', 'Source'],
    Object.values(unitCosts).map((cost) => [
      cost.what,
      `${cost.value.toLocaleString('en')} ${cost.unit}`,
      cost.measured ? `\`${cost.measured.benchmark}\`: ${cost.measured.figure}` : '_estimate_',
    ]),
  );
