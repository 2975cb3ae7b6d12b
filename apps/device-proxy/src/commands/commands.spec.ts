import { describe, expect, it } from '@jest/globals';
import { type Identity, newId } from '@lanyard/service';
import { TestClock } from '@lanyard/testing';
import type { SessionStore } from '../sessions/session-store.js';
import type { WakeUps } from '../sessions/wake-ups.js';
import type { DeviceDirectory } from '../state/device-directory.js';
import type { AcceptOptions, Stored } from './command-intake.js';
import type { CommandQueue } from './command-queue.js';
import { Commands } from './commands.js';
import type { Deliverer } from './deliverer.js';
import { type Outcome, registrationRemoved } from './outcome.js';

/** Commands for a device that the directory does not know, and the outcomes with which the queue stores them. */
const commandsFor = (read: () => unknown) => {
  const outcomes: (Outcome | undefined)[] = [];
  const accept = async (_command: unknown, { refusal }: AcceptOptions): Promise<Stored> => {
    outcomes.push(await refusal?.());
    return {} as Stored;
  };
  const commands = new Commands(
    { accept } as unknown as CommandQueue,
    { get: () => undefined, whyBlocked: () => undefined } as unknown as DeviceDirectory,
    { read: () => Promise.resolve(read()) } as unknown as SessionStore,
    { send: () => Promise.resolve() } as unknown as WakeUps,
    { storeAndDeliver: () => undefined } as unknown as Deliverer,
    new TestClock(),
  );
  return { commands, outcomes };
};

describe('a command for a device that only its session shows', () => {
  const accountId = newId();
  const session = { accountId, owner: 'dp-0' };
  const identity = { accountId, keyId: newId() } as Identity;

  it.each([
    ['is stored as any other while the session is there', session, undefined],
    ['ends at once if the device was deleted meanwhile', undefined, registrationRemoved],
  ])('%s', async (_what, later, outcome) => {
    let stored: typeof session | undefined = session;
    const { commands, outcomes } = commandsFor(() => stored);
    const device = await commands.device(identity, newId());
    stored = later;
    await commands.send(identity, device, {
      asyncId: 'a',
      kind: 'device-request',
      method: 'GET',
      path: '/3/0/0',
      query: [],
      accept: null,
      contentType: null,
      payload: null,
      retryMax: 0,
      expirySeconds: 60,
    });
    expect(outcomes).toEqual([outcome]);
  });
});
