/** Starts the bare loop: every client that connects to its `url` receives all messages. */
import { startProgram } from '../tools/testing/program.ts';

export const startBareLoop = async (brokers: string[], topic: string) => {
  const { child, port, stop } = await startProgram('bench/bare-loop.ts', brokers.join(','), topic);
  return { url: `http://127.0.0.1:${port}`, signal: (name: NodeJS.Signals) => child.kill(name), stop };
};
