/** Rows on a Redis Cluster: replicas take over from masters, and slots move from node to node. */
import { sleep } from '../../tools/lanyard/project.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import { killWithLag, RedisCluster } from '../../tools/testing/redis-cluster.ts';

/** A batch may be sent again when the link breaks, and again when a replica starts over, which each does up to twice. */
const afterFailOver = 7;

/** A moving slot refuses commands for a while, and a claim may be lost with its answer. */
const afterMove = 5;

const takesOverWithinMs = 20_000;

/** The shards of `DISPATCHER_QUEUE_SHARDS`, each in a different slot. */
const shards = ['s0', 's1', 's2', 's3'];

const equip: NonNullable<Row['equip']> = async (_infrastructure, folder) => {
  const cluster = await RedisCluster.start(folder);
  return Object.assign(cluster, { redisPorts: cluster.ports, environment: { REDIS_URL: cluster.url } });
};

/** A pair of nodes with slots that the dispatcher uses. */
const pairInUse = async ({ random }: Experiment, cluster: RedisCluster) => {
  const master = await cluster.ownerOf(await cluster.slotOf(random.pick(shards)));
  const pair = (await cluster.pairs()).find((one) => one.master === master);
  if (!pair) throw new Error('a master has no replica');
  return pair;
};

const failOvers: Record<
  string,
  (experiment: Experiment, pair: Awaited<ReturnType<typeof pairInUse>>) => Promise<unknown>
> = {
  'kill a master whose replica lags': (experiment, { master, replica }) =>
    killWithLag(master, [replica], () => experiment.pause(100, 800)),
  'SIGSTOP a master': async (_, { master }) => master.pause(),
  'fail-over on request': (_, { replica }) => replica.ask('CLUSTER', 'FAILOVER'),
};

const failsOver: Row = {
  name: 'R1',
  about:
    'Redis Cluster: a replica takes over from a master that is killed, is suspended, or hands over; last writes are lost',
  equip,
  seconds: 24,
  inject: async (experiment) => {
    const cluster = experiment.equipment as RedisCluster;
    const kinds = Object.keys(failOvers);
    await experiment.repeat(300, 1_200, async (n) => {
      const pair = await pairInUse(experiment, cluster);
      const kind = kinds[n % kinds.length] ?? '';
      await experiment.fault(kind, { times: afterFailOver, forgets: true }, async () => {
        await failOvers[kind]?.(experiment, pair);
        const tookOver = await eventually(() => pair.replica.isMaster(), takesOverWithinMs);
        if (!tookOver) experiment.violation(`R1 ${kind}: no replica took over within ${takesOverWithinMs} ms`);
        await experiment.pause(0, 1_000);
        await cluster.heal();
        await sleep(800);
      });
    });
  },
};

const slotsMove: Row = {
  name: 'R1b',
  about: 'Redis Cluster: slots move from master to master, some keys at a time, while events are appended',
  equip,
  seconds: 15,
  inject: async (experiment) => {
    const cluster = experiment.equipment as RedisCluster;
    const { random } = experiment;
    await experiment.repeat(100, 800, async () => {
      const slot = await cluster.slotOf(random.pick(shards));
      const owner = await cluster.ownerOf(slot);
      const others = (await cluster.pairs()).map(({ master }) => master).filter((node) => node !== owner);
      await experiment.fault(`slot ${slot} moves`, { times: afterMove }, async () => {
        await cluster.move(slot, random.pick(others), random.int(1, 3), () => experiment.pause(0, 150));
        await cluster.settled();
      });
    });
  },
};

export const redisClusterRows = [failsOver, slotsMove];
