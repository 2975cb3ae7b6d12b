/** Starts a bare consumer, which stands still until it is let go. */
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { root } from '../../tools/lanyard/project.ts';
import { until } from '../latency.ts';

export const startBareConsumer = async (brokers: string[], topic: string, kind: 'plain' | 'lean') => {
  const script = join(root, 'bench/dispatch/bare-consumer.ts');
  const child = spawn(process.execPath, [script, brokers.join(','), topic, kind], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let [isJoined, count, atMs, passed] = [false, 0, 0, 0];
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line === 'joined') isJoined = true;
    else [count, atMs] = [Number(line), performance.now()];
  });
  await until(() => isJoined, 'bare consumer');
  child.kill('SIGSTOP');
  return {
    /** Reads what was written since: events a second. */
    async read(events: number) {
      const startedAt = performance.now();
      child.kill('SIGCONT');
      await until(() => count >= passed + events, `${events} events of the bare consumer (${count - passed} came)`);
      child.kill('SIGSTOP');
      passed += events;
      return (events / (atMs - startedAt)) * 1_000;
    },
    stop: () => child.kill('SIGKILL'),
  };
};
