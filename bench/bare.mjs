/** Starts the bare loop and connects to it. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { WebSocket } from 'ws';
import { root } from '../tools/lanyard/project.mjs';

/**
 * @param {string[]} brokers @param {string} topic
 * @param {(message: import('./application.mjs').Message) => void} onMessage
 */
export const startBareLoop = async (brokers, topic, onMessage) => {
  const child = spawn(process.execPath, [join(root, 'bench/bare-loop.mjs'), brokers.join(','), topic], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const port = await new Promise((ready, failed) => {
    child.once('exit', () => failed(new Error('the bare loop ended')));
    createInterface({ input: child.stdout }).on('line', (line) => ready(line.split(' ')[1]));
  });
  const socket = new WebSocket(`ws://127.0.0.1:${port}`);
  socket.on('message', (data) => onMessage({ atMs: performance.now(), text: String(data) }));
  await new Promise((opened, failed) => socket.once('open', opened).once('error', failed));
  return {
    /** @param {NodeJS.Signals} name */
    signal: (name) => child.kill(name),
    stop: () => {
      child.removeAllListeners('exit');
      socket.terminate();
      child.kill('SIGKILL');
    },
  };
};
