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
    const socket = dgram.createSocket(net.isIPv6(host) ? 'udp6' : 'udp4');
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
/** Ports of one range. */
const rangePorts = 50;

/**
 * Listens on the first port of a range: a process owns the range while it does.
 * @returns false if another process listens there
 */
const claimRange = (first: number): Promise<boolean> =>
  new Promise((done) => {
    const server = net.createServer().unref();
    server.once('error', () => done(false));
    server.listen({ port: first, host: '127.0.0.1', exclusive: true }, () => done(true));
  });

/** The ports of a new range of this process, without its first one. */
const newRange = async (): Promise<number[]> => {
  const rangeCount = portCount / rangePorts;
  for (let n = 0; n < rangeCount; n++) {
    const first = firstPort + ((process.pid + n) % rangeCount) * rangePorts;
    if (await claimRange(first)) return Array.from({ length: rangePorts - 1 }, (_, port) => first + 1 + port);
  }
  throw new Error(`No free port from ${firstPort} to ${firstPort + portCount - 1}.`);
};

/** Ports of the ranges of this process that were not taken yet. */
let unused: number[] = [];
let extending: Promise<void> = Promise.resolve();

const next = async (): Promise<number> => {
  const port = unused.shift();
  if (port !== undefined) return port;
  extending = extending.then(async () => {
    if (unused.length === 0) unused = await newRange();
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

/**
 * Plans the ports of programs that do not listen yet: no two of them get the same port. Each port that it finds is put
 * into `ports` under its name.
 */
export const portPlanner = (ports: Record<string, number>) => {
  const planned = { tcp: new Set<number>(), udp: new Set<number>() };
  return async (protocol: 'tcp' | 'udp', name: string, wanted: number, host?: string) => {
    const find = protocol === 'tcp' ? tcpPort : udpPort;
    let port = await find(wanted, host);
    while (planned[protocol].has(port)) port = await find(0, host);
    planned[protocol].add(port);
    ports[name] = port;
    return port;
  };
};
