/** Requests that gateways answer: reads of one device, which the registry answers. */
import { saturate } from '../rest/load.ts';
import type { Scaled } from './scaled.ts';

/** More than the replicas answer at the same time, and enough to spread over all of them. */
const connections = 96;

export class Gateways {
  scaled: Scaled;
  path = '';

  constructor(scaled: Scaled) {
    this.scaled = scaled;
  }

  async start() {
    const { id } = await this.scaled.administrator.call('POST /v3/devices', { body: { endpoint_name: 'scaling' } });
    this.path = `/v3/devices/${id}`;
    return this;
  }

  async measure(_replicas: number, seconds: number) {
    const { baseUrl, adminKey } = this.scaled.installation;
    const headers = { authorization: `Bearer ${adminKey}` };
    const { path } = this;
    const { perSecond } = await saturate(new URL(baseUrl), () => ({ method: 'GET', path, headers }), {
      seconds,
      connections,
    });
    return perSecond;
  }
}
