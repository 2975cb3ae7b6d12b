import { execFileSync } from 'node:child_process';
import { readFile, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { AccessAccounts, AccessKeys } from '@lanyard/contracts';
import { KafkaConnection, StateReader } from '@lanyard/kafka';
import { createLogger, hashSecret, parseApiKey, type RunningService, startService } from '@lanyard/service';
import { eventually } from '@lanyard/testing';
import { definition } from '../src/app.module.js';
import { TestSystem } from './test-system.js';

describe('the first start', () => {
  let gateway: TestSystem;
  const running: RunningService[] = [];

  beforeEach(async () => {
    gateway = await TestSystem.corner('first-start');
  });
  afterEach(async () => {
    await Promise.all(running.splice(0).map((service) => service.stop()));
    await gateway.stop();
  });

  it('two replicas at once make one account and one key that works on both', async () => {
    running.push(
      ...(await Promise.all([startService(definition, gateway.config()), startService(definition, gateway.config())])),
    );
    const key = (await readFile(gateway.keyFile, 'utf8')).trim();
    expect((await stat(gateway.keyFile)).mode & 0o777).toBe(0o600);
    for (const { url } of running) {
      const reply = await fetch(`${url}/v3/api-keys`, { headers: { authorization: `Bearer ${key}` } });
      expect(await reply.json()).toMatchObject({ total_count: 1, data: [{ account_id: gateway.accountId }] });
    }
  });

  it('a later start changes nothing', async () => {
    const first = await startService(definition, gateway.config());
    const key = await readFile(gateway.keyFile, 'utf8');
    await first.stop();
    running.push(await startService(definition, gateway.config()));
    expect(await readFile(gateway.keyFile, 'utf8')).toBe(key);
  });

  it('needs a file to write the key to, and then makes nothing', async () => {
    await expect(startService(definition, gateway.config({ GATEWAY_FIRST_KEY_FILE: '' }))).rejects.toThrow(
      'GATEWAY_FIRST_KEY_FILE',
    );
    const inAFile = join(gateway.directory, 'file');
    await writeFile(inAFile, '');
    await expect(
      startService(definition, gateway.config({ GATEWAY_FIRST_KEY_FILE: join(inAFile, 'key') })),
    ).rejects.toThrow('file');
    running.push(await startService(definition, gateway.config()));
    expect(parseApiKey((await readFile(gateway.keyFile, 'utf8')).trim())?.accountId).toBe(gateway.accountId);
  });

  it('does not put a file in place of a device or a pipe', async () => {
    const pipe = join(gateway.directory, 'pipe');
    execFileSync('mkfifo', [pipe]);
    const starting = startService(definition, gateway.config({ GATEWAY_FIRST_KEY_FILE: pipe }));
    await expect(starting).rejects.toThrow('GATEWAY_FIRST_KEY_FILE is not a regular file');
    expect((await stat(pipe)).isFIFO()).toBe(true);
  });

  it('accounts and keys are announced, with every change and never with a secret', async () => {
    await gateway.start({ GATEWAY_FIRST_ACCOUNT_AUTO_CREATE_DEVICES: 'true', GATEWAY_FIRST_ACCOUNT_TIER: 'free' });
    const logger = createLogger({ app: 'test', replicaId: 'test', level: 'silent' });
    const { topicPrefix } = gateway.isolation;
    const kafka = new KafkaConnection({ ...gateway.config().kafka, topicPrefix, clientId: 'test', logger });
    const onFatal = (): void => undefined;
    const accounts = new StateReader(kafka, AccessAccounts, { project: (value) => value, onFatal });
    const keys = new StateReader(kafka, AccessKeys, { project: (value) => value, onFatal });
    try {
      await Promise.all([accounts.start(), keys.start()]);
      const account = await eventually(() => accounts.get(gateway.accountId) ?? false);
      expect(account).toMatchObject({ tier: 'free', status: 'active', autoCreateDevices: true });
      const admin = parseApiKey(gateway.adminKey);
      expect(await eventually(() => keys.get(admin?.keyId ?? '') ?? false)).toMatchObject({
        accountId: gateway.accountId,
        hash: hashSecret(admin?.secret ?? ''),
        permissions: ['admin', 'devices', 'notifications'],
        status: 'active',
        tier: 'free',
      });
      const { id } = await gateway.newKey();
      const made = await eventually(() => keys.get(id) ?? false);
      expect(made).toMatchObject({ permissions: ['devices', 'notifications'], revision: 1 });
      const reset = (await gateway.call(`/v3/api-keys/${id}/reset-secret`, { method: 'POST' })).body.key;
      await eventually(() => keys.get(id)?.hash === hashSecret(reset.slice(-32)));
      await gateway.call(`/v3/api-keys/${id}`, { method: 'DELETE' });
      await eventually(() => keys.get(id)?.status === 'deleted' && keys.get(id)?.revision === 3);
    } finally {
      await Promise.all([accounts.stop(), keys.stop()]);
      await kafka.close();
    }
  });
});
