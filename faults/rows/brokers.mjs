/** Rows with three brokers, every message on all of them: `min.insync.replicas` is 2. */
import { DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';
import { Brokers } from '../brokers.mjs';
import { Engines } from '../engines.mjs';
import { sleep } from '../experiment.mjs';

/** @typedef {import('../experiment.mjs').Experiment} Experiment @typedef {import('../experiment.mjs').Row} Row */

/** Longer than it takes the others to choose leaders without a broker. */
const awayMs = /** @type {const} */ ([4_500, 6_500]);

/** The brokers of a run. @type {WeakMap<import('../experiment.mjs').Equipment, Brokers>} */
const ofRuns = new WeakMap();

/** @typedef {{ experiment: Experiment, brokers: Brokers, leader: ReturnType<Brokers['broker']>, other: ReturnType<Brokers['broker']> }} Situation */

const away = (/** @type {Experiment} */ experiment) => experiment.pause(...awayMs);

/** @type {Record<string, (situation: Situation) => Promise<unknown>>} */
const faults = {
  'a leader is cut off from the other brokers': async ({ experiment, brokers, leader }) => {
    brokers.isolate(leader);
    await away(experiment);
  },
  'a leader is killed': async ({ experiment, leader }) => {
    await leader.kill();
    await away(experiment);
  },
  'a leader is cut off from everything': async ({ experiment, brokers, leader }) => {
    brokers.isolate(leader);
    leader.doors.clients.down();
    await away(experiment);
  },
  'a leader stands still': async ({ experiment, leader }) => {
    leader.pause();
    await away(experiment);
  },
  'a leader is cut off, another broker is killed': async ({ experiment, brokers, leader, other }) => {
    brokers.isolate(leader);
    await experiment.pause(0, 1_500);
    await other.kill();
    await experiment.pause(1_000, 2_500);
  },
};

/** @type {Row} */
const threeBrokers = {
  name: 'K1',
  about: 'three brokers: a leader is cut off from the others, killed, stands still; one is cut off and another killed',
  exclusive: true,
  seconds: 30,
  equip: async (engines, folder) => {
    const brokers = await Brokers.start(engines.binaries, folder);
    const { databaseUrl, binaries } = engines;
    const equipment = {
      engines: new Engines({ brokers: brokers.addresses, databaseUrl }, binaries),
      heal: () => brokers.heal(),
      stop: () => brokers.stop(),
    };
    ofRuns.set(equipment, brokers);
    return equipment;
  },
  inject: async (experiment) => {
    const brokers = /** @type {Brokers} */ (ofRuns.get(experiment.equipment));
    const { kafka } = experiment.live;
    const topics = [DeviceValues, DeviceSessions, DeviceCommandResults].map(({ name }) => kafka.topicName(name));
    const admin = kafka.kafka.admin();
    await admin.connect();
    const kinds = Object.keys(faults);
    try {
      await experiment.repeat(
        async (n) => {
          await brokers.settled(admin, topics);
          const situation = { experiment, brokers, ...(await victims(experiment, brokers, admin, topics)) };
          const kind = kinds[n % kinds.length] ?? '';
          await experiment.fault(kind, {}, async () => {
            await faults[kind]?.(situation);
            await brokers.heal();
            await sleep(500);
          });
        },
        500,
        1_500,
      );
    } finally {
      await admin.disconnect();
    }
  },
};

/**
 * The leader of a partition that devices use, and another broker.
 * @param {Experiment} experiment @param {Brokers} brokers @param {import('kafkajs').Admin} admin @param {string[]} topics
 */
const victims = async ({ random }, brokers, admin, topics) => {
  const { topics: found } = await admin.fetchTopicMetadata({ topics });
  const values = found.find(({ name }) => name === topics[0]);
  const leader = brokers.broker(random.pick(values?.partitions ?? []).leader);
  return { leader, other: random.pick(brokers.brokers.filter((broker) => broker !== leader)) };
};

export const brokerRows = [threeBrokers];
