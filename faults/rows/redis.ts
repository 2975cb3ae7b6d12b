/** Rows in which Redis is killed, loses data, is suspended, is full, or is hard to reach. */
import { sleep } from '../../tools/lanyard/project.ts';
import { Redis } from 'ioredis';
import type { RedisServer } from '../infrastructure.ts';
import type { Experiment, Row } from '../experiment.ts';

/** A batch may be sent again when the link breaks, and again when a replica starts over, which each does up to twice. */
const afterRedis = 5;
const afterLink = 2;

const killed: Row = {
  name: 'F4',
  about: 'SIGKILL of Redis, which writes every command to disk; restart',
  seconds: 10,
  inject: (experiment) =>
    experiment.repeat(100, 1_200, async () => {
      const { redis } = experiment;
      await experiment.fault('kill Redis', { times: afterRedis }, async () => {
        await redis.kill();
        await experiment.pause(0, 600);
        await redis.start();
        await sleep(experiment.random.chance(0.3) ? 0 : 800);
      });
    }),
};

const lostTail: Row = {
  name: 'F5',
  about: 'Redis with appendfsync everysec loses power: up to a second of its log is gone',
  seconds: 10,
  inject: async (experiment) => {
    const { redis } = experiment;
    redis.appendFsync = 'everysec';
    const client = new Redis({ port: redis.port, host: '127.0.0.1' });
    await client.config('SET', 'appendfsync', 'everysec');
    client.disconnect();
    await experiment.repeat(200, 1_000, async () => {
      const onDisk = redis.logBytes;
      await experiment.pause(100, 1_000);
      await experiment.fault('power cut', { times: afterRedis, forgets: true }, async () => {
        await redis.kill();
        redis.truncateLog(onDisk);
        await experiment.pause(0, 400);
        await redis.start();
        await sleep(800);
      });
    });
  },
};

/** Kills Redis, which comes back without the data that `damage` removes from its disk. */
const losesData = (experiment: Experiment, name: string, damage: (redis: RedisServer) => void, settleMs: number) =>
  experiment.repeat(300, 1_200, async () => {
    const { redis } = experiment;
    await experiment.fault(name, { times: afterRedis, forgets: true }, async () => {
      await redis.kill();
      damage(redis);
      await redis.start();
      await sleep(settleMs);
    });
  });

const wiped: Row = {
  name: 'F6',
  about: 'Redis comes back without any data',
  seconds: 10,
  inject: (experiment) => losesData(experiment, 'wipe Redis', (redis) => redis.wipe(), 2_000),
};

const frozen: Row = {
  name: 'F7',
  about: 'Redis is suspended, also for longer than a command may take (5 s), and then runs what it was sent',
  seconds: 12,
  inject: (experiment) =>
    experiment.repeat(100, 900, async (n) => {
      const { redis } = experiment;
      await experiment.fault('SIGSTOP Redis', { times: afterRedis }, async () => {
        redis.pause();
        await (n === 1 ? sleep(6_500) : experiment.pause(200, 1_500));
        redis.resume();
        await sleep(500);
      });
    }),
};

const torn: Row = {
  name: 'F8',
  about: 'the log of Redis ends within a command',
  seconds: 9,
  inject: (experiment) => {
    const tear = (redis: RedisServer) => redis.truncateLog(redis.logBytes - experiment.random.int(1, 20_000));
    // So that the events torn off are still undelivered at that time, and a replica remembers them.
    for (const receiver of experiment.system.callbacks.values()) receiver.behaviour = 'slow';
    return losesData(experiment, 'torn log', tear, 800);
  },
};

const full: Row = {
  name: 'F9',
  about: 'Redis is full and refuses to write',
  seconds: 10,
  inject: async (experiment) => {
    const client = new Redis({ port: experiment.redis.port, host: '127.0.0.1' });
    await experiment.repeat(100, 900, async () => {
      await experiment.fault('maxmemory', { times: afterRedis }, async () => {
        const used = Number(/used_memory:(\d+)/.exec(await client.info('memory'))?.[1]);
        // The limit is reached at once, or a little later, in the middle of an operation.
        await client.config('SET', 'maxmemory', String(used + experiment.random.pick([-10_000, 0, 100_000])));
        await experiment.pause(500, 2_000);
        await client.config('SET', 'maxmemory', '0');
      });
    });
    client.disconnect();
  },
};

const commands = ['append', 'ack', 'claim', 'read', 'detach', 'attach'] as const;

const cutReplies: Row = {
  name: 'F11',
  about: 'the connection to Redis breaks after a command was done and before its answer came back',
  seconds: 10,
  inject: (experiment) =>
    experiment.repeat(50, 500, async () => {
      const command = experiment.random.pick(commands);
      const { redis } = experiment.victim();
      const answered = experiment.random.chance(0.8);
      const what = `cut ${answered ? 'answer' : 'request'} of ${command}`;
      await experiment.fault(what, { times: afterLink }, async () => {
        // A rare command is provoked.
        if (command === 'attach') for (const socket of experiment.system.sockets.values()) socket.cut();
        return redis.cutAt(experiment.asks(command), { afterAnswer: answered });
      });
    }),
};

const badLine: Row = {
  name: 'F11b',
  about: 'the line to Redis is slow, cut into pieces, stalls, is cut after some bytes, or is down',
  seconds: 12,
  inject: (experiment) =>
    experiment.repeat(100, 900, async () => {
      const { redis } = experiment.victim();
      const weather = experiment.random.pick(['slow', 'slices', 'stall', 'limit', 'down', 'bandwidth']);
      await experiment.fault(`line: ${weather}`, { times: afterLink * 2 }, async () => {
        if (weather === 'slow') redis.conditions = { latencyMs: experiment.random.int(20, 150) };
        if (weather === 'slices') redis.conditions = { sliceBytes: experiment.random.int(1, 50) };
        if (weather === 'stall') redis.conditions = { stalled: true };
        if (weather === 'bandwidth') redis.conditions = { bytesPerSecond: 200_000 };
        if (weather === 'limit') redis.cutAfter(experiment.random.int(1, 20_000));
        if (weather === 'down') redis.refuse();
        await experiment.pause(300, 2_000);
        redis.heal();
      });
    }),
};

export const redisRows = [killed, lostTail, wiped, frozen, torn, full, cutReplies, badLine];
