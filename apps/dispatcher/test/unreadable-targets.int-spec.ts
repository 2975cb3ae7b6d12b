import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { RunningService } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { type Answer, type Customer, payloads, TestSystem } from './test-system.js';

const keyOf = (bytes: Buffer) => ({ ENCRYPTION_KEY: bytes.toString('base64') });
const channels = '../../v3/channels';

describe('a callback whose encryption key was removed', () => {
  let system: TestSystem;
  let service: RunningService;
  let receiver: CallbackReceiver;
  let customer: Customer;

  beforeAll(async () => {
    system = await TestSystem.create('unreadable-targets');
    receiver = await new CallbackReceiver().start();
    customer = await system.customer();
    service = await system.startReplica('dispatcher-0', keyOf(randomBytes(32)));
    await call('PUT', 'callback', { url: receiver.url });
    await call('POST', 'callback/signing-secrets');
    await service.stop();
    service = await system.startReplica('dispatcher-0', keyOf(randomBytes(32)));
  });

  afterAll(async () => {
    await receiver?.stop();
    await system?.drop();
  });

  const call = (method: string, path: string, body?: unknown): Promise<Answer> =>
    system.call(service, customer, method, path, body);

  it('is shown, listed and tested without its URL', async () => {
    expect(await call('GET', 'callback')).toMatchObject({ status: 200, body: { url: '', headers: {} } });
    const shown = { id: customer.keyId, delivery_mechanism: 'CALLBACK', receiver: null };
    expect(await call('GET', channels)).toMatchObject({ status: 200, body: { data: [shown] } });
    expect(await call('GET', `${channels}/${customer.keyId}`)).toMatchObject({ status: 200, body: shown });
    expect((await call('GET', '../../v3/attention/failing-channels')).status).toBe(200);
    expect(await call('POST', `${channels}/${customer.keyId}/test`)).toMatchObject({
      status: 200,
      body: { delivered: false, reason: expect.stringContaining('register it again') },
    });
  });

  it('is registered again, and delivers what is in its queue', async () => {
    await system.value(customer, 'kept');
    await eventually(async () =>
      expect((await call('GET', `${channels}/${customer.keyId}`)).body).toMatchObject({
        queue_size: 1,
        problem: expect.stringContaining('has failed'),
      }),
    );
    const again = await call('PUT', 'callback', { url: receiver.url });
    expect(again).toMatchObject({ status: 200, body: { url: receiver.url } });
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['kept']));
    expect(receiver.deliveries.at(-1)?.headers).not.toHaveProperty('webhook-signature');
  });
});
