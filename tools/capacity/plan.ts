/** The resources that a fleet needs, by unit costs. */
import { connectionsMaxDefault } from '../../apps/device-proxy/src/limits.ts';
import { type Fleet, type Prices, type Rates, ratesOf } from './fleet.ts';
import { unitCosts as cost } from './unit-costs.ts';

export interface Part {
  name: string;
  replicas: number;
  cores: number;
  memoryGiB: number;
  diskGiB: number;
  /** The resource that decides the number of replicas. */
  because: string;
}

export interface Limit {
  name: string;
  /** The number of devices at which the limit is reached, with the rates of this fleet. */
  devices: number;
  instead: string;
}

/** Settings that device-proxy needs in place of the shipped values. */
export interface Settings {
  memoryGiB: number;
  maxOldSpaceMiB: number;
  /** Connection limits above their defaults. */
  environment: Record<string, number>;
}

export interface Plan {
  rates: Rates;
  parts: Part[];
  settings: Settings;
  partitions: number;
  /** Number of Redis shards, among which the queues of channels are divided. */
  shards: number;
  /** In ascending order: the limit that is reached first comes first. */
  limits: Limit[];
  /** Price per month. */
  price: number;
}

const gib = 2 ** 30;
const processGiB = (cost.process.value * 1e6) / gib;

/** A process that uses more than this share of a core needs another replica: the rest is for peaks. */
const coreShare = 0.6;
/** The share of memory that is planned for. The rest stays free, for peaks and for the loss of another replica. */
const memoryShare = 0.7;
const replicasMin = 2;
const kafkaReplicas = 3;
/** Retention of facts (docs/topics.md). */
const factHours = 26;
const redisGiB = 16;
/** One consumer of a group for each partition; twice as many leave room to grow. */
const partitionsPerConsumer = 2;

const coresOf = (perSecond: number, us: number): number => (perSecond * us) / 1e6;
const secureShare = ({ dtlsShare, tlsShare }: Fleet): number => dtlsShare + tlsShare;

const service = (name: string, cores: number): Part => {
  const byCores = Math.ceil(cores / coreShare);
  const replicas = Math.max(replicasMin, byCores);
  const because = byCores > replicasMin ? 'processor' : 'loss of a replica';
  return { name, replicas, cores, memoryGiB: replicas * processGiB, diskGiB: 0, because };
};

/** Bytes of the directory of all devices, of which every device-proxy has a copy. */
const directoryBytes = (fleet: Fleet): number =>
  fleet.devices * (cost.directoryEntry.value + secureShare(fleet) * cost.credential.value);

/** If the copies leave too little room, pods are larger than requested. */
const podGiBOf = (fleet: Fleet): number => Math.max(fleet.podGiB, 2 * (processGiB + directoryBytes(fleet) / gib));

const deviceProxy = (fleet: Fleet, rates: Rates): Part => {
  const { dtlsShare, tlsShare, devices } = fleet;
  const registrationUs =
    cost.registration.value + dtlsShare * cost.handshakeDtls.value + tlsShare * cost.handshakeTls.value;
  const cores =
    coresOf(rates.values, cost.value.value + dtlsShare * cost.valueDtls.value) +
    coresOf(rates.updates, cost.update.value) +
    coresOf(rates.commands, cost.command.value) +
    coresOf(rates.registrations, registrationUs);
  const sessions =
    devices * (cost.session.value + dtlsShare * cost.sessionDtls.value + tlsShare * cost.sessionTls.value);
  const directory = directoryBytes(fleet) / gib;
  const podGiB = podGiBOf(fleet);
  const byMemory = Math.ceil(sessions / gib / (memoryShare * podGiB - processGiB - directory));
  // All limits hold without the spare replica, because the others take over the devices of a lost one.
  const bounds = [
    { because: 'memory', count: byMemory },
    { because: 'processor', count: Math.ceil(cores / coreShare) },
    { because: 'DTLS connections', count: Math.ceil((devices * dtlsShare) / fleet.dtlsConnections) },
    { because: 'TLS connections', count: Math.ceil((devices * tlsShare) / fleet.tlsConnections) },
  ];
  const { because, count } = bounds.reduce((most, bound) => (bound.count > most.count ? bound : most));
  const replicas = Math.max(replicasMin, count) + 1;
  return { name: 'device-proxy', replicas, cores, memoryGiB: replicas * podGiB, diskGiB: 0, because };
};

const settingsOf = (fleet: Fleet): Settings => {
  const memoryGiB = podGiBOf(fleet);
  const limits = [
    ['DEVICE_PROXY_COAP_DTLS_CONNECTIONS_MAX', fleet.dtlsConnections, connectionsMaxDefault.dtls],
    ['DEVICE_PROXY_COAP_TLS_CONNECTIONS_MAX', fleet.tlsConnections, connectionsMaxDefault.tls],
  ] as const;
  return {
    memoryGiB,
    // The heap gets the share of memory that is planned for; the rest is outside the heap.
    maxOldSpaceMiB: Math.floor(memoryShare * memoryGiB * 1_024),
    environment: Object.fromEntries(
      limits.filter(([, wanted, usual]) => wanted > usual).map(([name, wanted]) => [name, wanted]),
    ),
  };
};

const redis = (fleet: Fleet, rates: Rates): Part => {
  const queued = rates.events * fleet.offlineHours * 3_600 * cost.queued.value;
  const memoryGiB = (fleet.devices * cost.sessionInRedis.value + queued) / gib / memoryShare;
  const replicas = Math.max(1, Math.ceil(memoryGiB / redisGiB));
  const cores = replicas * coreShare;
  return { name: 'Redis', replicas, cores, memoryGiB, diskGiB: 2 * memoryGiB, because: 'memory' };
};

const postgresql = (fleet: Fleet, rates: Rates): Part => {
  const rows = fleet.devices * (cost.deviceRow.value + fleet.observed * cost.resourceRow.value);
  const history = rates.values * fleet.historyDays * 86_400 * cost.historyValue.value;
  const log = rates.commands * fleet.eventLogDays * 86_400 * cost.logEntry.value;
  const diskGiB = (rows + history + log) / gib;
  const byWrites = Math.ceil(rates.values / (coreShare * cost.databaseRows.value));
  const replicas = Math.max(1, byWrites);
  // Assumes that a tenth of the disk is in active use.
  const memoryGiB = Math.max(4 * replicas, diskGiB / 10);
  // Its CPU time is included in the costs of the services that write to it.
  return { name: 'PostgreSQL', replicas, cores: 0, memoryGiB, diskGiB, because: 'values per second' };
};

const kafka = (rates: Rates): Part => {
  // An update that changes nothing writes no session event.
  const messages = rates.values + 2 * rates.commands + rates.registrations;
  const diskGiB = (rates.values * cost.messageInKafka.value * factHours * 3_600 * kafkaReplicas) / gib;
  const cores = kafkaReplicas * coresOf(messages, cost.brokerMessage.value);
  const replicas = Math.max(kafkaReplicas, Math.ceil(cores / (4 * coreShare)));
  return { name: 'Kafka', replicas, cores, memoryGiB: 4 * replicas, diskGiB, because: 'three copies' };
};

const limitsOf = (fleet: Fleet, rates: Rates, consumers: number): Limit[] => {
  const scaledTo = (used: number, most: number): number => Math.floor((fleet.devices * most) / used);
  return [
    {
      name: 'Every device-proxy has a copy of the whole directory, which fills half a pod',
      devices: scaledTo(directoryBytes(fleet), (fleet.podGiB * gib) / 2),
      instead: 'larger pods; then a bounded copy with a lookup behind it (ADR 11)',
    },
    {
      name: 'Snapshot writes to one PostgreSQL',
      devices: scaledTo(rates.values, coreShare * cost.databaseRows.value),
      instead: 'several databases, by partition of device.values; the consumer works partition by partition',
    },
    {
      name: 'Registry records registrations in one PostgreSQL, when all devices come back',
      devices: scaledTo(rates.registrations, cost.databaseRegistrations.value),
      instead: 'a limit of registrations per replica, answered 5.03, so that recovery takes longer',
    },
    {
      name: `${fleet.partitions} partitions, each with one consumer of a group`,
      devices: scaledTo(consumers, fleet.partitions),
      instead: 'more partitions from the first day: to add them later breaks the order per device once',
    },
  ].sort((a, b) => a.devices - b.devices);
};

const priceOf = (parts: readonly Part[], { core, memoryGiB, diskGiB }: Prices): number =>
  parts.reduce((sum, part) => sum + part.cores * core + part.memoryGiB * memoryGiB + part.diskGiB * diskGiB, 0);

export const planOf = (fleet: Fleet, prices: Prices): Plan => {
  const rates = ratesOf(fleet);
  const storedUs = fleet.historyDays > 0 ? cost.storedHistory.value : cost.stored.value;
  const logged = rates.commands + rates.registrations;
  const consumers = [
    service('dispatcher', coresOf(rates.events, cost.dispatched.value)),
    service('snapshot', coresOf(rates.values, storedUs)),
    service('event-log', coresOf(logged, cost.logged.value)),
    service('registry', coresOf(rates.registrations, cost.registered.value)),
  ];
  const shards = redis(fleet, rates);
  const parts = [
    deviceProxy(fleet, rates),
    ...consumers,
    service('gateway', coresOf(rates.requests, cost.request.value)),
    service('campaigns', 0),
    kafka(rates),
    shards,
    postgresql(fleet, rates),
  ];
  const consumersMost = Math.max(...consumers.map(({ cores }) => cores / coreShare));
  const wanted = partitionsPerConsumer * Math.ceil(consumersMost);
  return {
    rates,
    parts,
    settings: settingsOf(fleet),
    partitions: Math.max(8, 2 ** Math.ceil(Math.log2(wanted))),
    shards: shards.replicas,
    limits: limitsOf(fleet, rates, consumersMost),
    price: priceOf(parts, prices),
  };
};
