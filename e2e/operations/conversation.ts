import { expect } from '@jest/globals';
import { eventually } from '@lanyard/testing';
import type { Application, Reply } from '../application.ts';
import type { LeshanDevice } from '../leshan-device.ts';
import { fresh } from '../journeys.ts';

/** Media types of LwM2M's formats. */
export const text = 'text/plain';
export const opaque = 'application/octet-stream';
export const cbor = 'application/cbor';
export const link = 'application/link-format';
export const tlv = 'application/vnd.oma.lwm2m+tlv';
export const senmlJson = 'application/senml+json';
export const senmlCbor = 'application/senml+cbor';
export const etchJson = 'application/senml-etch+json';
export const etchCbor = 'application/senml-etch+cbor';
export const lwm2mJson = 'application/vnd.oma.lwm2m+json';

export const b64 = (bytes: string | Buffer): string => Buffer.from(bytes as string).toString('base64');

/** The result of a command. */
export interface Result {
  status: number;
  ct?: string;
  error?: string;
  bytes: Buffer;
}

/** One resource in the snapshot. */
export interface Echoed {
  resource_path: string;
  subscribed: boolean;
  reported?: { value: string; decoded?: unknown; content_type: string };
  desired?: { value: string; decoded?: unknown; status: number };
}

/** An application and a device that communicate over the service. */
export class Conversation {
  constructor(
    readonly app: Application,
    readonly device: LeshanDevice,
    readonly deviceId: string,
  ) {}

  /** Begins when the device is registered. */
  static async between(app: Application, device: LeshanDevice, name: string): Promise<Conversation> {
    await device.says(/^registered/);
    return new Conversation(app, device, await app.deviceId(name));
  }

  request(method: string, uri: string, more: object, query: string): Promise<Reply> {
    return this.app.call('POST', `/v2/device-requests/${this.deviceId}?${query}`, { method, uri, ...more });
  }

  /** Sends a command to the device; the same request returns the result. */
  async asks(method: string, uri: string, more: object = {}): Promise<Result> {
    const { status, json, text: body } = await this.request(method, uri, more, `async-id=${fresh('op')}&wait=60`);
    if (status !== 200) throw new Error(`${method} ${uri}: ${status} ${body}`);
    return { ...json, bytes: Buffer.from(json.payload, 'base64') };
  }

  reads(uri: string, accept: string): Promise<Result> {
    return this.asks('GET', uri, { accept });
  }

  async writes(method: 'PUT' | 'POST' | 'IPATCH', uri: string, contentType: string, payload: string | Buffer) {
    const result = await this.asks(method, uri, { 'content-type': contentType, 'payload-b64': b64(payload) });
    expect(result).toMatchObject({ status: 200 });
  }

  /** Sends a line to the device program, and waits for its answer. */
  async tells(command: string, answer: RegExp): Promise<string> {
    const since = this.device.said.length;
    this.device.tell(command);
    return this.device.says(answer, { since });
  }

  /** Does something that makes the device print a line. */
  async hears(pattern: RegExp, done: () => Promise<unknown>): Promise<void> {
    const since = this.device.said.length;
    await done();
    await this.device.says(pattern, { since });
  }

  async echo(): Promise<Map<string, Echoed>> {
    const { json } = await this.app.call('GET', `/v3/devices/${this.deviceId}/echo`);
    return new Map((json.resources as Echoed[]).map((one) => [one.resource_path, one]));
  }

  /** Waits until the snapshot has these values, decoded by their types. */
  async echoes(values: Record<string, unknown>): Promise<void> {
    await eventually(async () => {
      const echo = await this.echo();
      const found = Object.keys(values).map((path) => [path, echo.get(path)?.reported?.decoded]);
      expect(Object.fromEntries(found)).toEqual(values);
    });
  }

  /** Makes the device report once, and waits until the snapshot has the values. */
  async reports(command: string, values: Record<string, unknown>): Promise<void> {
    this.device.tell(command);
    await this.echoes(values);
  }

  /** Subscribes, and waits for the first value, which comes after the answer. */
  async subscribes(path: string): Promise<void> {
    const known = this.notifications(path).length;
    const { status, json } = await this.app.call('PUT', `/v2/subscriptions/${this.deviceId}${path}`);
    expect([200, 202]).toContain(status);
    expect(await this.app.answer(json['async-response-id'])).toMatchObject({ status: 200 });
    if (status === 202) await this.receives(path, known);
  }

  async unsubscribes(path: string): Promise<void> {
    expect((await this.app.call('DELETE', `/v2/subscriptions/${this.deviceId}${path}`)).status).toBe(204);
  }

  async isSubscribed(path: string): Promise<boolean> {
    return (await this.app.call('GET', `/v2/subscriptions/${this.deviceId}${path}`)).status === 200;
  }

  /** The payloads of a path's notifications with their media types, in the order received. */
  notifications(path: string): { ct: string; bytes: Buffer }[] {
    return this.app
      .items('notifications')
      .filter((n) => n.ep === this.deviceId && n.path === path)
      .map((n) => ({ ct: n.ct, bytes: Buffer.from(n.payload, 'base64') }));
  }

  /** Waits for a notification of a path beyond the first `known` ones. */
  async receives(path: string, known = 0): Promise<{ ct: string; bytes: Buffer }> {
    return eventually(() => {
      const later = this.notifications(path).slice(known);
      if (!later[0]) throw new Error(`no notification of ${path} after ${known}`);
      return later[0];
    });
  }
}
