import { describe, expect, it } from '@jest/globals';
import type { BootstrapProfileChanged } from '@lanyard/contracts';
import type { StateListener } from '@lanyard/kafka';
import type { BootstrapProfilesReader } from '../state/bootstrap-profiles.reader.js';
import type { DeviceGroupsReader } from '../state/device-groups.reader.js';
import { Profiles } from './profiles.js';

const id = (n: number): string => String(n).padStart(32, '0');
const [accountId, deviceId] = [id(100), id(101)];

/** Of the account. */
const profile = (n: number): BootstrapProfileChanged => ({
  profileId: id(n),
  accountId,
  serverUri: `coaps://server-${n}.example`,
  shortServerId: 123,
  securityMode: 'psk',
  lifetimeSeconds: 300,
  binding: 'U',
  notificationStoring: true,
  deletePaths: ['/0', '/1'],
  changedAt: '2026-01-01T00:00:00Z',
});

/** A topic controlled by the test. */
const topicOf = () => {
  const state = new Map<string, BootstrapProfileChanged>();
  let listener: StateListener<BootstrapProfileChanged> = () => undefined;
  const reader = {
    onChange: (one: StateListener<BootstrapProfileChanged>) => {
      listener = one;
      return () => undefined;
    },
  } as unknown as BootstrapProfilesReader;
  const groups = { get: () => undefined } as unknown as DeviceGroupsReader;
  const say = (key: string, value: BootstrapProfileChanged | undefined): void => {
    const previous = state.get(key);
    if (value) state.set(key, value);
    else state.delete(key);
    listener(key, value, previous);
  };
  return { profiles: new Profiles(reader, groups), say };
};

describe('the profile of an account', () => {
  const [before, after] = [profile(1), profile(2)];

  it.each([
    ['in order', ['before', 'gone', 'after']],
    ['the successor before the end of its predecessor', ['before', 'after', 'gone']],
    ['the successor before its predecessor, as after a restart', ['after', 'before', 'gone']],
    ['the end of the predecessor not read yet', ['after', 'before']],
  ])('that was deleted and created again applies: %s', (_order, steps) => {
    const { profiles, say } = topicOf();
    for (const step of steps) {
      if (step === 'before') say(id(1), before);
      if (step === 'after') say(id(2), after);
      if (step === 'gone') say(id(1), undefined);
    }
    expect(profiles.profileOf(accountId, deviceId)).toBe(after);
  });

  it('applies as it was changed last, and no longer once it is deleted', () => {
    const { profiles, say } = topicOf();
    say(id(1), before);
    const changed = { ...before, lifetimeSeconds: 600 };
    say(id(1), changed);
    expect(profiles.profileOf(accountId, deviceId)).toBe(changed);
    say(id(1), undefined);
    expect(profiles.profileOf(accountId, deviceId)).toBeUndefined();
  });
});
