/** Every benchmark: its name, a line for `npm run bench -- --help`, and its function. A new one is a file and an entry here. */
import { consolePages } from './console/console.ts';
import { campaign } from './devices/campaign.ts';
import { commands } from './devices/commands.ts';
import { dtls as devicesDtls } from './devices/dtls.ts';
import { dtlsFaults } from './devices/dtls-faults.ts';
import { behindGateways } from './devices/lwm2m-gateways.ts';
import { memory, memoryDtls } from './devices/memory.ts';
import { messages } from './devices/messages.ts';
import { replicaFaults } from './devices/replica-faults.ts';
import { addedLatency } from './dispatch/added-latency.ts';
import { catchUp } from './dispatch/catch-up.ts';
import { fullChannel } from './dispatch/full-channel.ts';
import { idleChannels } from './dispatch/idle-channels.ts';
import { isolation } from './dispatch/isolation.ts';
import { redisKilled } from './dispatch/redis-killed.ts';
import { replicaKilled } from './dispatch/replica-killed.ts';
import { store } from './dispatch/store.ts';
import { transport } from './dispatch/transport.ts';
import { handshakes as dtlsHandshakes, messages as dtlsMessages } from './dtls/handshakes.ts';
import { memory as dtlsMemory } from './dtls/memory.ts';
import { records as dtlsRecords } from './dtls/records.ts';
import { eventLog } from './event-log/event-log.ts';
import { kafkajs } from './kafkajs/kafkajs.ts';
import { growthOfAccounts, growthOfChannels } from './growth/channels.ts';
import { growthOfDevices } from './growth/devices.ts';
import { growthOfQueue } from './growth/queue.ts';
import { idle } from './idle/idle.ts';
import { latency } from './latency.ts';
import { lwm2m } from './peers/lwm2m.ts';
import { webhooks } from './peers/webhooks.ts';
import { rest, restAdded } from './rest/rest.ts';
import { dispatchers } from './scale/dispatchers.ts';
import { proxies } from './scale/proxies.ts';
import { snapshot } from './snapshot/snapshot.ts';
import { throughput } from './throughput.ts';
import type { BenchSystem } from './system.ts';
import type { SystemOptions } from '../tools/lanyard/system.ts';

/** Figures by name. A name ends with the unit; ratios end with `_ratio`. */
type Figures = Record<string, number>;

/** `seconds`: how long each round of a benchmark measures, if it is limited by time; `say` writes to standard error */
export interface Context {
  system: BenchSystem;
  seconds: number;
  rounds: number;
  say: (text: string) => void;
}

type Replicas = SystemOptions['replicas'];

/** `replicas`: of each app; default: one; `env`: added to every service; `alone`: it needs no services, and has no `system` */
export interface Bench {
  about: string;
  replicas?: Replicas;
  env?: Record<string, string>;
  alone?: boolean;
  run: (context: Context) => Promise<Figures>;
}

/** The name of a group runs all its benchmarks: `dispatch` runs `dispatch-catch-up`, `dispatch-store` … */
export const benches: Record<string, Bench> = {
  latency,
  throughput,
  'dispatch-catch-up': catchUp,
  'dispatch-store': store,
  'dispatch-transport': transport,
  'dispatch-latency': addedLatency,
  'dispatch-idle': idleChannels,
  'dispatch-isolation': isolation,
  'dispatch-full-channel': fullChannel,
  'dispatch-redis-killed': redisKilled,
  'dispatch-replica-killed': replicaKilled,
  'devices-messages': messages,
  'devices-commands': commands,
  'devices-memory': memory,
  'devices-memory-dtls': memoryDtls,
  'devices-gateways': behindGateways,
  'devices-dtls': devicesDtls,
  'dtls-handshakes': dtlsHandshakes,
  'dtls-messages': dtlsMessages,
  'dtls-records': dtlsRecords,
  'dtls-memory': dtlsMemory,
  'peers-webhooks': webhooks,
  'peers-lwm2m': lwm2m,
  'scale-dispatchers': dispatchers,
  'scale-device-proxies': proxies,
  'growth-channels': growthOfChannels,
  'growth-accounts': growthOfAccounts,
  'growth-queue': growthOfQueue,
  'growth-devices': growthOfDevices,
  idle,
  'proxy-faults': replicaFaults,
  'dtls-faults': dtlsFaults,
  'campaign-faults': campaign,
  'rest-rate': rest,
  'rest-added': restAdded,
  console: consolePages,
  'event-log': eventLog,
  kafkajs,
  snapshot,
};
