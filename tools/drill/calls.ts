/** REST calls at an even rate, of every service, until told to stop. */
import { sensorPath } from './applications.ts';
import type { ApiClient } from './api-client.ts';

const b64 = (text: string) => Buffer.from(text).toString('base64');

export class Calls {
  /** Async-ids of commands that were answered 202. */
  accepted: string[] = [];
  /** Answers that no client expects. */
  unexpected = new Map<string, number>();
  number = 0;
  underWay = new Set<Promise<void>>();
  timer: NodeJS.Timeout | undefined;

  /** Changes of the group that were answered 2xx: operator actions, which the event log must contain. */
  groupChanges = 0;
  wanted: (path: string) => boolean;
  api: ApiClient;
  deviceIds: readonly string[];
  groupId: string;

  constructor(
    api: ApiClient,
    deviceIds: readonly string[],
    groupId: string,
    wanted: (path: string) => boolean = () => true,
  ) {
    this.wanted = wanted;
    this.api = api;
    this.deviceIds = deviceIds;
    this.groupId = groupId;
  }

  start(perSecond: number) {
    this.timer = setInterval(() => {
      const call = this.next();
      this.underWay.add(call);
      void call.finally(() => this.underWay.delete(call));
    }, 1_000 / perSecond);
  }

  async stop() {
    clearInterval(this.timer);
    await Promise.all(this.underWay);
  }

  async next() {
    const number = this.number++;
    const device = this.deviceIds[number % this.deviceIds.length] as string;
    const asyncId = `drill-${number}`;
    const kinds = [
      () => this.plain('GET', '/v3/devices?limit=5'),
      () => this.plain('GET', `/v3/devices/${device}`),
      () => this.plain('GET', `/v3/devices/${device}/echo`),
      () => this.plain('GET', '/v3/device-events?limit=5'),
      () => this.plain('PUT', `/v3/devices/${device}`, { description: `call ${number}` }),
      () => this.changeGroup(number),
      () => this.plain('GET', '/v2/endpoints'),
      () => this.plain('GET', '/v2/notification/channel'),
      () => this.plain('GET', '/v3/api-keys/me'),
      () => this.plain('GET', `/v3/explain?device_id=${device}`),
      () => this.command(device, asyncId, { method: 'GET', uri: sensorPath }),
      () =>
        this.command(device, asyncId, {
          method: 'PUT',
          uri: '/3341/0/5527',
          'content-type': 'text/plain',
          'payload-b64': b64(asyncId),
        }),
      () =>
        this.command(device, asyncId, {
          method: 'POST',
          uri: '/3/0/4',
          'content-type': 'text/plain',
          'payload-b64': b64(`0='${number}'`),
        }),
    ];
    await kinds[number % kinds.length]?.();
  }

  async plain(method: string, path: string, body?: unknown, headers?: Record<string, string>) {
    if (!this.wanted(path)) return undefined;
    const reply = await this.api.call(method, path, body, headers);
    if (reply && reply.status >= 300) this.note(`${method} ${path}: ${reply.status}`);
    return reply;
  }

  async changeGroup(number: number) {
    const reply = await this.plain('PUT', `/v3/device-groups/${this.groupId}`, { description: `call ${number}` });
    if (reply && reply.status < 300) this.groupChanges++;
  }

  /** The Idempotency-Key makes it safe to repeat. */
  async command(device: string, asyncId: string, body: unknown) {
    const path = `/v2/device-requests/${device}?async-id=${asyncId}&retry=3&expiry-seconds=600`;
    const reply = await this.plain('POST', path, body, { 'idempotency-key': asyncId });
    if (reply?.status === 202) this.accepted.push(asyncId);
  }

  note(what: string) {
    const name = what.replace(/[0-9a-f]{32}/g, '{id}').replace(/drill-\d+/, '{async-id}');
    this.unexpected.set(name, (this.unexpected.get(name) ?? 0) + 1);
  }
}
