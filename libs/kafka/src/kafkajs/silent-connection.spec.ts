import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import { endSilentConnections } from './silent-connection.js';

interface Connection {
  readonly requestQueue: { push(request: object): void };
  authHandlers: object | null;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
  isConnected(): boolean;
  rejectRequests(error: Error): void;
}

interface SocketOptions {
  host: string;
  port: number;
  onConnect(): void;
}

const Connection = createRequire(import.meta.url)('kafkajs/src/network/connection.js') as new (
  options: object,
) => Connection;

const log = { debug: () => undefined, error: () => undefined, warn: () => undefined };
const logger = { namespace: () => log };

/** Of a request that is answered late. */
const shortMs = 50;
/** Of one whose answer may take its time. */
const longMs = 600_000;

let broker: Server;
const accepted: Socket[] = [];

const open = async (): Promise<{ connection: Connection; sockets: readonly Socket[] }> => {
  const sockets: Socket[] = [];
  const socketFactory = ({ host, port, onConnect }: SocketOptions): Socket => {
    const socket = connect({ host, port }, onConnect);
    sockets.push(socket);
    return socket;
  };
  const { port } = broker.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, connectionTimeout: 10_000, requestTimeout: shortMs, socketFactory };
  const connection = new Connection({ ...options, logger });
  await connection.connect();
  return { connection, sockets };
};

/** Sends nothing, and resolves with the error with which the request ends. */
const ask = (connection: Connection, correlationId: number, requestTimeout: number): Promise<Error> =>
  new Promise((reject) => {
    const entry = { correlationId, resolve: () => undefined, reject };
    connection.requestQueue.push({ entry, expectResponse: true, requestTimeout, sendRequest: () => undefined });
  });

const end = async (connection: Connection): Promise<void> => {
  connection.rejectRequests(new Error('the test is over'));
  await connection.disconnect();
};

beforeAll(async () => {
  broker = createServer((socket) => accepted.push(socket)).listen(0, '127.0.0.1');
  await once(broker, 'listening');
});

afterAll(async () => {
  for (const socket of accepted) socket.destroy();
  broker.close();
  await once(broker, 'close');
});

describe('a connection on which a broker is silent', () => {
  it('stays open, for kafkajs', async () => {
    const { connection } = await open();
    expect(await ask(connection, 0, shortMs)).toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
    expect(connection.isConnected()).toBe(true);
    await end(connection);
    endSilentConnections();
  });

  it('ends with all of its requests, and is opened again', async () => {
    const { connection, sockets } = await open();
    const ends = await Promise.all([ask(connection, 0, shortMs), ask(connection, 1, longMs)]);
    expect(ends.map(({ name }) => name)).toEqual(['KafkaJSRequestTimeoutError', 'KafkaJSConnectionClosedError']);
    await eventually(() => !connection.isConnected());
    await connection.connect();
    expect(sockets.map(({ destroyed }) => destroyed)).toEqual([true, false]);
    await end(connection);
  });

  it('stays open while an answer that may take longer is awaited before', async () => {
    const { connection, sockets } = await open();
    const long = ask(connection, 0, longMs);
    expect(await ask(connection, 1, shortMs)).toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
    expect([connection.isConnected(), sockets[0]?.destroyed]).toEqual([true, false]);
    await end(connection);
    expect((await long).message).toBe('the test is over');
  });

  it('stays open while it logs in', async () => {
    const { connection, sockets } = await open();
    connection.authHandlers = { onError: () => undefined };
    expect(await ask(connection, 0, shortMs)).toMatchObject({ name: 'KafkaJSRequestTimeoutError' });
    expect([connection.isConnected(), sockets[0]?.destroyed]).toEqual([true, false]);
    await end(connection);
  });
});
