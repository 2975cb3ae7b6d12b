/** The row with a Redis whose master is elected by sentinels. */
import { sleep } from '../../tools/lanyard/project.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import { killWithLag, type RedisNode } from '../../tools/testing/redis-cluster.ts';
import { Sentinels } from '../sentinels.ts';

/** A batch may be sent again when the link breaks, and again when a replica starts over, which each does up to twice. */
const afterFailOver = 7;
const takesOverWithinMs = 20_000;

const failOvers: Record<string, (experiment: Experiment, sentinels: Sentinels, master: RedisNode) => Promise<unknown>> =
  {
    'kill a master whose replicas lag': (experiment, { nodes }, master) =>
      killWithLag(
        master,
        nodes.filter((node) => node !== master),
        () => experiment.pause(100, 800),
      ),
    'SIGSTOP the master': async (_experiment, _sentinels, master) => master.pause(),
    'fail-over on request': (_, sentinels) => sentinels.failOver(),
  };

/** The sentinels are down, so dispatchers that look for the master do not find it. */
const withoutSentinels = async (experiment: Experiment, { sentinels }: Sentinels, master: RedisNode) => {
  await Promise.all(sentinels.map((sentinel) => sentinel.kill()));
  await master.kill();
  await experiment.pause(500, 1_500);
  await master.start();
  await experiment.pause(500, 1_500);
};

const failOver = async (experiment: Experiment, sentinels: Sentinels, kind: string, master: RedisNode) => {
  await failOvers[kind]?.(experiment, sentinels, master);
  const isReplaced = async () => (await sentinels.masterPorts()).every((port) => port !== master.port);
  if (!(await eventually(isReplaced, takesOverWithinMs)))
    experiment.violation(`R2 ${kind}: no replica took over within ${takesOverWithinMs} ms`);
  await experiment.pause(0, 1_000);
};

const sentinel: Row = {
  name: 'R2',
  about: 'Redis with Sentinel: the master is killed, suspended, or replaced on request; all sentinels are away',
  seconds: 24,
  equip: (infrastructure, folder) => Sentinels.start(infrastructure.binaries, folder),
  inject: async (experiment) => {
    const sentinels = experiment.equipment as Sentinels;
    const kinds = [...Object.keys(failOvers), 'the sentinels are away'];
    await experiment.repeat(300, 1_200, async (n) => {
      const kind = kinds[n % kinds.length] ?? '';
      const forgets = kind in failOvers;
      const master = (await sentinels.master()) as RedisNode;
      await experiment.fault(kind, { times: afterFailOver, forgets }, async () => {
        if (forgets) await failOver(experiment, sentinels, kind, master);
        else await withoutSentinels(experiment, sentinels, master);
        await sentinels.heal();
        await sleep(800);
      });
    });
  },
};

export const sentinelRows = [sentinel];
