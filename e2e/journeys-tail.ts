import { expect } from '@jest/globals';
import { thermometer } from '@lanyard/testing';
import type { Application } from './application.js';
import { fresh } from './journeys.js';
import { eventually } from './patience.js';

/** Ids and codes of the entries that a stream at the gateway brings, until it is left. */
const follow = async (app: Application, lastEventId?: string) => {
  const leaving = new AbortController();
  const entries: { id: string; code: string; deviceId: string }[] = [];
  const response = await fetch(`${app.baseUrl}/v3/device-events/stream`, {
    headers: { authorization: `Bearer ${app.key}`, ...(lastEventId !== undefined && { 'last-event-id': lastEventId }) },
    signal: leaving.signal,
  });
  expect(response.headers.get('content-type')).toContain('text/event-stream');
  const read = async (body: ReadableStream<Uint8Array>): Promise<void> => {
    let rest = '';
    const decoder = new TextDecoder();
    for await (const chunk of body as unknown as AsyncIterable<Uint8Array>) {
      const messages = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
      rest = messages.pop() ?? '';
      for (const message of messages) {
        const data = /^data: (\{.*"device-event".*)$/m.exec(message)?.[1];
        if (data === undefined) continue;
        const { id, event_code, device_id } = JSON.parse(data) as Record<string, string>;
        entries.push({ id: String(id), code: String(event_code), deviceId: String(device_id) });
      }
    }
  };
  void read(response.body as ReadableStream<Uint8Array>).catch(() => undefined);
  return {
    codesOf: (deviceId: string): string[] => entries.filter((e) => e.deviceId === deviceId).map((e) => e.code),
    last: (): string | undefined => entries.at(-1)?.id,
    leave: () => leaving.abort(),
  };
};

/** What happens to a device is in the stream of the log at once, and is not missed by who comes back. */
export const tailed = async (app: Application, coapUrl: string): Promise<void> => {
  const { device } = thermometer({ name: fresh('tailed'), server: coapUrl });
  const stream = await follow(app);
  await device.open();
  await device.register();
  const deviceId = await app.deviceId(device.name);
  await eventually(() => expect(stream.codesOf(deviceId)).toEqual(expect.arrayContaining(['SYS_106', 'SYS_200'])));
  const last = stream.last();
  stream.leave();
  await device.deregister();
  const again = await follow(app, last);
  await eventually(() => expect(again.codesOf(deviceId)).toContain('SYS_105'));
  again.leave();
  await device.close();
};
