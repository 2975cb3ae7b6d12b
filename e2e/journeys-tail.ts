import { expect } from '@jest/globals';
import type { DeviceEvent, TailOptions } from '@lanyard/client';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { registered } from './journeys.ts';

/** Collects the entries of a stream, until it is left. */
const follow = async (app: Application, options: TailOptions = {}) => {
  const leaving = new AbortController();
  const entries: DeviceEvent[] = [];
  const stream = await app.lanyard.tail({ ...options, signal: leaving.signal });
  const taken = (async () => {
    for await (const entry of stream) entries.push(entry);
  })();
  return {
    entries,
    codesOf: (deviceId: string): string[] => entries.filter((e) => e.device_id === deviceId).map((e) => e.event_code),
    leave: (): Promise<void> => {
      leaving.abort();
      return taken;
    },
  };
};

/** Events of a device appear in the stream of the log at once, and a client that reconnects misses none. */
export const tailed = async (app: Application, coapUrl: string): Promise<void> => {
  const stream = await follow(app);
  const { device, deviceId } = await registered(app, 'tailed', coapUrl);
  await eventually(() => expect(stream.codesOf(deviceId)).toEqual(expect.arrayContaining(['SYS_106', 'SYS_200'])));
  await stream.leave();
  const last = stream.entries.at(-1);
  await device.deregister();
  const again = await follow(app, { ...(last && { after: last.id }), filters: { device_id: deviceId } });
  await eventually(() => expect(again.codesOf(deviceId)).toContain('SYS_105'));
  expect(again.entries.filter((entry) => entry.device_id !== deviceId)).toEqual([]);
  await again.leave();
  await device.close();
};

/** Connections that break in the middle neither lose nor repeat an entry. */
export const tailedOverBreaks = async (app: Application, coapUrl: string): Promise<void> => {
  let open: AbortController | undefined;
  const connections: (string | null)[] = [];
  const breaking: typeof fetch = (url, init) => {
    if (!String(url).includes('/stream')) return fetch(url, init);
    open = new AbortController();
    connections.push(new Headers(init?.headers).get('last-event-id'));
    return fetch(url, { ...init, signal: AbortSignal.any([open.signal, init?.signal ?? open.signal]) });
  };
  const { device, deviceId } = await registered(app, 'broken-off', coapUrl);
  const another = app.withFetch(breaking);
  const stream = await follow(another, { filters: { device_id: deviceId, event_code__in: 'SYS_105,SYS_106' } });
  const rounds = 2;
  for (let round = 1; round <= rounds; round++) {
    open?.abort();
    await device.deregister();
    await device.register();
    await eventually(() => expect(connections).toHaveLength(round + 1));
  }
  await eventually(() => expect(stream.codesOf(deviceId).filter((code) => code === 'SYS_105')).toHaveLength(rounds));
  await eventually(() => expect(stream.codesOf(deviceId).at(-1)).toBe('SYS_106'));
  const ids = stream.entries.map(({ id }) => id);
  expect(new Set(ids).size).toBe(ids.length);
  // The service tells where the stream began, so that no entry before the first received one is missed.
  expect(connections.slice(1)).not.toContain(null);
  await stream.leave();
  await device.close();
};
