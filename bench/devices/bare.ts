/** Starts the bare programs, and sends registration updates to a bare endpoint as fast as it answers. */
import { createSocket } from 'node:dgram';
import { encodeMessage } from '@lanyard/coap';
import { DeviceCommandResults, DeviceSessions } from '@lanyard/contracts';
import { sleep } from '../../tools/lanyard/project.ts';
import { startProgram } from '../../tools/testing/program.ts';
import type { BenchSystem } from '../system.ts';

const sockets = 32;
/** Datagrams of each socket that wait for their answer at a time. */
const outstanding = 8;

const update = encodeMessage({
  type: 'CON',
  code: 2,
  messageId: 0,
  token: Buffer.alloc(8, 7),
  options: [
    { number: 11, value: Buffer.from('rd') },
    { number: 11, value: Buffer.from('0'.repeat(32)) },
  ],
  payload: Buffer.alloc(0),
});

/** One socket that keeps `outstanding` datagrams in flight; sends as many again if none is answered for a second. */
const client = async (port: number) => {
  const socket = createSocket({ type: 'udp4', lookup: (host, _, done) => done(null, host, 4) });
  let messageId = 0;
  let answered = 0;
  const send = () => {
    const bytes = Buffer.from(update);
    bytes.writeUInt16BE((messageId = (messageId + 1) & 0xffff), 2);
    socket.send(bytes, port, '127.0.0.1');
  };
  socket.on('message', () => {
    answered++;
    send();
  });
  await new Promise((bound) => socket.bind(0, '127.0.0.1', () => bound(undefined)));
  const refill = () => {
    for (let n = 0; n < outstanding; n++) send();
  };
  refill();
  let seen = 0;
  const timer = setInterval(() => {
    if (answered === seen) refill();
    seen = answered;
  }, 1_000);
  return () => {
    clearInterval(timer);
    socket.close();
  };
};

export const measureBare = async (kind: 'echo' | 'coap', seconds: number) => {
  const { ask, port, stop: kill } = await startProgram('bench/devices/bare-endpoint.ts', kind);
  const measure = async () => {
    const [cpuMs = 0, messages = 0] = (await ask()).split(' ').map(Number);
    return { cpuUs: (cpuMs * 1_000) / messages, messages };
  };
  const clients = await Promise.all(Array.from({ length: sockets }, () => client(port)));
  // A warm-up, in which code is compiled.
  await sleep(1_000);
  await measure();
  await sleep(seconds * 1_000);
  const { cpuUs, messages } = await measure();
  for (const stop of clients) stop();
  kill();
  return { cpuUs, perSecond: messages / seconds };
};

/** A bare chain from a command over REST to its answer on a WebSocket: plain processes, with the hops that every design needs. */
export const startCommandChain = async (system: BenchSystem) => {
  const topic = 'bench.command-results';
  await system.kafka.ensureTopics([{ ...DeviceCommandResults, name: topic }]);
  const { databaseUrl, redisUrl } = system.infrastructureUrls;
  const brokers = system.brokers.join();
  const device = await startProgram('bench/devices/bare-endpoint.ts', 'echo');
  const proxyArgs = [databaseUrl, brokers, topic, String(device.port)];
  const proxy = await startProgram('bench/devices/bare-command-proxy.ts', ...proxyArgs);
  const dispatcher = await startProgram('bench/devices/bare-command-dispatcher.ts', brokers, topic, redisUrl);
  const gateway = await startProgram('bench/rest/passing.ts', `http://127.0.0.1:${proxy.port}`);
  const stop = () => {
    for (const program of [gateway, proxy, device, dispatcher]) program.stop();
  };
  return { url: `http://127.0.0.1:${gateway.port}`, socketUrl: `http://127.0.0.1:${dispatcher.port}`, stop };
};

/** A server for fleets that only stores registrations and updates. */
export const startRegistrar = async (system: BenchSystem) => {
  const topic = 'bench.registrar';
  await system.kafka.ensureTopics([{ ...DeviceSessions, name: topic }]);
  const args = [system.infrastructureUrls.redisUrl, system.brokers.join(), topic];
  const { ask, port, stop } = await startProgram('bench/devices/bare-registrar.ts', ...args);
  const usage = async () => {
    const cpuSeconds = Number(await ask());
    return { atMs: performance.now(), cpuSeconds };
  };
  return { url: `coap://127.0.0.1:${port}`, usage, stop };
};
