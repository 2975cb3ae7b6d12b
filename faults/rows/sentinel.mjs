/** The row on a Redis whose master is chosen by sentinels. */
import { eventually, sleep } from '../experiment.mjs';
import { killWithLag } from '../redis-cluster.mjs';
import { Sentinels } from '../sentinels.mjs';

/** @typedef {import('../experiment.mjs').Experiment} Experiment @typedef {import('../experiment.mjs').Row} Row */
/** @typedef {import('../redis-cluster.mjs').RedisNode} RedisNode */

/** A batch may be sent again when the link breaks, and once more by each replica that starts over twice. */
const afterFailOver = 7;
const takesOverWithinMs = 20_000;

/** Those of a run. @type {WeakMap<import('../experiment.mjs').Equipment, Sentinels>} */
const ofRuns = new WeakMap();

/** @type {Record<string, (experiment: Experiment, sentinels: Sentinels, master: RedisNode) => Promise<unknown>>} */
const failOvers = {
  'kill a master whose replicas lag': (experiment, { nodes }, master) =>
    killWithLag(
      master,
      nodes.filter((node) => node !== master),
      () => experiment.pause(100, 800),
    ),
  'SIGSTOP the master': async (_experiment, _sentinels, master) => master.pause(),
  'fail-over on request': (_, sentinels) => sentinels.failOver(),
};

/** No client knows where the master is while dispatchers look for it. @param {Experiment} experiment @param {Sentinels} sentinels @param {RedisNode} master */
const withoutSentinels = async (experiment, { sentinels }, master) => {
  await Promise.all(sentinels.map((sentinel) => sentinel.kill()));
  await master.kill();
  await experiment.pause(500, 1_500);
  await master.start();
  await experiment.pause(500, 1_500);
};

/** @param {Experiment} experiment @param {Sentinels} sentinels @param {string} kind @param {RedisNode} master */
const failOver = async (experiment, sentinels, kind, master) => {
  await failOvers[kind]?.(experiment, sentinels, master);
  const isReplaced = async () => (await sentinels.said()).every((port) => port !== master.port);
  if (!(await eventually(isReplaced, takesOverWithinMs)))
    experiment.violation(`R2 ${kind}: no replica took over within ${takesOverWithinMs} ms`);
  await experiment.pause(0, 1_000);
};

/** @type {Row} */
const sentinel = {
  name: 'R2',
  about: 'Redis with Sentinel: the master is killed, stands still, or is replaced on request; all sentinels are away',
  seconds: 24,
  equip: async (engines, folder) => {
    const sentinels = await Sentinels.start(engines.binaries, folder);
    const equipment = {
      redisPorts: sentinels.ports,
      environment: { REDIS_URL: sentinels.url },
      heal: () => sentinels.heal(),
      stop: () => sentinels.stop(),
    };
    ofRuns.set(equipment, sentinels);
    return equipment;
  },
  inject: async (experiment) => {
    const sentinels = /** @type {Sentinels} */ (ofRuns.get(experiment.equipment));
    const kinds = [...Object.keys(failOvers), 'the sentinels are away'];
    await experiment.repeat(
      async (n) => {
        const kind = kinds[n % kinds.length] ?? '';
        const forgets = kind in failOvers;
        const master = /** @type {RedisNode} */ (await sentinels.master());
        await experiment.fault(kind, { times: afterFailOver, forgets }, async () => {
          if (forgets) await failOver(experiment, sentinels, kind, master);
          else await withoutSentinels(experiment, sentinels, master);
          await sentinels.heal();
          await sleep(800);
        });
      },
      300,
      1_200,
    );
  },
};

export const sentinelRows = [sentinel];
