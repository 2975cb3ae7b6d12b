import { randomBytes } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application } from './application.ts';
import { fresh, registered } from './journeys.ts';

/** A line of a log. */
interface Line {
  app: string;
  requestId?: string;
  msg: string;
  topic?: string;
  token?: string;
  messageId?: number;
}

/** All log lines of the services with the id of a request: `app: message topic`, each once. */
const linesOf = (logs: string, requestId: string): Line[] =>
  readdirSync(logs)
    .flatMap((file) => readFileSync(join(logs, file), 'utf8').split('\n'))
    .filter((line) => line.startsWith('{') && line.includes(requestId))
    .map((line) => JSON.parse(line) as Line)
    .filter((line) => line.requestId === requestId);

const told = (lines: readonly Line[]): string[] =>
  [...new Set(lines.map(({ app, msg, topic }) => `${app}: ${msg}${topic === undefined ? '' : ` ${topic}`}`))].sort();

/** The id that a caller gives is in the answer, in the headers of all messages that follow, and in the logs of every service involved. */
export const followed = async (app: Application, coapUrl: string, logs: string): Promise<void> => {
  const { device, deviceId } = await registered(app, 'followed', coapUrl);
  const asked = async (path: string, body: object): Promise<string> => {
    const requestId = randomBytes(16).toString('hex');
    const response = await fetch(app.baseUrl + path, {
      method: 'POST',
      headers: { authorization: `Bearer ${app.key}`, 'x-request-id': requestId },
      body: JSON.stringify(body),
    });
    expect(response.headers.get('x-request-id')).toBe(requestId);
    expect(response.ok).toBe(true);
    return requestId;
  };

  const asyncId = fresh('followed');
  const command = await asked(`/v2/device-requests/${deviceId}?async-id=${asyncId}`, { method: 'GET', uri: '/3/0/0' });
  expect(await app.answer(asyncId)).toMatchObject({ status: 200 });
  await eventually(() =>
    expect(told(linesOf(logs, command))).toEqual([
      'campaigns: fact received device.command-results',
      'device-proxy: CoAP request sent',
      'device-proxy: command carried out',
      'device-proxy: fact sent device.command-results',
      'device-proxy: fact sent device.commands',
      'device-proxy: fact sent device.values',
      'device-proxy: request answered',
      'dispatcher: fact received device.command-results',
      'dispatcher: fact received device.values',
      'event-log: fact received device.command-results',
      'gateway: request answered',
      'snapshot: fact received device.command-results',
      'snapshot: fact received device.commands',
      'snapshot: fact received device.values',
    ]),
  );
  expect(linesOf(logs, command).find((line) => line.token !== undefined)).toMatchObject({
    token: expect.stringMatching(/^[0-9a-f]+$/),
    messageId: expect.any(Number),
  });

  const suspension = await asked(`/v3/devices/${deviceId}/suspend`, { category: 'maintenance' });
  await eventually(() =>
    expect(told(linesOf(logs, suspension))).toEqual([
      'campaigns: fact received device.lifecycle',
      'device-proxy: state received device.lifecycle',
      'event-log: fact received device.lifecycle',
      'gateway: request answered',
      'registry: fact sent device.lifecycle',
      'registry: request answered',
      'snapshot: fact received device.lifecycle',
    ]),
  );
  await device.close();
};
