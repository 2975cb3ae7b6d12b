/**
 * Every benchmark: a name, a line for `npm run bench -- --help`, and what it does. A new one is a file and a line here.
 *
 * @typedef {Record<string, number>} Figures name to value; the name ends in the unit, ratios in `_ratio`
 * @typedef {{
 *   system: import('./system.mjs').System,
 *   seconds: number,
 *   rounds: number,
 *   say: (text: string) => void,
 * }} Context `seconds`: how long each round measures, where a benchmark goes by time
 * @typedef {import('../tools/lanyard/constellation.mjs').ConstellationOptions['replicas']} Replicas
 * @typedef {{ about: string, replicas?: Replicas, env?: Record<string, string>, run: (context: Context) => Promise<Figures> }} Bench
 *   `replicas`: of each app; default: one; `env`: added to every service
 */
import { commands } from './devices/commands.mjs';
import { memory } from './devices/memory.mjs';
import { messages } from './devices/messages.mjs';
import { replicaFaults } from './devices/replica-faults.mjs';
import { addedLatency } from './dispatch/added-latency.mjs';
import { catchUp } from './dispatch/catch-up.mjs';
import { fullChannel } from './dispatch/full-channel.mjs';
import { idleChannels } from './dispatch/idle-channels.mjs';
import { isolation } from './dispatch/isolation.mjs';
import { redisKilled } from './dispatch/redis-killed.mjs';
import { replicaKilled } from './dispatch/replica-killed.mjs';
import { store } from './dispatch/store.mjs';
import { transport } from './dispatch/transport.mjs';
import { eventLog } from './event-log/event-log.mjs';
import { latency } from './latency.mjs';
import { rest, restAdded } from './rest/rest.mjs';
import { snapshot } from './snapshot/snapshot.mjs';
import { throughput } from './throughput.mjs';

/** A name of a group runs all of it: `dispatch` is `dispatch-catch-up`, `dispatch-store` … @type {Record<string, Bench>} */
export const benches = {
  latency,
  throughput,
  'dispatch-catch-up': catchUp,
  'dispatch-store': store,
  'dispatch-transport': transport,
  'dispatch-latency': addedLatency,
  'dispatch-isolation': isolation,
  'dispatch-full-channel': fullChannel,
  'dispatch-redis-killed': redisKilled,
  'dispatch-replica-killed': replicaKilled,
  'dispatch-idle': idleChannels,
  'devices-messages': messages,
  'devices-commands': commands,
  'devices-memory': memory,
  'proxy-faults': replicaFaults,
  'rest-rate': rest,
  'rest-added': restAdded,
  'event-log': eventLog,
  snapshot,
};
