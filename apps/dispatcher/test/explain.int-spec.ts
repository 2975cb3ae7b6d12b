import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { uidOf } from '@lanyard/contracts';
import { newId, type RunningService } from '@lanyard/service';
import { TestSystem } from './test-system.js';

describe('the explanation of an event', () => {
  let system: TestSystem;
  let service: RunningService;

  beforeAll(async () => {
    system = await TestSystem.create('explain');
    service = await system.startReplica();
  });
  afterAll(async () => {
    await system?.drop();
  });

  it('finds the end of a session that another replica announced a minute after it', async () => {
    const customer = await system.customer();
    const uid = uidOf('an end', Date.now() - 60_000);
    await system.session(customer.accountId, 'expired', newId(), uid);
    const response = await fetch(`${service.url}/explain/events/${uid}`, { headers: system.identity(customer) });
    expect(await response.json()).toMatchObject({ uid, category: 'registrations-expired' });
  });
});
