/** Starts the bare loop. */
import { WebSocket } from 'ws';
import { startProgram } from '../tools/testing/program.ts';
import type { Message } from './application.ts';

/** Every client that connects to its `url` receives all messages. */
export const spawnBareLoop = async (brokers: string[], topic: string) => {
  const { child, port, stop } = await startProgram('bench/bare-loop.ts', brokers.join(','), topic);
  return { url: `ws://127.0.0.1:${port}`, signal: (name: NodeJS.Signals) => child.kill(name), stop };
};

/** The same, and connects to it. */
export const startBareLoop = async (brokers: string[], topic: string, onMessage: (message: Message) => void) => {
  const loop = await spawnBareLoop(brokers, topic);
  const socket = new WebSocket(loop.url);
  socket.on('message', (data) => onMessage({ atMs: performance.now(), text: String(data) }));
  await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
  return {
    signal: loop.signal,
    stop: () => {
      socket.terminate();
      loop.stop();
    },
  };
};
