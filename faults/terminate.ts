/** Sends SIGTERM to a service that has WebSockets. */
import { isAlive, kill } from '../tools/lanyard/processes.ts';
import { eventually, type Experiment } from './experiment.ts';
import type { SocketReceiver } from './receivers/socket-receiver.ts';
import type { Replica } from './replica.ts';

/** Close code "service restart" (registry of RFC 6455). */
const serviceRestart = 1012;

const closedWithinMs = 5_000;

/** `open`: its sockets, which must get 1012; `withinMs`: how soon the process must end; `about` begins with the row */
export const terminate = async (
  experiment: Experiment,
  { about, process, open, withinMs }: { about: string; process: Replica; open: SocketReceiver[]; withinMs: number },
) => {
  for (const receiver of open) receiver.closed.length = 0;
  if (open.length === 0) experiment.violation(`${about}: no socket was open at SIGTERM`);
  const begunAt = performance.now();
  kill(process.pid, 'SIGTERM');
  const inTime = await eventually(() => !isAlive(process.pid), withinMs);
  const tookMs = Math.round(performance.now() - begunAt);
  experiment.say(`${about}: ended ${tookMs} ms after SIGTERM, ${open.length} sockets`);
  if (!inTime) experiment.violation(`${about}: had not ended ${tookMs} ms after SIGTERM`);
  await eventually(() => open.every(({ closed }) => closed.length > 0), closedWithinMs);
  const others = open.flatMap(({ closed: [code] }) => (code === serviceRestart ? [] : [code ?? 'nothing']));
  if (others.length > 0) {
    const codes = [...new Set(others)].join(', ');
    experiment.violation(`${about}: ${others.length} sockets heard ${codes}, not ${serviceRestart}, at SIGTERM`);
  }
  if (!inTime) await process.kill();
};
