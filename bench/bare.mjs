/** Starts the bare loop. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { root } from '../tools/lanyard/project.mjs';

/** Every client that connects to its `url` receives all messages. @param {string[]} brokers @param {string} topic */
export const spawnBareLoop = async (brokers, topic) => {
  const child = spawn(process.execPath, [join(root, 'bench/bare-loop.mjs'), brokers.join(','), topic], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((ready, failed) => {
    child.once('exit', () => failed(new Error('the bare loop ended')));
    createInterface({ input: child.stdout }).on('line', (line) => ready(line.split(' ')[1]));
  });
  return {
    url: `ws://127.0.0.1:${port}`,
    /** @param {NodeJS.Signals} name */
    signal: (name) => child.kill(name),
    stop: () => {
      child.removeAllListeners('exit');
      child.kill('SIGKILL');
    },
  };
};

/**
 * The same, and connects to it.
 * @param {string[]} brokers @param {string} topic
 * @param {(message: import('./application.mjs').Message) => void} onMessage
 */
export const startBareLoop = async (brokers, topic, onMessage) => {
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
