import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type CreateApp, newId, type RunningService, startService } from '@lanyard/service';
import { infrastructure, isolate, type Isolation, newIdentityKeys } from '@lanyard/testing';
import { type GatewayConfig, readConfig } from '../src/config.js';
import { definition } from '../src/app.module.js';

export const identityKeys = newIdentityKeys();

export interface Reply {
  status: number;
  headers: Headers;
  text: string;
  // Parsed when it is JSON.
  body: Record<string, unknown> & { id: string; key: string; data: Record<string, unknown>[] };
}

export interface CallInit {
  method?: string;
  body?: unknown;
  key?: string | null;
  headers?: Record<string, string>;
}

/** A gateway on real, isolated infrastructure. */
export class TestSystem {
  service!: RunningService;
  adminKey!: string;
  readonly accountId = newId();

  private constructor(
    readonly isolation: Isolation,
    readonly directory: string,
  ) {}

  static async corner(name: string): Promise<TestSystem> {
    return new TestSystem(await isolate(name), await mkdtemp(join(tmpdir(), 'lanyard-gateway-')));
  }

  get keyFile(): string {
    return join(this.directory, 'first', 'key');
  }

  config(variables: Record<string, string> = {}): GatewayConfig {
    const { brokers, redisUrl } = infrastructure();
    const nowhere = 'http://127.0.0.1:9';
    return readConfig({
      KAFKA_BROKERS: brokers.join(','),
      KAFKA_TOPIC_PREFIX: this.isolation.topicPrefix,
      DATABASE_URL: this.isolation.databaseUrl,
      REDIS_URL: redisUrl,
      ...identityKeys.gatewayEnv,
      LOG_LEVEL: 'silent',
      GATEWAY_FIRST_KEY_FILE: this.keyFile,
      GATEWAY_FIRST_ACCOUNT_ID: this.accountId,
      GATEWAY_REDIS_PREFIX: this.isolation.redisPrefix,
      GATEWAY_REGISTRY_URLS: nowhere,
      GATEWAY_DEVICE_PROXY_URLS: nowhere,
      GATEWAY_SNAPSHOT_URLS: nowhere,
      GATEWAY_EVENT_LOG_URLS: nowhere,
      GATEWAY_DISPATCHER_URLS: nowhere,
      GATEWAY_CAMPAIGNS_URLS: nowhere,
      GATEWAY_DRAIN_TIMEOUT_MS: '500',
      ...variables,
    });
  }

  async start(variables: Record<string, string> = {}, create?: CreateApp): Promise<this> {
    this.service = await startService(definition, this.config(variables), create);
    this.adminKey = (await readFile(this.keyFile, 'utf8')).trim();
    return this;
  }

  /** With the administrator key unless told otherwise; `key: null` sends none. */
  async call(path: string, { method = 'GET', body, key, headers = {} }: CallInit = {}): Promise<Reply> {
    const credential: Record<string, string> = key === null ? {} : { authorization: `Bearer ${key ?? this.adminKey}` };
    const response = await fetch(this.service.url + path, {
      method,
      headers: { ...credential, ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json');
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: (isJson && text ? JSON.parse(text) : {}) as Reply['body'],
    };
  }

  async newKey(body: Record<string, unknown> = {}): Promise<{ id: string; key: string }> {
    const reply = await this.call('/v3/api-keys', { method: 'POST', body: { name: 'app', ...body } });
    if (reply.status !== 201) throw new Error(`no key: ${reply.text}`);
    return { id: reply.body.id, key: reply.body.key };
  }

  async stop(): Promise<void> {
    await this.service?.stop();
    await this.isolation.drop();
    await rm(this.directory, { recursive: true, force: true });
  }
}
