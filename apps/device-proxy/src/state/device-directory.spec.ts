import { describe, expect, it } from '@jest/globals';
import type { StateListener } from '@lanyard/kafka';
import { DeviceDirectory } from './device-directory.js';
import type { DeviceLifecycleReader, DirectoryEntry } from './device-lifecycle.reader.js';

const accountId = 'a'.repeat(32);

const entryOf = (deviceId: string, endpointName = 'meter'): DirectoryEntry => ({
  deviceId,
  accountId,
  endpointName,
  lifecycleStatus: 'enabled',
  change: 'changed',
  revision: 1,
  changedAtMs: 0,
});

type Step = readonly [deviceId: string, entry: DirectoryEntry | undefined];

/** A topic controlled by the test. */
const directoryOf = () => {
  const state = new Map<string, DirectoryEntry>();
  const listeners: StateListener<DirectoryEntry>[] = [];
  const reader = {
    get: (id: string) => state.get(id),
    onChange: (listener: StateListener<DirectoryEntry>) => {
      listeners.push(listener);
      return () => undefined;
    },
  } as unknown as DeviceLifecycleReader;
  const directory = new DeviceDirectory(reader);
  const say = (id: string, entry: DirectoryEntry | undefined): void => {
    const previous = state.get(id);
    if (entry) state.set(id, entry);
    else state.delete(id);
    for (const listener of listeners) listener(id, entry, previous);
  };
  return { directory, say, named: () => directory.named(accountId, 'meter')?.deviceId };
};

describe('a name that one device has had before another one', () => {
  it.each([
    ['the former device was deleted', undefined],
    ['the former device was renamed', entryOf('former', 'other')],
  ])('belongs to the other one: %s', (_, end) => {
    const begins: Step = ['former', entryOf('former')];
    const ends: Step = ['former', end];
    const next: Step = ['next', entryOf('next')];
    for (const order of [
      [begins, ends, next],
      [begins, next, ends],
      // The topic keeps order per device only, so it may be read in this order after a restart.
      [next, begins, ends],
    ]) {
      const { say, named } = directoryOf();
      for (const step of order) say(...step);
      expect(named()).toBe('next');
      say('next', undefined);
      expect(named()).toBeUndefined();
    }
  });

  it('belongs to the one that was heard of last while both have it', () => {
    const { say, named } = directoryOf();
    say('former', entryOf('former'));
    say('next', entryOf('next'));
    expect(named()).toBe('next');
  });
});
