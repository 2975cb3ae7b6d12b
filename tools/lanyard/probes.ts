/** Does an engine or a service answer? Each in its own protocol, as an open port says little. */
import net from 'node:net';
import { sleep, Stop } from './project.ts';

const ask = ({
  host,
  port,
  send,
  accept,
}: {
  host: string;
  port: number;
  send: Buffer;
  accept: (answer: Buffer) => boolean;
}): Promise<boolean> =>
  new Promise((done) => {
    const socket = net.connect({ host, port, timeout: 1_000 });
    const finish = (answer: boolean) => {
      socket.destroy();
      done(answer);
    };
    socket.once('connect', () => socket.write(send));
    socket.once('data', (answer) => finish(accept(answer)));
    for (const event of ['error', 'timeout', 'close']) socket.once(event, () => finish(false));
  });

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
  kafka: (address: string) => {
    const [host = '', port] = splitAddress(address, 9092);
    return ask({ host, port, send: apiVersions, accept: (a) => a.length > 4 });
  },
  /** @param address An authentication request means ready; an error means starting or refusing. */
  postgresql: (address: string) => {
    const [host = '', port] = splitAddress(address, 5432);
    return ask({ host, port, send: startup(), accept: (a) => a[0] === 0x52 });
  },
  /** @param address NOAUTH is an answer too. */
  redis: (address: string) => {
    const [host = '', port] = splitAddress(address, 6379);
    return ask({ host, port, send: Buffer.from('PING\r\n'), accept: (a) => /^(\+PONG|-NOAUTH)/.test(a.toString()) });
  },
  /**
   * Whether a server accepts connections.
   * @param address host:port
   * @param port when it names none
   */
  listener: (address: string, port: number): Promise<boolean> =>
    new Promise((done) => {
      const [host, ownPort] = splitAddress(address, port);
      const socket = net.connect({ host, port: ownPort, timeout: 1_000 });
      const finish = (answer: boolean) => {
        socket.destroy();
        done(answer);
      };
      socket.once('connect', () => finish(true));
      for (const event of ['error', 'timeout']) socket.once(event, () => finish(false));
    }),
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
 * Waits until `ready` says yes. `alive` may end the waiting early: a process that died will not become ready, and who
 * answers in its place is another program.
 */
export const waitUntil = async (
  what: string,
  ready: () => Promise<boolean>,
  {
    timeoutMs = 90_000,
    alive = () => true,
    hint = '',
  }: { timeoutMs?: number; alive?: () => boolean; hint?: string } = {},
) => {
  for (const end = Date.now() + timeoutMs; ;) {
    const isReady = await ready();
    if (!alive()) throw new Stop(`${what} ended while starting. ${hint}`);
    if (isReady) return;
    if (Date.now() > end) throw new Stop(`${what} is not ready after ${timeoutMs / 1000} s. ${hint}`);
    await sleep(50);
  }
};
