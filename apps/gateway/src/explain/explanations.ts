import { type Identity, isId, NotFound, ValidationFailed } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { notifications, type Permission } from '../permissions.js';
import { type LeftOut, UpstreamClient, UpstreamRefused } from '../proxy/upstream-client.js';
import type { Upstream } from '../upstreams.js';
import { DeviceScopes } from '../proxy/device-scopes.js';
import { type Explanation, newest, type Part, type TimelineEntry } from './explanation.js';
import type { ChannelFacts, CommandPart, DeviceFacts, DevicePart, EchoFacts, EventPart, LogFacts } from './facts.js';
import {
  channelEntries,
  commandEntries,
  deviceEntries,
  echoEntries,
  eventEntries,
  logEntries,
  sessionEntries,
} from './timeline.js';
import { commandWaits, deviceWaits, eventWaits } from './waits-for.js';

export interface Page {
  limit: number;
  /** Only entries before this time, exclusive. */
  before: string;
}

/** As the dispatcher says it. */
const unknownEvent = 'The account has no event with this uid within the last 26 hours.';

/** Reads the facts of the upstreams on behalf of the caller and sorts them into one order. */
@Injectable()
export class Explanations {
  constructor(
    private readonly client: UpstreamClient,
    private readonly scopes: DeviceScopes,
  ) {}

  async command(caller: Identity, asyncId: string, page: Page): Promise<Explanation> {
    const leftOut: LeftOut = [];
    const [part, channel] = await Promise.all([
      this.subject<CommandPart>('device-proxy', `/explain/commands/${encodeURIComponent(asyncId)}`, caller),
      this.maybe<ChannelFacts>(leftOut, notifications, 'dispatcher', '/explain/channel', caller),
    ]);
    const { command, session } = part;
    const entries = [
      ...commandEntries(command),
      ...sessionEntries(command.device_id, session),
      ...(channel ? channelEntries(channel) : []),
    ];
    return this.answer({ type: 'command', id: asyncId }, commandWaits(part, channel), entries, page, leftOut);
  }

  /** Explains a device of the account. `given`: its id, or its endpoint name. */
  async device(caller: Identity, given: string, page: Page): Promise<Explanation> {
    const leftOut: LeftOut = [];
    const device = await this.deviceOf(caller, given);
    const { id: deviceId } = device;
    const id = encodeURIComponent(deviceId);
    const { limit, before } = page;
    const query = `limit=${limit}&before=${encodeURIComponent(before)}`;
    const events = `device_id=${id}&limit=${Math.max(2, limit)}&date_time__lte=${encodeURIComponent(before)}`;
    const [proxy, log, echo] = await Promise.all([
      this.maybe<DevicePart>(leftOut, 'commands', 'device-proxy', `/explain/devices/${id}?${query}`, caller),
      this.maybe<{ data: LogFacts[]; has_more: boolean }>(
        leftOut,
        'events.read',
        'event-log',
        `/v3/device-events?${events}`,
        caller,
      ),
      this.maybe<EchoFacts>(leftOut, 'snapshots.read', 'snapshot', `/v3/devices/${id}/echo`, caller),
    ]);
    const entries = [
      ...deviceEntries(device),
      ...logEntries(log?.data ?? []),
      ...sessionEntries(deviceId, proxy?.session ?? null),
      ...(proxy?.commands ?? []).flatMap(commandEntries),
      ...(echo ? echoEntries(deviceId, echo) : []),
    ];
    const waits = proxy ? deviceWaits(device, proxy) : 'Not known: the facts of the device-proxy are missing.';
    const more = (proxy?.has_more ?? false) || (log?.has_more ?? false);
    return this.answer({ type: 'device', id: deviceId }, waits, entries, page, leftOut, more);
  }

  /** Explains an event of the account, as a channel delivers it. */
  async event(caller: Identity, uid: string, page: Page): Promise<Explanation> {
    const event = await this.subject<EventPart>('dispatcher', `/explain/events/${encodeURIComponent(uid)}`, caller);
    if (caller.deviceGroups) await this.mustSee(caller, event);
    return this.answer({ type: 'event', id: uid }, eventWaits(event), eventEntries(event), page, []);
  }

  /** Throws what the dispatcher answers for an event that does not exist. */
  private async mustSee(caller: Identity, { device_id: deviceId }: EventPart): Promise<void> {
    await this.scopes.mustBeMine(caller, deviceId).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound(unknownEvent) : error;
    });
  }

  private async deviceOf(caller: Identity, given: string): Promise<DeviceFacts> {
    const text = encodeURIComponent(given);
    const byId = (): Promise<DeviceFacts> => this.subject<DeviceFacts>('registry', `/v3/devices/${text}`, caller);
    const byName = async (): Promise<DeviceFacts | undefined> => {
      const path = `/v3/devices?limit=2&endpoint_name__eq=${text}`;
      return (await this.subject<{ data: DeviceFacts[] }>('registry', path, caller)).data[0];
    };
    // A name may look like an id; then it is treated as one.
    if (!isId(given)) return (await byName()) ?? byId();
    return byId().catch(async (error: unknown) => {
      const named = error instanceof NotFound ? await byName() : undefined;
      if (!named) throw error;
      return named;
    });
  }

  private answer(
    subject: Explanation['subject'],
    waits_for: string,
    entries: readonly TimelineEntry[],
    { limit, before }: Page,
    left_out: LeftOut,
    more = false,
  ): Explanation {
    const { timeline, cut } = newest(entries, limit, before);
    return { object: 'explanation', subject, waits_for, timeline, limit, has_more: cut || more, left_out };
  }

  /** The facts without which there is nothing to explain; an upstream's error is passed on. */
  private async subject<T>(upstream: Upstream, path: string, caller: Identity): Promise<T> {
    try {
      return await this.client.get<T>(upstream, path, caller);
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      if (error.status === 400) throw new ValidationFailed(error.body.fields ?? []);
      throw new NotFound(error.body.message);
    }
  }

  /** Returns undefined, and records why, when the caller may not see it or its upstream does not answer. */
  private async maybe<T>(
    leftOut: LeftOut,
    needed: Permission,
    upstream: Part,
    path: string,
    caller: Identity,
  ): Promise<T | undefined> {
    try {
      return await this.client.getPart<T>(leftOut, needed, upstream, path, caller);
    } catch (error) {
      // The upstream does not know the subject.
      if (error instanceof UpstreamRefused) return undefined;
      throw error;
    }
  }
}
