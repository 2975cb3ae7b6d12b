import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { engines, eventually, type Isolation, TcpLine } from '@lanyard/testing';
import { newIdentityKeys } from '../tools/lanyard/identity-keys.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { root } from '../tools/lanyard/project.ts';
import { apps, environment } from '../tools/lanyard/service-processes.ts';

export { apps };
export type App = (typeof apps)[number];
export const engineNames = ['PostgreSQL', 'Kafka', 'Redis'] as const;
export type EngineName = (typeof engineNames)[number];
export type Fault = 'refuses' | 'never answers' | 'is slow';

/** Of each packet, in each direction. */
const slowMs = 100;

/** A service as a process of its own, that has a line of its own to each engine. */
export class ServiceProcess {
  /** What it wrote, logs included. */
  output = '';
  private readonly ended: Promise<number | null>;

  private constructor(
    readonly app: App,
    readonly url: string,
    private readonly lines: Record<EngineName, TcpLine>,
    private readonly process: ChildProcess,
  ) {
    for (const stream of [process.stdout, process.stderr])
      stream?.on('data', (bytes: Buffer) => (this.output += bytes.toString()));
    this.ended = once(process, 'exit').then(([code]) => code as number | null);
  }

  static async launch(
    app: App,
    name: string,
    { topicPrefix, databaseUrl, redisPrefix }: Isolation,
    fault?: Fault,
    faulty: readonly EngineName[] = [],
  ): Promise<ServiceProcess> {
    const { brokers, redisUrl } = engines();
    const lines = {
      PostgreSQL: await TcpLine.open(databaseUrl),
      Kafka: await TcpLine.toKafka(brokers[0] as string),
      Redis: await TcpLine.open(redisUrl),
    };
    const port = await tcpPort(0);
    const replica = { app, name, port, coapPort: 0 };
    const env = environment(replica, {
      replicas: apps.map((each) => ({ app: each, name: each, port: 1 })),
      engines: { brokers: lines.Kafka.address, databaseUrl: lines.PostgreSQL.url, redisUrl: lines.Redis.url },
      secrets: {
        ...newIdentityKeys(),
        encryptionKey: Buffer.alloc(32).toString('base64'),
        accountId: 'a'.repeat(32),
      },
      keyFile: join(tmpdir(), `${topicPrefix}${name}.key`),
      coapHost: '127.0.0.1',
      baseUrl: 'http://127.0.0.1',
      env: {
        KAFKA_TOPIC_PREFIX: topicPrefix,
        GATEWAY_REDIS_PREFIX: `${redisPrefix}gateway:`,
        DEVICE_PROXY_REDIS_PREFIX: `${redisPrefix}device-proxy:`,
        DISPATCHER_REDIS_PREFIX: `${redisPrefix}dispatcher:`,
      },
    });
    const child = spawn(process.execPath, [join(root, 'apps', app, 'dist', 'main.js')], { env });
    const service = new ServiceProcess(app, `http://127.0.0.1:${port}`, lines, child);
    if (fault) service.disturb(fault, faulty);
    return service;
  }

  disturb(fault: Fault, names: readonly EngineName[]): void {
    for (const name of names) {
      const line = this.lines[name];
      if (fault === 'refuses') line.refuse();
      else if (fault === 'never answers') line.swallow();
      else line.weather = { latencyMs: slowMs };
    }
  }

  heal(): void {
    for (const line of Object.values(this.lines)) line.heal();
  }

  hasAsked(name: EngineName): boolean {
    return this.lines[name].asked > 0;
  }

  /** Status of a probe, and how long it took. */
  async probe(path: '/healthz' | '/readyz'): Promise<{ status: number; ms: number; text: string }> {
    const begun = performance.now();
    const response = await fetch(this.url + path);
    const text = await response.text();
    return { status: response.status, ms: performance.now() - begun, text };
  }

  async ready(timeoutMs: number): Promise<void> {
    await eventually(
      async () => {
        if (this.process.exitCode !== null) throw new Error(`${this.app} ended:\n${this.output.slice(-2_000)}`);
        return (await this.probe('/readyz')).status === 200;
      },
      { timeoutMs, intervalMs: 250 },
    );
  }

  /** Exit code, and how long it took until then. */
  async end(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
    const begun = performance.now();
    if (signal) this.process.kill(signal);
    return { code: await this.ended, ms: performance.now() - begun };
  }

  async close(): Promise<void> {
    this.process.kill('SIGKILL');
    await this.ended;
    for (const line of Object.values(this.lines)) line.close();
  }
}
