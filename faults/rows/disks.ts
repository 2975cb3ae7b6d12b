/** Rows in which the disk of Kafka, PostgreSQL or Redis is full. They need permission to mount a small file system. */
import { sleep } from '../../tools/lanyard/project.ts';
import { join } from 'node:path';
import { DeviceValues } from '@lanyard/contracts';
import { Redis } from 'ioredis';
import { isAlive } from '../../tools/lanyard/processes.ts';
import { Infrastructure, type Server } from '../infrastructure.ts';
import { type Equipment, eventually, type Experiment, type Row } from '../experiment.ts';
import { cannotMount, SmallDisk } from '../small-disk.ts';
import { exampleWith } from './kafka.ts';
import type { Client } from 'pg';

/** The disk of the running row: rows that fill a disk run alone. */
let current: SmallDisk | undefined;

const disk = () => current as SmallDisk;

/** Batches sent again: a supervisor restarts a Redis that ended, and each replica starts over up to twice. */
const afterRedis = 5;

const endsWithinMs = 15_000;

const endsByItself = (server: Server) => eventually(() => !isAlive(server.pid), endsWithinMs);

/** A Redis that waits for its disk ends when the disk is full. */
const fullWithFsync = async (experiment: Experiment) => {
  const { redis } = experiment;
  await experiment.fault('full disk, appendfsync always', { times: afterRedis }, async () => {
    disk().fill();
    if (!(await endsByItself(redis))) experiment.violation('F28 Redis did not end although its disk was full');
    // Restarted as its supervisor would do: Redis may even answer before it ends again.
    redis.launch();
    await redis.ready().catch(() => undefined);
    await experiment.pause(200, 1_000);
    disk().free();
    await redis.heal();
    await sleep(800);
  });
};

/** A Redis that does not wait for its disk refuses writes when the disk is full. */
const fullWithoutFsync = async (experiment: Experiment) => {
  const { redis } = experiment;
  const client = new Redis({ port: redis.port, host: '127.0.0.1' });
  client.on('error', () => undefined);
  const says = async (status: string) => (await client.info('persistence')).includes(`aof_last_write_status:${status}`);
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

const redisFull: Row = {
  name: 'F28',
  about: 'the disk of Redis is full: it ends, or refuses to write; then there is space again',
  seconds: 14,
  exclusive: true,
  cannotRun: cannotMount,
  equip: async (_infrastructure, folder) => {
    current = SmallDisk.mount(join(folder, 'redis'), 192);
    return { heal: async () => disk().free(), stop: async () => disk().unmount() };
  },
  inject: (experiment) =>
    experiment.repeat(300, 1_200, (n) => (n % 2 === 0 ? fullWithFsync(experiment) : fullWithoutFsync(experiment))),
};

/** Larger than a page each, so that the dead letters do not fit into the allocated pages of the topic. */
const poison = { ce_category: 'rumours', filler: 'x'.repeat(8_000) };

const poisonsEach = 12;

/** Infrastructure of the row, one server of which is on the disk. */
const onDisk = (infrastructure: Infrastructure): Equipment => ({
  infrastructure,
  heal: async () => disk().free(),
  stop: async () => {
    await infrastructure.stop();
    disk().unmount();
  },
});

const kafkaFull: Row = {
  name: 'F29',
  about: 'the disk of Kafka is full while dead letters are written: it ends; then there is space again',
  seconds: 20,
  exclusive: true,
  cannotRun: cannotMount,
  equip: async (_infrastructure, folder) => {
    current = SmallDisk.mount(join(folder, 'infrastructure/kafka'), 256);
    return onDisk(await Infrastructure.start(join(folder, 'infrastructure')));
  },
  inject: async (experiment) => {
    const { system, random, infrastructure } = experiment;
    const topic = system.kafka.topicName(DeviceValues.name);
    let sent = 0;
    await experiment.repeat(1_000, 2_000, async () => {
      await experiment.fault('full disk of Kafka, kill', { times: 2 }, async () => {
        // The poison is written before the disk is full, and read when it is.
        for (const replica of system.replicas) replica.pause();
        for (let n = 0; n < poisonsEach; n++)
          await system.producer.sendTo(topic, { ...exampleWith(poison), key: random.pick(system.load.devices).id });
        sent += poisonsEach;
        disk().fill();
        for (const replica of system.replicas) replica.resume();
        if (!(await endsByItself(infrastructure.kafka)))
          experiment.violation('F29 Kafka did not end although its disk was full');
        await experiment.pause(500, 3_000);
        // Kafka alone has the letters that the replicas were about to write.
        await Promise.all(system.replicas.map((replica) => replica.kill()));
        disk().free();
        await infrastructure.kafka.heal();
        await Promise.all(system.replicas.map((replica) => replica.start()));
      });
    });
    const letters = () => system.endOf(`${DeviceValues.name}.dispatcher.dlq`);
    await eventually(async () => (await letters()) >= sent, 40_000);
    const found = await letters();
    // There may be more, because a dispatcher that does not learn whether Kafka has a letter writes it again.
    if (found < sent) experiment.violation(`F29 ${sent} messages were poison, ${found} are in the dead letters`);
  },
};

/** The last change that PostgreSQL accepted, and later ones, which it may have stored although they were refused. */
class Changes {
  accepted = 0;
  possible = new Set<number>();
  refused = 0;

  note(n: number, status: number) {
    if (status < 300) {
      this.accepted = n;
      this.possible.clear();
    } else {
      this.refused++;
      this.possible.add(n);
    }
  }
}

const change = async (experiment: Experiment, changes: Changes, channel: string, n: number) => {
  const url = experiment.system.callbacks.get(channel)?.url;
  const serialization = { max_chunk_size: n, cfg: { include_uid: true } };
  const { status } = await experiment.system.call(channel, 'PUT', 'callback', { url, serialization });
  if (status >= 300 && status !== 503)
    experiment.violation(`F30 with PostgreSQL's disk full the API answered ${status}, not 503`);
  changes.note(n, status);
};

/** Starts a new segment of PostgreSQL's log, for which the disk has no room. New sessions may be refused. */
const switchLog = (session: Client) => session.query('SELECT pg_switch_wal()').catch(() => undefined);

const postgresFull: Row = {
  name: 'F30',
  about: 'the disk of PostgreSQL is full: the API says 503 and keeps what it accepted, delivery continues',
  seconds: 20,
  exclusive: true,
  cannotRun: cannotMount,
  equip: async (_infrastructure, folder) => {
    // Not `fast`: PostgreSQL must wait for its disk, or it could lose its last accepted changes.
    const infrastructure = await Infrastructure.start(join(folder, 'infrastructure'), { fast: false });
    await infrastructure.postgresql.stop();
    current = SmallDisk.mountOver(infrastructure.postgresql.data, 256);
    await infrastructure.heal();
    return onDisk(infrastructure);
  },
  inject: async (experiment) => {
    const { infrastructure, system } = experiment;
    const [channel = ''] = experiment.channelsOf('callback');
    const changes = new Changes();
    let n = 100;
    await experiment.repeat(500, 1_500, async () => {
      await experiment.fault('full disk of PostgreSQL', { times: 2 }, async () => {
        const refusedBefore = changes.refused;
        const session = await system.session();
        disk().fill();
        const isRefused = async () => {
          await switchLog(session);
          await change(experiment, changes, channel, ++n);
          return changes.refused > refusedBefore + 2;
        };
        if (!(await eventually(isRefused, endsWithinMs)))
          experiment.violation('F30 PostgreSQL refused nothing although its disk was full');
        if (!(await experiment.delivers(5_000)))
          experiment.violation('F30 nothing was delivered while the disk of PostgreSQL was full');
        disk().free();
        await session.end().catch(() => undefined);
        await infrastructure.postgresql.heal();
      });
      const read = () => system.call(channel, 'GET', 'callback').catch(() => ({ status: 0, json: undefined }));
      if (!(await eventually(async () => (await read()).status === 200, 20_000)))
        return experiment.violation('F30 the API did not come back when there was space');
      const found = (await read()).json?.serialization?.max_chunk_size;
      if (changes.accepted > 0 && found !== changes.accepted && !changes.possible.has(found))
        experiment.violation(`F30 change ${changes.accepted} was accepted, ${found} is there`);
    });
  },
};

export const diskRows = [redisFull, kafkaFull, postgresFull];
