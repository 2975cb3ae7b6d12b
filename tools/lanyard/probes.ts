/** Whether Kafka, PostgreSQL, Redis or a service answers, each in its own protocol, because an open port says little. */
import net from 'node:net';
import { sleep, Stop } from './project.ts';

/** Whether a server accepts a connection and, if something is sent, gives the expected answer. */
const ask = (address: string, usualPort: number, send?: Buffer, isGood: (answer: Buffer) => boolean = () => true) =>
  new Promise<boolean>((done) => {
    const [host, port] = splitAddress(address, usualPort);
    const socket = net.connect({ host, port, timeout: 1_000 });
    const finish = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', () => (send ? socket.write(send) : finish(true)));
    socket.once('data', (answer) => finish(isGood(answer)));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => finish(false));
  });

/** Where each server listens if its address names no port. */
export const serverPorts = { kafka: 9092, postgresql: 5432, redis: 6379 };

/** ApiVersions request, version 0. */
const apiVersions = Buffer.from('0000000a0012000000000001ffff', 'hex');

const startup = () => {
  const body = Buffer.from('user\0lanyard\0database\0postgres\0\0');
  const head = Buffer.alloc(8);
  head.writeUInt32BE(body.length + 8, 0);
  head.writeUInt32BE(196_608, 4);
  return Buffer.concat([head, body]);
};

export const answers = {
  /** @param address host:port */
  kafka: (address: string) => ask(address, serverPorts.kafka, apiVersions, (answer) => answer.length > 4),
  /**
   * An authentication request means that the server is ready, an error that it is starting or refuses.
   * @param address host:port
   */
  postgresql: (address: string) => ask(address, serverPorts.postgresql, startup(), (answer) => answer[0] === 0x52),
  /**
   * NOAUTH, the answer of a server that requires a password, means that it is ready too.
   * @param address host:port
   */
  redis: (address: string) =>
    ask(address, serverPorts.redis, Buffer.from('PING\r\n'), (answer) => /^(\+PONG|-NOAUTH)/.test(answer.toString())),
  /**
   * Whether a server accepts connections.
   * @param address host:port
   * @param port used if the address names none
   */
  listener: (address: string, port: number) => ask(address, port),
  /** @param address base URL */
  service: async (address: string) => {
    try {
      return (await fetch(`${address}/readyz`, { signal: AbortSignal.timeout(3_000) })).status === 200;
    } catch {
      return false;
    }
  },
};

/** @param address host:port or a URL */
export const splitAddress = (address: string, fallback: number): [string, number] => {
  const url = new URL(address.includes('://') ? address : `tcp://${address}`);
  return [url.hostname.replace(/^\[|\]$/g, ''), Number(url.port || fallback)];
};

/**
 * Waits until `ready` returns true. `alive` may end the waiting early: a process that died will not become ready, and a
 * program that answers in its place is another one. Throws Stop then, or after `timeoutMs`, with `hint`, which may be a function
 * that says what there is at that time.
 */
export const waitUntil = async (
  what: string,
  ready: () => Promise<boolean>,
  {
    timeoutMs = 90_000,
    intervalMs = 50,
    alive = () => true,
    hint = '',
  }: { timeoutMs?: number; intervalMs?: number; alive?: () => boolean; hint?: string | (() => string) } = {},
) => {
  const advice = () => (typeof hint === 'string' ? hint : hint());
  for (const end = Date.now() + timeoutMs; ;) {
    const isReady = await ready();
    if (!alive()) throw new Stop(`${what} ended while starting. ${advice()}`);
    if (isReady) return;
    if (Date.now() > end) throw new Stop(`${what} is not ready after ${timeoutMs / 1000} s. ${advice()}`);
    await sleep(intervalMs);
  }
};
