import dgram from 'node:dgram';
import net from 'node:net';

/** @param {number} port @param {string} host @returns {Promise<number | undefined>} the port bound, or undefined when taken */
const tryTcp = (port, host) =>
  new Promise((done) => {
    const server = net.createServer();
    server.once('error', () => done(undefined));
    server.listen({ port, host, exclusive: true }, () => {
      const { port: bound } = /** @type {net.AddressInfo} */ (server.address());
      server.close(() => done(bound));
    });
  });

/** @param {number} port @param {string} host @returns {Promise<number | undefined>} */
const tryUdp = (port, host) =>
  new Promise((done) => {
    const socket = dgram.createSocket('udp4');
    socket.once('error', () => done(undefined));
    socket.bind({ port, address: host, exclusive: true }, () => {
      const { port: bound } = socket.address();
      socket.close(() => done(bound));
    });
  });

/** The wanted port when it is free, else a free one. `wanted` 0: any. @param {number} wanted */
export const tcpPort = async (wanted, host = '127.0.0.1') =>
  (await tryTcp(wanted, host)) ?? (await tryTcp(0, host)) ?? 0;

/** @param {number} wanted */
export const udpPort = async (wanted, host = '127.0.0.1') =>
  (await tryUdp(wanted, host)) ?? (await tryUdp(0, host)) ?? 0;
