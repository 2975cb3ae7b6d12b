/** Rows with three brokers and every partition on all of them: `min.insync.replicas` is 2. */
import { sleep } from '../../tools/lanyard/project.ts';
import { DeviceCommandResults, DeviceSessions, DeviceValues } from '@lanyard/contracts';
import { Brokers } from '../brokers.ts';
import { type Experiment, type Row } from '../experiment.ts';
import type { Admin } from 'kafkajs';

/** Longer than the other brokers need to elect leaders without this one. */
const awayMs = [4_500, 6_500] as const;

interface Situation {
  experiment: Experiment;
  brokers: Brokers;
  leader: ReturnType<Brokers['broker']>;
  other: ReturnType<Brokers['broker']>;
}

const away = (experiment: Experiment) => experiment.pause(...awayMs);

const faults: Record<string, (situation: Situation) => Promise<unknown>> = {
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
    leader.lines.clients.refuse();
    await away(experiment);
  },
  'a leader is suspended': async ({ experiment, leader }) => {
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

const threeBrokers: Row = {
  name: 'K1',
  about: 'three brokers: a leader is cut off from the others, killed, suspended; one is cut off and another killed',
  exclusive: true,
  seconds: 30,
  equip: (infrastructure, folder) => Brokers.start(infrastructure, folder),
  inject: async (experiment) => {
    const brokers = experiment.equipment as Brokers;
    const { kafka } = experiment.system;
    const topics = [DeviceValues, DeviceSessions, DeviceCommandResults].map(({ name }) => kafka.topicName(name));
    const admin = kafka.kafka.admin();
    await admin.connect();
    const kinds = Object.keys(faults);
    try {
      await experiment.repeat(500, 1_500, async (n) => {
        await brokers.settled(admin, topics);
        const situation = { experiment, brokers, ...(await victims(experiment, brokers, admin, topics)) };
        const kind = kinds[n % kinds.length] ?? '';
        await experiment.fault(kind, {}, async () => {
          await faults[kind]?.(situation);
          await brokers.heal();
          await sleep(500);
        });
      });
    } finally {
      await admin.disconnect();
    }
  },
};

/** The leader of a partition that devices use, and another broker. */
const victims = async ({ random }: Experiment, brokers: Brokers, admin: Admin, topics: string[]) => {
  const { topics: found } = await admin.fetchTopicMetadata({ topics });
  const values = found.find(({ name }) => name === topics[0]);
  const leader = brokers.broker(random.pick(values?.partitions ?? []).leader);
  return { leader, other: random.pick(brokers.brokers.filter((broker) => broker !== leader)) };
};

export const brokerRows = [threeBrokers];
