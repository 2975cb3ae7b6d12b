import { once } from 'node:events';
import { createRequire } from 'node:module';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keepSingleSocket } from './single-socket.js';

interface Connection {
  readonly socket: Socket;
  connect(): Promise<unknown>;
  disconnect(): Promise<unknown>;
}

interface SocketOptions {
  host: string;
  port: number;
  onConnect(): void;
}

const Connection = createRequire(import.meta.url)('kafkajs/src/network/connection.js') as new (
  options: object,
) => Connection;

const log = { debug: () => undefined, error: () => undefined };
const logger = { namespace: () => log };

let broker: Server;
const sockets = new Set<Socket>();

const open = (): { connection: Connection; opened: readonly Socket[] } => {
  const opened: Socket[] = [];
  const socketFactory = ({ host, port, onConnect }: SocketOptions): Socket => {
    const socket = connect({ host, port }, onConnect);
    opened.push(socket);
    sockets.add(socket);
    return socket;
  };
  const { port } = broker.address() as AddressInfo;
  const options = { host: '127.0.0.1', port, connectionTimeout: 10_000, requestTimeout: 10_000, socketFactory };
  return { connection: new Connection({ ...options, enforceRequestTimeout: false, logger }), opened };
};

beforeAll(async () => {
  broker = createServer((socket) => sockets.add(socket)).listen(0, '127.0.0.1');
  await once(broker, 'listening');
});

afterAll(async () => {
  for (const socket of sockets) socket.destroy();
  broker.close();
  await once(broker, 'close');
});

describe('a connection to a broker', () => {
  it('has a socket for each request that opened it, for kafkajs', async () => {
    const { connection, opened } = open();
    await Promise.all([connection.connect(), connection.connect()]);
    expect(opened).toHaveLength(2);
    keepSingleSocket();
  });

  it('has one socket for all requests that open it at the same time', async () => {
    const { connection, opened } = open();
    await Promise.all([connection.connect(), connection.connect()]);
    expect(opened).toEqual([connection.socket]);
  });

  it('has another socket when it is opened again, also when it was closed before it was open', async () => {
    const { connection, opened } = open();
    const first = connection.connect();
    await connection.disconnect();
    await Promise.all([first, connection.connect()]);
    expect(opened).toHaveLength(2);
  });

  it('adds nothing to a lost socket when it is closed again and again', async () => {
    const { connection } = open();
    await connection.connect();
    connection.socket.destroy();
    for (let n = 0; n < 3; n++) await connection.disconnect();
    expect(connection.socket.listenerCount('connect')).toBe(0);
  });
});
