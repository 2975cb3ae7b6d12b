import { expect, it } from '@jest/globals';
import { Fleet } from './fleet.js';
import { type GroupFleet } from './group-fleet.js';

const group = (devices: object[]): GroupFleet => ({ devices, stop: () => undefined }) as unknown as GroupFleet;

it('contacts without an answer keep no other device from deregistering', async () => {
  let deregister = (): void => undefined;
  const deregistered = new Promise<void>((resolve) => (deregister = resolve));
  let left = 0;
  const unanswered = Array.from({ length: 300 }, () => ({
    isInContact: true,
    leave: () => deregistered.then(() => void left++),
  }));
  const registered = { isInContact: false, leave: () => Promise.resolve(deregister()) };
  await new Fleet([group(unanswered), group([registered])], 1).stop();
  expect(left).toBe(300);
});
