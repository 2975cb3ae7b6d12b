import { type Identity, isId, NotFound, ValidationFailed } from '@lanyard/service';
import { Injectable } from '@nestjs/common';
import { notifications, type Permission } from '../permissions.js';
import { type LeftOut, UpstreamClient, UpstreamRefused } from '../proxy/upstream-client.js';
import type { Upstream } from '../upstreams.js';
import { DeviceNotFound, UpstreamUnavailable } from '../errors.js';
import { DeviceScopes } from '../proxy/device-scopes.js';
import { type Explanation, justBefore, newest, type TimelineEntry } from './explanation.js';
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

/** The same text as the dispatcher's. */
const unknownEvent = 'The account has no event with this uid within the last 26 hours.';

interface LogPart {
  data: LogFacts[];
  has_more: boolean;
}

interface Found {
  waitsFor: string;
  entries: readonly TimelineEntry[];
  leftOut?: LeftOut;
  /** At this moment and before, an upstream has more facts than those that it answered with; '' if none has. */
  incompleteUpTo?: string;
}

const explain = (
  subject: Explanation['subject'],
  { limit, before }: Page,
  { waitsFor, entries, leftOut = [], incompleteUpTo = '' }: Found,
): Explanation => {
  const { timeline, cut } = newest(entries, limit, before, incompleteUpTo);
  return {
    object: 'explanation',
    subject,
    waits_for: waitsFor,
    timeline,
    limit,
    has_more: cut || incompleteUpTo !== '',
    left_out: leftOut,
  };
};

/** `incompleteUpTo` of the facts about a device. */
const whereFactsEnd = (before: string, proxy: DevicePart | undefined, log: LogPart | undefined): string => {
  const logged = log?.has_more ? log.data.map(({ date_time }) => date_time) : [];
  // The device-proxy gives the commands whose last entry before the time is newest.
  const ofCommands = proxy?.has_more
    ? proxy.commands.flatMap((command) => newest(commandEntries(command), 1, before).timeline.at(-1)?.at ?? [])
    : [];
  const oldest = [logged, ofCommands].flatMap((times) => times.toSorted().slice(0, 1));
  return oldest.toSorted().at(-1) ?? '';
};

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
      this.partsOf(caller, leftOut)<ChannelFacts>('dispatcher', notifications, '/explain/channel'),
    ]);
    const { command, session } = part;
    const entries = [
      ...commandEntries(command),
      ...sessionEntries(command.device_id, session),
      ...(channel ? channelEntries(channel) : []),
    ];
    const waitsFor = commandWaits(part, channel);
    return explain({ type: 'command', id: asyncId }, page, { waitsFor, entries, leftOut });
  }

  /** Explains a device of the account. `given`: its id, or its endpoint name. */
  async device(caller: Identity, given: string, page: Page): Promise<Explanation> {
    const leftOut: LeftOut = [];
    const device = await this.deviceOf(caller, given);
    const { id: deviceId } = device;
    const id = encodeURIComponent(deviceId);
    const { limit, before } = page;
    // One more than the page has: the oldest one only shows how far back the facts reach.
    const query = `limit=${limit + 1}&before=${encodeURIComponent(before)}`;
    const events = `device_id=${id}&limit=${limit + 1}&date_time__lte=${encodeURIComponent(justBefore(before))}`;
    const part = this.partsOf(caller, leftOut);
    const [proxy, log, echo] = await Promise.all([
      part<DevicePart>('device-proxy', 'commands', `/explain/devices/${id}?${query}`),
      part<LogPart>('event-log', 'events.read', `/v3/device-events?${events}`),
      part<EchoFacts>('snapshot', 'snapshots.read', `/v3/devices/${id}/echo`),
    ]);
    const entries = [
      ...deviceEntries(device),
      ...logEntries(log?.data ?? []),
      ...sessionEntries(deviceId, proxy?.session ?? null),
      ...(proxy?.commands ?? []).flatMap(commandEntries),
      ...(echo ? echoEntries(deviceId, echo) : []),
    ];
    return explain({ type: 'device', id: deviceId }, page, {
      waitsFor: proxy ? deviceWaits(device, proxy) : 'Not known: the facts of the device-proxy are missing.',
      entries,
      leftOut,
      incompleteUpTo: whereFactsEnd(before, proxy, log),
    });
  }

  /** Explains an event of the account, as a channel delivers it. */
  async event(caller: Identity, uid: string, page: Page): Promise<Explanation> {
    const event = await this.subject<EventPart>('dispatcher', `/explain/events/${encodeURIComponent(uid)}`, caller);
    if (caller.deviceGroups) await this.mustSee(caller, event);
    return explain({ type: 'event', id: uid }, page, { waitsFor: eventWaits(event), entries: eventEntries(event) });
  }

  /**
   * Throws NotFound if the caller may not see the device of the event, with the text that the dispatcher has for an
   * event that does not exist.
   */
  private async mustSee(caller: Identity, { device_id: deviceId }: EventPart): Promise<void> {
    await this.scopes.mustBeMine(caller, deviceId).catch((error: unknown) => {
      throw error instanceof NotFound ? new NotFound(unknownEvent) : error;
    });
  }

  /** Throws DeviceNotFound. */
  private async deviceOf(caller: Identity, given: string): Promise<DeviceFacts> {
    // Only an id: beside its devices, the directory has paths such as `/v3/devices/export`.
    const found = isId(given) ? await this.deviceWith(caller, given) : undefined;
    // A name may look like an id: it is used as a name only if no device has this id.
    return found ?? this.deviceNamed(caller, given);
  }

  private deviceWith(caller: Identity, id: string): Promise<DeviceFacts | undefined> {
    return this.subject<DeviceFacts>('registry', `/v3/devices/${id}`, caller).catch((error: unknown) => {
      if (error instanceof NotFound) return undefined;
      throw error;
    });
  }

  private async deviceNamed(caller: Identity, name: string): Promise<DeviceFacts> {
    const path = `/v3/devices?limit=2&endpoint_name__eq=${encodeURIComponent(name)}`;
    const [named] = (await this.subject<{ data: DeviceFacts[] }>('registry', path, caller)).data;
    if (!named) throw new DeviceNotFound();
    return named;
  }

  /** The facts without which there is nothing to explain. Throws ValidationFailed, NotFound, UpstreamUnavailable. */
  private async subject<T>(upstream: Upstream, path: string, caller: Identity): Promise<T> {
    try {
      return await this.client.get<T>(upstream, path, caller);
    } catch (error) {
      if (!(error instanceof UpstreamRefused)) throw error;
      if (error.status === 400) throw new ValidationFailed(error.body.fields ?? []);
      if (error.status === 404) throw new NotFound(error.body.message);
      throw new UpstreamUnavailable(upstream, error);
    }
  }

  /** Reads parts of one explanation. A part is undefined also if its upstream knows nothing of the subject. */
  private partsOf(caller: Identity, leftOut: LeftOut) {
    return <T>(upstream: Upstream, needed: Permission, path: string): Promise<T | undefined> =>
      this.client.getPart<T>(caller, { upstream, path, needed, leftOut, mayBeUnknown: true });
  }
}
