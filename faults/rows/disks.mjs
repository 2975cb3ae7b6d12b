/** Rows in which the disk of an engine is full. They need the right to mount a small file system. */
import { join } from 'node:path';
import { Redis } from 'ioredis';
import { isAlive } from '../../tools/lanyard/processes.mjs';
import { eventually, sleep } from '../experiment.mjs';
import { cannotMount, SmallDisk } from '../small-disk.mjs';

/** @typedef {import('../experiment.mjs').Experiment} Experiment @typedef {import('../experiment.mjs').Row} Row */

/** Of the row that runs: those that fill a disk run alone. @type {SmallDisk | undefined} */
let current;

const disk = () => /** @type {SmallDisk} */ (current);

/** A Redis that is gone is started again by its supervisor, and by each replica that starts over twice. */
const afterRedis = 5;

const endsWithinMs = 15_000;

/** @param {import('../engines.mjs').Engine} engine */
const endsByItself = (engine) => eventually(() => !isAlive(engine.pid), endsWithinMs);

/** Redis that waits for its disk ends when that is full. @param {Experiment} experiment */
const fullWithFsync = async (experiment) => {
  const { redis } = experiment;
  await experiment.fault('full disk, appendfsync always', { times: afterRedis }, async () => {
    disk().fill();
    if (!(await endsByItself(redis))) experiment.violation('F28 Redis did not end although its disk was full');
    // As its supervisor would: it may even answer before it ends again.
    await redis.startOnce().catch(() => undefined);
    await experiment.pause(200, 1_000);
    disk().free();
    await redis.heal();
    await sleep(800);
  });
};

/** Redis that does not wait for its disk refuses to write when that is full. @param {Experiment} experiment */
const fullWithoutFsync = async (experiment) => {
  const { redis } = experiment;
  const client = new Redis({ port: redis.port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const says = async (/** @type {string} */ status) =>
    (await client.info('persistence')).includes(`aof_last_write_status:${status}`);
  try {
    await client.config('SET', 'appendfsync', 'everysec');
    await experiment.fault('full disk, appendfsync everysec', { times: afterRedis }, async () => {
      disk().fill();
      if (!(await eventually(() => says('err'), endsWithinMs)))
        experiment.violation('F28 Redis did not notice that its disk was full');
      await experiment.pause(500, 2_000);
      disk().free();
      await eventually(() => says('ok'), endsWithinMs);
    });
    await client.config('SET', 'appendfsync', 'always');
  } finally {
    client.disconnect();
  }
};

/** @type {Row} */
const redisFull = {
  name: 'F28',
  about: 'the disk of Redis is full: it ends, or refuses to write; then there is space again',
  seconds: 14,
  exclusive: true,
  cannotRun: cannotMount,
  equip: async (_engines, folder) => {
    current = SmallDisk.mount(join(folder, 'redis'), 192);
    return { heal: async () => disk().free(), stop: async () => disk().unmount() };
  },
  inject: (experiment) =>
    experiment.repeat((n) => (n % 2 === 0 ? fullWithFsync(experiment) : fullWithoutFsync(experiment)), 300, 1_200),
};

export const diskRows = [redisFull];
