/** Dispatchers are stopped while Kafka, PostgreSQL or Redis is away. */
import { join } from 'node:path';
import { tcpPort } from '../../tools/lanyard/ports.ts';
import { TcpLine } from '@lanyard/testing';
import { Infrastructure } from '../infrastructure.ts';
import { terminate } from '../terminate.ts';
import { eventually, type Experiment, type Row } from '../experiment.ts';
import type { Replica } from '../replica.ts';

/** The shortest STOP_TIMEOUT_MS that a dispatcher accepts. */
const stopTimeoutMs = 10_000;

/** How long work that still holds the event loop may last before the process ends (libs/service/src/run). */
const exitMs = 3_500;

/** Batches of the replica that stops, and of the one that loses its line to Redis, are sent again. */
const afterStop = 3;

/** After a stop, all sockets come back at the other replica. */
const backWithinMs = 30_000;

/** Lines of the running row, which runs alone. */
let lines: { kafka: TcpLine; postgresql: TcpLine } | undefined;

const lineTo = (server: string, replica: Replica) =>
  server === 'Redis' ? replica.redis : (lines?.[server.toLowerCase() as 'kafka'] as TcpLine);

const cases = ['Redis', 'Kafka', 'PostgreSQL'].flatMap((server) =>
  ['refused', 'black hole'].map((how) => ({ server, how })),
);

const openAt = ({ system }: Experiment, { url }: Replica) =>
  [...system.sockets.values()].filter(
    ({ isOpen, socket }) => isOpen && socket?.url.startsWith(url.replace('http', 'ws')),
  );

/** The replica with the most sockets: after each stop, all of them are at the other one. */
const busiest = (experiment: Experiment) =>
  experiment.system.replicas.reduce((best, each) =>
    openAt(experiment, each).length > openAt(experiment, best).length ? each : best,
  );

const stoppedWithout: Row = {
  name: 'F26',
  about: 'SIGTERM of a dispatcher while Redis, Kafka or PostgreSQL refuses, or is a black hole: 1012, in time',
  exclusive: true,
  kinds: ['callback', 'websocket', 'websocket', 'websocket', 'pull'],
  perSecond: 150,
  seconds: 1,
  equip: async (_infrastructure, folder) => {
    const proxied = await tcpPort(0);
    const kafka = await TcpLine.open(`127.0.0.1:${proxied}`);
    const kafkaProperties = (ports: { kafka: number; controller: number }) => `
listeners=PLAINTEXT://127.0.0.1:${ports.kafka},PROXIED://127.0.0.1:${proxied},CONTROLLER://127.0.0.1:${ports.controller}
advertised.listeners=PLAINTEXT://127.0.0.1:${ports.kafka},PROXIED://127.0.0.1:${kafka.port}
listener.security.protocol.map=CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT,PROXIED:PLAINTEXT
`;
    const infrastructure = await Infrastructure.start(join(folder, 'infrastructure'), { kafkaProperties });
    const postgresql = await TcpLine.open(`127.0.0.1:${infrastructure.postgresql.port}`);
    const direct = `:${infrastructure.postgresql.port}/`;
    infrastructure.databaseUrl = infrastructure.databaseUrl.replace(direct, `:${postgresql.port}/`);
    lines = { kafka, postgresql };
    const stop = async () => {
      kafka.close();
      postgresql.close();
      await infrastructure.stop();
    };
    const environment = { KAFKA_BROKERS: `127.0.0.1:${kafka.port}`, STOP_TIMEOUT_MS: String(stopTimeoutMs) };
    return { infrastructure, environment, stop };
  },
  inject: async (experiment) => {
    const inAnyOrder = cases
      .map((each) => ({ ...each, place: experiment.random.next() }))
      .sort((a, b) => a.place - b.place);
    for (const { server, how } of inAnyOrder) {
      const about = `${server} ${how}`;
      await experiment.pause(300, 800);
      await eventually(() => [...experiment.system.sockets.values()].every(({ isOpen }) => isOpen), backWithinMs);
      const replica = busiest(experiment);
      const line = lineTo(server, replica);
      await experiment.fault(`SIGTERM, ${about}`, { times: afterStop, afterMs: 10_000 }, async () => {
        if (how === 'refused') line.refuse();
        else line.conditions = { stalled: true };
        // Stops it at once, or after the dispatcher has noticed the fault.
        await experiment.pause(0, 1_500);
        await terminate(experiment, {
          about: `F26 ${about}`,
          process: replica,
          open: openAt(experiment, replica),
          withinMs: stopTimeoutMs + exitMs,
        });
        line.heal();
        await replica.start();
      });
    }
  },
};

export const stopRows = [stoppedWithout];
