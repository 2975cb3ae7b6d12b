/**
 * Callbacks of a soak, each with its own key: most are quick, one in twenty takes 2 s for each request, and one in twenty does
 * not answer.
 */
import { callbackEvents, Lanyard, textOf } from '@lanyard/client';
import { CallbackReceiver } from '@lanyard/testing';
import { sensorPath } from '../../tools/drill/applications.ts';
import { percentile } from '../statistics.ts';
import { Arrivals } from './arrivals.ts';
import { bindingOf, groupOf } from './groups.ts';
import { each } from './introduce.ts';

export type Kind = 'quick' | 'slow' | 'dead';

const slowMs = 2_000;

export const kindOf = (channel: number): Kind => ({ 5: 'slow' as const, 10: 'dead' as const })[channel % 20] ?? 'quick';

/** A sleeping device sends the times of its measurements: its values are already old when they arrive. */
const isTimed = (channel: number) => kindOf(channel) === 'quick' && bindingOf(channel) !== 'queue';

const serialization = { type: 'v2', max_chunk_size: 1_000, cfg: { include_timestamp: true } } as const;

export class Channels {
  arrivals: Arrivals[] = [];
  /** Times from device-proxy to callback in ms, since `took` was last read. */
  private took: number[] = [];
  private readonly receivers: CallbackReceiver[] = [];
  private readonly applications: Lanyard[] = [];

  /**
   * Creates keys with rules for their devices. Each key is limited to a device group: otherwise each channel would also get the
   * registrations of all other devices.
   * @param groups ids by channel
   */
  prepare(administrator: Lanyard, baseUrl: string, groups: readonly string[]) {
    return each([...groups.entries()], async ([channel, group]) => {
      const body = { name: groupOf(channel), device_groups: [group] };
      const { key } = await administrator.call('POST /v3/api-keys', { body });
      const application = new Lanyard({ baseUrl, key, retries: 10 });
      const rules = [{ 'endpoint-type': groupOf(channel), 'resource-path': [sensorPath] }];
      await application.call('PUT /v2/subscriptions', { body: rules });
      this.applications[channel] = application;
    });
  }

  /** Registers the channels when all devices are registered, so that what they have to wait for is not measured. */
  register() {
    return each([...this.applications.keys()], (channel) => this.add(channel));
  }

  private async add(channel: number) {
    const arrivals = new Arrivals();
    this.arrivals[channel] = arrivals;
    const receiver = await new CallbackReceiver().start();
    this.receivers.push(receiver);
    receiver.onCall = ({ body }) => {
      receiver.calls.length = 0;
      this.note(arrivals, body, isTimed(channel));
    };
    await this.applications[channel]?.call('PUT /v2/notification/callback', {
      body: { url: receiver.url, serialization },
    });
    if (kindOf(channel) === 'slow')
      receiver.answer((_, response) => void setTimeout(() => response.writeHead(204).end(), slowMs));
    if (kindOf(channel) === 'dead') receiver.answer(channel % 40 === 10 ? 'hang' : 503);
  }

  private note(arrivals: Arrivals, body: string, isTimed: boolean) {
    const nowMs = Date.now();
    for (const event of callbackEvents(body)) {
      if (event.category !== 'notifications' || event.path !== sensorPath) continue;
      const number = Number(textOf(event.payload));
      if (Number.isInteger(number)) arrivals.note(event.deviceId, number);
      if (isTimed && event.item.timestamp !== undefined) this.took.push(nowMs - event.item.timestamp);
    }
  }

  takeLatencies() {
    const { took } = this;
    this.took = [];
    return { p50: percentile(took, 0.5), p99: percentile(took, 0.99) };
  }

  async stop() {
    await Promise.all(this.receivers.map((receiver) => receiver.stop()));
  }
}
