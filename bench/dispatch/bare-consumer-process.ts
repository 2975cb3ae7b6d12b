/** Starts a bare consumer, which is suspended until it is resumed. */
import { startProgram } from '../../tools/testing/program.ts';
import { until } from '../travels.ts';

export const startBareConsumer = async (brokers: string[], topic: string, kind: 'plain' | 'lean') => {
  const { child, lines, stop } = await startProgram('bench/dispatch/bare-consumer.ts', brokers.join(','), topic, kind);
  let [count, atMs, passed] = [0, 0, 0];
  lines.on('line', (line) => ([count, atMs] = [Number(line), performance.now()]));
  child.kill('SIGSTOP');
  return {
    /** Reads the events that were written meanwhile. Resolves with events a second. */
    async read(events: number) {
      const startedAt = performance.now();
      child.kill('SIGCONT');
      const found = () => `${count - passed} came`;
      await until(() => count >= passed + events, `${events} events of the bare consumer`, { found });
      child.kill('SIGSTOP');
      passed += events;
      return (events / (atMs - startedAt)) * 1_000;
    },
    stop,
  };
};
