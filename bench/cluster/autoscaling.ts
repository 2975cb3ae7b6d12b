/**
 * KEDA scales the dispatcher by its lag, from one replica to four and back, under the load and the verdict of the drill:
 * every event of a backlog is delivered in the order of its device, and moved WebSockets are closed with 1012.
 */
import { Installation } from '../../tools/cluster/installation.ts';
import { namespace } from '../../tools/cluster/overlay.ts';
import { autoscalerOf } from '../../tools/cluster/autoscaler.ts';
import { SocketApplication } from '../../tools/drill/applications.ts';
import { ClusterSystem } from '../../tools/drill/cluster-system.ts';
import { Rehearsal } from '../../tools/drill/rehearsal.ts';
import { report } from '../../tools/drill/report.ts';
import { acknowledged, lostValues, overtakenValues } from '../../tools/drill/verdict.ts';
import { waitUntil } from '../../tools/lanyard/probes.ts';
import { say, sleep } from '../../tools/lanyard/project.ts';
import { Dispatchers } from './dispatchers.ts';
import { Scaled } from './scaled.ts';
import type { Cluster } from '../../tools/cluster/cluster.ts';

const replicas = { min: 1, max: 4 };

/** More than four times the threshold of prod, so that four replicas are wanted until most of the events are delivered. */
const events = 300_000;

const load = { devices: 20, valuesPerSecond: 20, callsPerSecond: 5, settleMs: 3_000 };

/** More sockets than one dispatcher would get: some are on a replica that is removed. */
const sockets = 12;

const timeoutMs = 600_000;
const pollMs = 1_000;
/** Close code "service restart" (registry of RFC 6455). */
const serviceRestart = 1012;

const seconds = (sinceMs: number) => `${Math.round((performance.now() - sinceMs) / 1_000)} s`;

/** The autoscaler, and the backlog that makes it add replicas. `millicores`: CPU limit of the first replica. */
class ByLag {
  system: ClusterSystem;
  scaled: Scaled;
  flood: Dispatchers;
  millicores: number;

  constructor(system: ClusterSystem, millicores: number) {
    this.system = system;
    this.scaled = new Scaled(system.installation, 'dispatcher');
    this.flood = new Dispatchers(this.scaled, system.brokers);
    this.millicores = millicores;
  }

  /** Whether exactly this many replicas are ready, while none starts or ends. */
  private async hasReplicas(count: number) {
    const args = [
      '-n',
      namespace,
      'get',
      'deployment/dispatcher',
      '-o',
      'jsonpath={.status.replicas} {.status.readyReplicas}',
    ];
    await sleep(pollMs);
    const [all, ready] = (await this.system.kubectl.run(args)).split(' ').map(Number);
    return all === count && ready === count;
  }

  private async reached(count: number) {
    const started = performance.now();
    await waitUntil(`${count} dispatchers`, () => this.hasReplicas(count), { timeoutMs });
    const after = seconds(started);
    say(`${count} dispatchers after ${after}`);
    return after;
  }

  async work() {
    const { kubectl, brokers } = this.system;
    await kubectl.apply([autoscalerOf('dispatcher', { brokers, ...replicas })]);
    await this.reached(replicas.min);
    // Slow enough that the backlog lasts until the other replicas, which have no limit, have started.
    await this.scaled.limit(this.millicores);
    const started = performance.now();
    const delivered = this.flood.deliver(events, timeoutMs).then(() => seconds(started));
    const [out, all] = await Promise.all([this.reached(replicas.max), delivered]);
    const back = await this.reached(replicas.min);
    return `${replicas.max} replicas after ${out}, ${events} events delivered after ${all}, ${this.flood.repeated} of them twice, 1 replica ${back} later`;
  }

  async stop() {
    await this.flood.stop();
    await this.system.kubectl.run(['-n', namespace, 'delete', 'scaledobject/dispatcher', '--ignore-not-found']);
  }
}

/** Violations on the sockets that moved. */
const violationsOf = async (rehearsal: Rehearsal, moved: readonly SocketApplication[]) => {
  const { fleet, ids } = rehearsal;
  if (!fleet || !ids) throw new Error('not begun');
  const sent = acknowledged(await fleet.values());
  const lost = () => moved.flatMap(({ inbox }) => lostValues(inbox, sent, ids));
  await waitUntil('values on sockets', async () => lost().length === 0, { timeoutMs }).catch(() => undefined);
  const overtaken = moved.flatMap(({ inbox }) => overtakenValues(inbox, sent, ids));
  const codes = moved.flatMap(({ closes }) => closes.map(({ code }) => code));
  say(`${moved.length} more sockets, closed with ${codes.join(', ') || 'nothing'}`);
  return [
    ...(lost().length > 0 ? [`${lost().length} values lost on sockets`] : []),
    ...(overtaken.length > 0 ? [`${overtaken.length} values overtaken on sockets`] : []),
    ...(codes.length === 0 ? ['no socket moved'] : []),
    ...codes.filter((code) => code !== serviceRestart).map((code) => `a socket was closed with ${code}`),
  ];
};

/** Runs the benchmark, and returns the exit code. */
export const autoscaling = async (cluster: Cluster, millicores: number) => {
  const system = await new ClusterSystem(new Installation(cluster)).prepare('dev');
  const rehearsal = new Rehearsal(system, load);
  const byLag = new ByLag(system, millicores);
  const moved: SocketApplication[] = [];
  try {
    for (let n = 0; n < sockets; n++) {
      const { lanyard } = await rehearsal.sensorClient(`drill with WebSocket ${n}`);
      moved.push(await new SocketApplication().start(lanyard));
    }
    await rehearsal.begin();
    await byLag.flood.start();
    say('under load');
    await rehearsal.step('the dispatcher scaled by its lag', () => byLag.work(), { inOrder: true });
    const { figures, violations } = await rehearsal.end();
    const socketViolations = await violationsOf(rehearsal, moved);
    return report(rehearsal, { figures, violations: [...violations, ...socketViolations] }, false);
  } finally {
    for (const one of moved) one.stop();
    rehearsal.stop();
    await byLag.stop();
  }
};
