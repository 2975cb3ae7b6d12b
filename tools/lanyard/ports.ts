import dgram from 'node:dgram';
import net from 'node:net';

/** @returns the port bound, or undefined if it is taken */
const tryTcp = (port: number, host: string): Promise<number | undefined> =>
  new Promise((done) => {
    const server = net.createServer();
    server.once('error', () => done(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const { port: bound } = server.address() as net.AddressInfo;
      server.close(() => done(bound));
    });
  });

const tryUdp = (port: number, host: string): Promise<number | undefined> =>
  new Promise((done) => {
    const socket = dgram.createSocket('udp4');
    socket.once('error', () => done(undefined));
    socket.bind({ port, address: host, exclusive: true }, () => {
      const { port: bound } = socket.address();
      socket.close(() => done(bound));
    });
  });

/**
 * Below the ephemeral ports of every system (Linux: from 32768, others: from 49152), which any process may get between the
 * check of a port and its use. Each process takes its ports from ranges of its own, and uses none twice: a process that was
 * killed for a while gets its port back.
 */
const firstPort = 20_000;
const portCount = 10_000;
const stretch = 50;

/** A process owns a range while it listens on the first port of it. */
const holds = (first: number): Promise<boolean> =>
  new Promise((done) => {
    const server = net.createServer().unref();
    server.once('error', () => done(false));
    server.listen({ port: first, host: '127.0.0.1', exclusive: true }, () => done(true));
  });

const newStretch = async (): Promise<number[]> => {
  const stretches = portCount / stretch;
  for (let n = 0; n < stretches; n++) {
    const first = firstPort + ((process.pid + n) % stretches) * stretch;
    if (await holds(first)) return Array.from({ length: stretch - 1 }, (_, port) => first + 1 + port);
  }
  throw new Error(`No free port from ${firstPort} to ${firstPort + portCount - 1}.`);
};

let ours: number[] = [];
let extending: Promise<void> = Promise.resolve();

const next = async (): Promise<number> => {
  const port = ours.shift();
  if (port !== undefined) return port;
  extending = extending.then(async () => {
    if (ours.length === 0) ours = await newStretch();
  });
  await extending;
  return next();
};

const anyPort = async (tryPort: (port: number, host: string) => Promise<number | undefined>, host: string) => {
  for (;;) {
    const port = await tryPort(await next(), host);
    if (port !== undefined) return port;
  }
};

/** The wanted port if it is free, otherwise a free one. `wanted` 0: any. */
export const tcpPort = async (wanted: number, host = '127.0.0.1') =>
  (wanted ? await tryTcp(wanted, host) : undefined) ?? (await anyPort(tryTcp, host));

export const udpPort = async (wanted: number, host = '127.0.0.1') =>
  (wanted ? await tryUdp(wanted, host) : undefined) ?? (await anyPort(tryUdp, host));
