import { CLOCK, newId, REDIS, type RunningService, startService } from '@lanyard/service';
import type { Type } from '@nestjs/common';
import {
  eventually,
  holdRows,
  infrastructure,
  isolate,
  type Isolation,
  newIdentityKeys,
  TestClock,
  withProviders,
} from '@lanyard/testing';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { Redis } from 'ioredis';
import { Client } from 'pg';
import { definition } from '../src/app.module.js';
import { Commands, type KnownDevice } from '../src/commands/commands.js';
import { CommandHistory } from '../src/commands/history.js';
import type { DeviceProxyConfig } from '../src/config.js';
import { awakeWindowMs, expiryGraceMs, pushMaxMs } from '../src/limits.js';
import { Sessions } from '../src/sessions/sessions.js';
import type { Session } from '../src/sessions/session.js';
import type { DeviceAnswer, DeviceLink, DeviceRequest, ObservedAnswer } from '../src/transport/device-link.js';
import { DeviceLinks } from '../src/transport/device-links.js';
import { newKey } from './test-system.js';

export const accountId = newId();
export const content: DeviceAnswer = { code: '2.05', payload: Buffer.from('1'), contentFormat: 0 };

/** A device whose answers the test decides. */
export class ScriptedLink implements DeviceLink {
  readonly asked: DeviceRequest[] = [];
  answer: (request: DeviceRequest, signal: AbortSignal) => Promise<DeviceAnswer> = () => Promise.resolve(content);

  request(_address: string, request: DeviceRequest, signal: AbortSignal): Promise<DeviceAnswer> {
    this.asked.push(request);
    return this.answer(request, signal);
  }

  async observe(address: string, request: DeviceRequest, signal: AbortSignal): Promise<ObservedAnswer> {
    return { answer: await this.request(address, request, signal), token: newId() };
  }

  async cancel(): Promise<void> {}
  adopt(): void {}
  newest(): undefined {}
  forget(): void {}
  hold(): void {}
  release(): void {}
  disconnect(): void {}
}

/** One replica with a scripted link and a clock that the test moves, for all tests of a `describe`. */
export const deliveryTest = (name: string) => {
  const link = new ScriptedLink();
  const clock = new TestClock(Date.now());
  const app = newKey(accountId);
  let isolation: Isolation;
  let service: RunningService;
  const part = <T>(type: Type<T>): T => service.app.get(type, { strict: false });

  beforeAll(async () => {
    isolation = await isolate(name);
    const config: DeviceProxyConfig = {
      app: 'device-proxy',
      replicaId: 'dp-0',
      http: { host: '127.0.0.1', port: 0 },
      kafka: { brokers: infrastructure().brokers, topicPrefix: isolation.topicPrefix },
      logLevel: 'silent',
      secrets: {
        databaseUrl: isolation.databaseUrl,
        redisUrl: infrastructure().redisUrl,
        identityKeys: [newIdentityKeys().publicKey],
        encryptionKey: Buffer.alloc(32),
      },
      redisPrefix: `${isolation.redisPrefix}dp:`,
      requestsInFlightMax: 1_000,
      campaignsUrls: [],
      pushMaxMs,
      awakeMs: awakeWindowMs,
      expiryGraceMs,
    };
    service = await startService(definition, config, withProviders([CLOCK, clock]));
    part(DeviceLinks).add('coap', link);
  });
  beforeEach(() => {
    link.asked.length = 0;
    link.answer = () => Promise.resolve(content);
  });
  afterAll(async () => {
    await service.stop();
    await isolation.drop();
  });

  const register = async (queueMode = false, deviceId = newId()): Promise<Session> => {
    const session = await part(Sessions).open({
      deviceId,
      registrationId: newId(),
      accountId,
      address: '127.0.0.1:1',
      nowMs: clock.now(),
      expiresAtMs: clock.now() + 1_000_000,
      data: {
        endpointName: newId(),
        lifetimeSeconds: 1_000,
        lwm2mVersion: '1.1',
        binding: 'U',
        queueMode,
        rootPath: '',
        contentFormats: [],
        links: [{ path: '/3/0', obs: true }],
        attributes: {},
        registeredAtMs: clock.now(),
        firstContact: false,
      },
    });
    session.isRegistrationAnswered = true;
    return session;
  };

  const send = async (
    { deviceId }: Session,
    method: 'GET' | 'PUT' | 'POST',
    retryMax = 0,
    known?: KnownDevice,
  ): Promise<string> => {
    const asyncId = newId();
    const device = known ?? (await part(Commands).device(app, deviceId));
    const rest = { query: [], accept: null, contentType: null, payload: null, retryMax, expirySeconds: 7_200 };
    await part(Commands).send(app, device, { kind: 'device-request', asyncId, method, path: '/3/0/4', ...rest });
    return asyncId;
  };

  const ended = (asyncId: string): Promise<{ status: number | null; error: string | null; attempts: number }> =>
    eventually(async () => {
      await clock.advance(1_000);
      const record = await part(CommandHistory).get(app, asyncId);
      if (record.finished_at === null) throw new Error(`still ${record.state}`);
      return record;
    });

  /** Of this database, those that wait for a lock. */
  const waitingStatements = async (what: string): Promise<number> => {
    const client = new Client({ connectionString: isolation.databaseUrl });
    await client.connect();
    const { rowCount } = await client.query(
      `SELECT ${what} FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    await client.end();
    return rowCount ?? 0;
  };

  /** Locks something of the database until the returned function is called. */
  const hold = (sql: string): Promise<() => Promise<void>> => holdRows(isolation.databaseUrl, sql, []);
  const redis = (): Redis => service.app.get<Redis>(REDIS);

  return { link, clock, app, part, register, send, ended, waitingStatements, hold, redis };
};
