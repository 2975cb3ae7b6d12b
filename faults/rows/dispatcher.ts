/** Rows in which dispatchers are killed, suspended, started and stopped. */
import { sleep } from '../../tools/lanyard/project.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import type { Replica } from '../replica.ts';

/** Kills a replica, and starts it again. */
export const bounce = async ({ system }: Experiment, replica: Replica) => {
  await replica.kill();
  await system.evict(replica);
  await replica.start();
};

/** Kills a replica, and launches it again without waiting until it is ready. */
const killAndLaunch = async ({ system }: Experiment, replica: Replica) => {
  await replica.kill();
  await system.evict(replica);
  replica.launch();
};

/** Requests at which a replica is killed: before Redis has them, or before the replica has the answer. */
const moments = ['append', 'ack', 'claim', 'read', 'detach'] as const;

const killed: Row = {
  name: 'F1',
  about: 'SIGKILL of a dispatcher before and after an append, a claim, a confirmation',
  seconds: 12,
  inject: (experiment) =>
    experiment.repeat(100, 900, async (n) => {
      const replica = experiment.victim();
      const moment = moments[n % moments.length] ?? 'append';
      const isAnswer = experiment.random.chance(0.5);
      await experiment.fault(`kill ${isAnswer ? 'after' : 'before'} ${moment}`, { times: 1 }, async () => {
        await replica.redis.cutAt(experiment.asks(moment), {
          afterAnswer: isAnswer,
          first: () => void replica.kill(),
        });
        await killAndLaunch(experiment, replica);
      });
      await eventually(() => experiment.system.replicas.some(({ isReady }) => isReady), 20_000);
    }),
};

/** Another replica sends the batch in flight again; and when this one continues, its link to Redis is too old to be used further. */
const afterPause = 2;

const paused: Row = {
  name: 'F2',
  about: 'SIGSTOP of a dispatcher until others take over, with requests under way; then SIGCONT',
  seconds: 20,
  inject: async (experiment) => {
    for (const receiver of experiment.system.callbacks.values()) receiver.behaviour = 'slow';
    await experiment.repeat(3_000, 4_000, async () => {
      const replica = experiment.victim();
      await experiment.fault('SIGSTOP', { times: afterPause, afterMs: 1_500 }, async () => {
        replica.pause();
        // After 5 s of silence, other replicas may take its channels.
        await sleep(experiment.random.chance(0.75) ? experiment.random.int(6_500, 8_000) : 1_500);
        replica.resume();
      });
    });
  },
};

const pausedForLong: Row = {
  name: 'F2b',
  about: 'SIGSTOP for longer than Kafka waits for a consumer: it comes back to partitions that are not its own',
  seconds: 1,
  inject: async (experiment) => {
    const replica = experiment.victim();
    await experiment.fault('SIGSTOP 36 s', { times: afterPause }, async () => {
      replica.pause();
      await sleep(36_000);
      replica.resume();
    });
    await sleep(2_000);
  },
};

const storm: Row = {
  name: 'F13',
  about: 'rebalance storm: members are thrown out of their groups, replicas join and leave',
  seconds: 12,
  inject: (experiment) =>
    experiment.repeat(300, 1_800, async (n) => {
      const replica = experiment.victim();
      if (n % 5 !== 4) await experiment.fault('thrown out of the group', {}, () => experiment.system.evict(replica));
      else
        await experiment.fault('SIGTERM and back', { times: 1 }, async () => {
          await replica.stop();
          await replica.start();
        });
    }),
};

/** Share of a processor while there is no work. */
const idleShareMax = 0.05;

const calm: Row = {
  name: 'F0',
  about: 'no fault at all: nothing twice, and an idle dispatcher is idle',
  seconds: 5,
  inject: (experiment) => experiment.repeat(100, 900, () => experiment.audit()),
  after: async (experiment) => {
    const { replicas } = experiment.system;
    const used = () => replicas.map(({ cpuSeconds }) => cpuSeconds);
    let share = 1;
    const isIdle = async () => {
      const before = used();
      await sleep(3_000);
      share = Math.min(share, Math.max(...used().map((now, n) => (now - (before[n] ?? 0)) / 3)));
      return share < idleShareMax;
    };
    // For a while, programs are still being compiled.
    if (!(await eventually(isIdle, 15_000)))
      experiment.violation(`I6 a dispatcher without work used ${Math.round(share * 100)} % of a processor`);
  },
};

export const dispatcherRows = [calm, killed, paused, pausedForLong, storm];
