import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { encryptionKeyId, runInContext } from '@lanyard/service';
import { CallbackReceiver, eventually } from '@lanyard/testing';
import { Reencryption, ReencryptionModule } from '../src/reencryption.js';
import { TestSystem, payloads } from './test-system.js';

const [old, fresh] = [randomBytes(32), randomBytes(32)];
const keys = (...list: Buffer[]) => ({ ENCRYPTION_KEY: list.map((key) => key.toString('base64')).join(',') });

describe('another encryption key', () => {
  let system: TestSystem;
  let receiver: CallbackReceiver;

  beforeAll(async () => {
    system = await TestSystem.create('reencrypt');
    receiver = await new CallbackReceiver().start();
  });

  afterAll(async () => {
    await receiver?.stop();
    await system?.drop();
  });

  const targetsBeginWith = async (): Promise<string[]> => {
    const rows = (await system.query('SELECT target FROM dispatcher.channels', [])) as { target: string }[];
    return rows.map(({ target }) => target.split('.')[0] as string);
  };

  it('re-encrypts callbacks beside a running dispatcher; then the old key is not needed', async () => {
    const customer = await system.customer();
    const before = await system.startReplica('dispatcher-0', keys(old));
    await system.call(before, customer, 'PUT', 'callback', { url: receiver.url, headers: { secret: 'yes' } });
    await system.value(customer, 'first');
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['first']));
    await before.stop();

    const during = await system.startReplica('dispatcher-0', keys(fresh, old));
    const config = system.config('reencrypt-0', keys(fresh, old));
    await runInContext(ReencryptionModule, config, (context) => context.get(Reencryption).run());
    expect(await targetsBeginWith()).toEqual([encryptionKeyId(fresh)]);
    await during.stop();

    await system.startReplica('dispatcher-0', keys(fresh));
    await system.value(customer, 'second');
    await eventually(() => expect(payloads(receiver.events('notifications'))).toEqual(['first', 'second']));
    expect(receiver.deliveries.at(-1)?.headers).toMatchObject({ secret: 'yes' });
  });
});
