/** All faults at once. */
import { sleep } from '../../tools/lanyard/project.ts';
import { type Experiment, type Row } from '../experiment.ts';
import { bounce } from './dispatcher.ts';
import type { Server } from '../infrastructure.ts';

const killAndStart = async (experiment: Experiment, server: Server, awayMaxMs: number) => {
  await server.kill();
  await experiment.pause(0, awayMaxMs);
  await server.start();
};

const actions: Record<string, (experiment: Experiment) => Promise<unknown>> = {
  'kill a dispatcher': (experiment) =>
    experiment.fault('kill', { times: 2 }, () => bounce(experiment, experiment.victim())),
  'pause a dispatcher': async (experiment) => {
    const replica = experiment.victim();
    await experiment.fault('SIGSTOP', { times: 2 }, async () => {
      replica.pause();
      await experiment.pause(500, 7_000);
      if (replica.isPaused) replica.resume();
    });
  },
  'kill Redis': (experiment) =>
    experiment.fault('kill Redis', { times: 7 }, () => killAndStart(experiment, experiment.redis, 500)),
  'tear the log of Redis': (experiment) =>
    experiment.fault('torn log', { times: 7, forgets: true }, async () => {
      await experiment.redis.kill();
      experiment.redis.truncateLog(experiment.redis.logBytes - experiment.random.int(1, 2_000));
      await experiment.redis.start();
    }),
  'pause Redis': (experiment) =>
    experiment.fault('SIGSTOP Redis', { times: 7 }, async () => {
      experiment.redis.pause();
      await experiment.pause(100, 1_000);
      experiment.redis.resume();
    }),
  'cut a line': (experiment) => experiment.fault('cut', { times: 3 }, async () => experiment.victim().redis.cut()),
  'cut an answer': (experiment) =>
    experiment.fault('cut an answer', { times: 3 }, () =>
      experiment.victim().redis.cutAt(experiment.asks('append', 'ack'), { afterAnswer: true }),
    ),
  'kill Kafka': (experiment) =>
    experiment.fault('kill Kafka', {}, () => killAndStart(experiment, experiment.infrastructure.kafka, 1_000)),
  'kill PostgreSQL': (experiment) =>
    experiment.fault('kill PostgreSQL', { times: 1 }, () =>
      killAndStart(experiment, experiment.infrastructure.postgresql, 1_000),
    ),
  'throw out of the group': (experiment) =>
    experiment.fault('thrown out', {}, () => experiment.system.evict(experiment.victim())),
  'cut a socket': (experiment) =>
    experiment.fault('socket cut', { times: 1 }, async () =>
      experiment.random.pick([...experiment.system.sockets.values()]).cut(),
    ),
  'refuse a callback': (experiment) =>
    experiment.fault('refuses', {}, async () =>
      experiment.random
        .pick([...experiment.system.callbacks.values()])
        .misbehave(experiment.random.pick(['fails', 'resets', 'dies']), experiment.random.int(1, 2)),
    ),
};

/** Faults after which no server or dispatcher is started. They run in parallel with the others, which take turns. */
const light = ['cut a line', 'cut an answer', 'cut a socket', 'refuse a callback', 'throw out of the group'];

const rssBytesMax = 450 * 1_024 * 1_024;

const everything: Row = {
  name: 'F25',
  about: 'all of it at once, three dispatchers, at random',
  exclusive: true,
  replicas: 3,
  seconds: 25,
  drainMs: 90_000,
  inject: async (experiment) => {
    const worker = (names: string[]) =>
      experiment.repeat(100, 800, async () => actions[experiment.random.pick(names)]?.(experiment));
    await Promise.all([worker(Object.keys(actions).filter((name) => !light.includes(name))), worker(light)]);
    await sleep(500);
  },
  after: async (experiment) => {
    for (const { name, rssBytes } of experiment.system.replicas)
      if (rssBytes > rssBytesMax) experiment.violation(`F25 ${name} uses ${Math.round(rssBytes / 1e6)} MB of memory`);
  },
};

export const everythingRows = [everything];
