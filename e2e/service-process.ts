import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { infrastructure, type Isolation, TcpLine } from '@lanyard/testing';
import { newIdentityKeys } from '../tools/lanyard/identity-keys.ts';
import { tcpPort } from '../tools/lanyard/ports.ts';
import { answers } from '../tools/lanyard/probes.ts';
import { kill, type ProcessSpec } from '../tools/lanyard/processes.ts';
import { dataFolder } from '../tools/lanyard/project.ts';
import { ManagedProcess } from '../tools/testing/managed-process.ts';
import { apps, entryPoint, environment } from '../tools/lanyard/service-processes.ts';
import { serviceReadyWithinMs } from '../tools/lanyard/system.ts';

export { apps };
export type App = (typeof apps)[number];
export const serverNames = ['PostgreSQL', 'Kafka', 'Redis'] as const;
export type ServerName = (typeof serverNames)[number];
export type Fault = 'refuses' | 'never answers' | 'is slow';

/** Delay of each packet, in each direction. */
const slowMs = 100;

/** A service as a separate process, with its own line to each server of the infrastructure. */
export class ServiceProcess extends ManagedProcess {
  /** Its exit code, once it has ended. */
  private readonly ended: Promise<number | null>;

  private constructor(
    readonly app: App,
    readonly url: string,
    private readonly lines: Record<ServerName, TcpLine>,
    spec: ProcessSpec,
  ) {
    let end: (code: number | null) => void = () => undefined;
    const ended = new Promise<number | null>((resolve) => (end = resolve));
    super(app, { ...spec, onExit: end }, () => answers.service(url));
    this.ended = ended;
    this.readyWithinMs = serviceReadyWithinMs;
  }

  static async create(
    app: App,
    name: string,
    { topicPrefix, databaseUrl, redisPrefix }: Isolation,
    fault?: Fault,
    faulty: readonly ServerName[] = [],
  ): Promise<ServiceProcess> {
    const { brokers, redisUrl } = infrastructure();
    const lines = {
      PostgreSQL: await TcpLine.open(databaseUrl),
      Kafka: await TcpLine.toKafka(brokers[0] as string),
      Redis: await TcpLine.open(redisUrl),
    };
    const port = await tcpPort(0);
    const env = environment(
      { app, name, port, coapPort: 0 },
      {
        replicas: apps.map((each) => ({ app: each, name: each, port: 1 })),
        infrastructure: { brokers: lines.Kafka.address, databaseUrl: lines.PostgreSQL.url, redisUrl: lines.Redis.url },
        secrets: {
          ...newIdentityKeys(),
          encryptionKey: Buffer.alloc(32).toString('base64'),
          accountId: 'a'.repeat(32),
        },
        keyFile: join(tmpdir(), `${topicPrefix}${name}.key`),
        packagesFolder: join(dataFolder(), `${topicPrefix}packages`),
        coapHost: '127.0.0.1',
        baseUrl: 'http://127.0.0.1',
        env: {
          KAFKA_TOPIC_PREFIX: topicPrefix,
          GATEWAY_REDIS_PREFIX: `${redisPrefix}gateway:`,
          DEVICE_PROXY_REDIS_PREFIX: `${redisPrefix}device-proxy:`,
          DISPATCHER_REDIS_PREFIX: `${redisPrefix}dispatcher:`,
        },
      },
    );
    const logFile = join(dataFolder(), `${topicPrefix}${name}.log`);
    const service = new ServiceProcess(app, `http://127.0.0.1:${port}`, lines, {
      ...{ command: process.execPath, args: [entryPoint(app)], env, logFile },
    });
    if (fault) service.disturb(fault, faulty);
    service.launch();
    return service;
  }

  /** Its output, including logs. */
  get output(): string {
    return readFileSync(this.spec.logFile, 'utf8');
  }

  disturb(fault: Fault, names: readonly ServerName[]): void {
    for (const name of names) {
      const line = this.lines[name];
      if (fault === 'refuses') line.refuse();
      else if (fault === 'never answers') line.swallow();
      else line.conditions = { latencyMs: slowMs };
    }
  }

  repair(): void {
    for (const line of Object.values(this.lines)) line.heal();
  }

  /** Whether the service has attempted a connection to the server, which may have been refused. */
  hasTriedConnecting(name: ServerName): boolean {
    return this.connectionAttempts(name) > 0;
  }

  /** How many connections to the server the service has attempted. */
  connectionAttempts(name: ServerName): number {
    return this.lines[name].connectionAttempts;
  }

  /** Status of a probe, and its duration. */
  async probe(path: '/healthz' | '/readyz'): Promise<{ status: number; ms: number; text: string }> {
    const begun = performance.now();
    const response = await fetch(this.url + path);
    const text = await response.text();
    return { status: response.status, ms: performance.now() - begun, text };
  }

  /** Ends the process. Resolves with its exit code, and how long it took to end. */
  async end(signal?: NodeJS.Signals): Promise<{ code: number | null; ms: number }> {
    const begun = performance.now();
    if (signal) kill(this.pid, signal);
    return { code: await this.ended, ms: performance.now() - begun };
  }

  async close(): Promise<void> {
    await this.kill();
    for (const line of Object.values(this.lines)) line.close();
  }
}
