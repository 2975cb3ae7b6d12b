import type { TimelineEntry } from './explanation.js';
import type { ChannelFacts, CommandFacts, DeviceFacts, EchoFacts, EventPart, LogFacts, Session } from './facts.js';

export const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const endings: Record<string, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  expired: 'expired before the device received it',
  cancelled: 'was cancelled by its sender',
};

/** The entry of what a service recorded; none if the time is missing. */
const entriesOf =
  (service: TimelineEntry['service']) =>
  (at: string | null, what: string, text: string, facts: object): TimelineEntry[] =>
    at ? [{ at, service, what, text, facts: { ...facts } }] : [];

const registry = entriesOf('registry');
const deviceProxy = entriesOf('device-proxy');
const eventLog = entriesOf('event-log');
const snapshot = entriesOf('snapshot');
const dispatcher = entriesOf('dispatcher');

/** Acceptance, last attempt and end. Payloads are omitted, because they may be secrets of the device. */
export const commandEntries = (command: CommandFacts): TimelineEntry[] => {
  const { async_id, device_id, kind, method, uri, created_at, expires_at, attempts, attempted_at } = command;
  const { finished_at, state, status, error, note } = command;
  const named = { async_id, device_id };
  const accepted = `${method} ${uri} was put into the queue of the device.`;
  const ended = `The command ${endings[state] ?? 'ended'}${status ? ` with ${status}` : ''}${error ? ` ${error}` : ''}.`;
  return [
    ...deviceProxy(created_at, 'command.accepted', accepted, { ...named, kind, method, uri, expires_at }),
    ...deviceProxy(attempted_at, 'command.sent', `Attempt ${attempts} was sent to the device.`, { ...named, attempts }),
    ...deviceProxy(finished_at, `command.${state}`, ended, { ...named, status, error, note }),
  ];
};

export const sessionEntries = (device_id: string, session: Session | null): TimelineEntry[] => {
  if (!session) return [];
  const { registered_at, last_heard_at, expires_at, queue_mode, asleep, observed } = session;
  const began = `The current registration began${queue_mode ? ', in queue mode' : ''}.`;
  const heard = `The device was last heard${asleep ? ', and has been asleep since' : ''}.`;
  return [
    ...deviceProxy(registered_at, 'session.began', began, { device_id, expires_at, queue_mode, observed }),
    ...deviceProxy(last_heard_at, 'session.heard', heard, { device_id, asleep }),
  ];
};

export const deviceEntries = (device: DeviceFacts): TimelineEntry[] => {
  const { id, endpoint_name, created_at, lifecycle_status, state } = device;
  const facts = { device_id: id, endpoint_name, lifecycle_status, state };
  return registry(created_at, 'device.created', `The device ${endpoint_name ?? id} was created.`, facts);
};

export const logEntries = (events: readonly LogFacts[]): TimelineEntry[] =>
  events.flatMap(({ id, date_time, event_code, event_type_description: outcome, description }) =>
    eventLog(date_time, `event.${event_code}`, description, { id, event_code, outcome }),
  );

/** The last value of each resource; earlier ones are not stored. */
export const echoEntries = (device_id: string, { resources }: EchoFacts): TimelineEntry[] =>
  resources.flatMap(({ resource_path, subscribed, reported }) => {
    const text = `The current value of ${resource_path} was reported.`;
    return snapshot(reported?.reported_at ?? null, 'value.reported', text, { device_id, resource_path, subscribed });
  });

export const channelEntries = (channel: ChannelFacts): TimelineEntry[] => {
  const { key_id, delivery_mechanism, created_at, failing_since, failures, oldest, queue_size, dropped } = channel;
  const created = `The notification channel of the key was created (${delivery_mechanism}).`;
  const failing = `The callback has not accepted a message since then: ${counted(failures, 'failure')} in a row.`;
  const queued = `The oldest of ${counted(queue_size, 'event')} that wait in the queue of the channel was queued.`;
  return [
    ...dispatcher(created_at, 'channel.created', created, { key_id, delivery_mechanism }),
    ...dispatcher(failing_since, 'channel.failing', failing, { key_id, failures }),
    ...dispatcher(oldest, 'channel.oldest', queued, { key_id, queue_size, dropped }),
  ];
};

export const eventEntries = (event: EventPart): TimelineEntry[] => {
  const { uid, category, device_id, path, async_id, topic, partition, offset, channels, without_channel } = event;
  const occurred = `The event occurred in device-proxy: ${category} (${path ?? async_id ?? category}).`;
  const facts = { uid, category, device_id, ...(path && { path }), ...(async_id && { async_id }) };
  const visible = counted(channels.length + without_channel, 'channel');
  const announced = `The event was stored in Kafka, for ${visible} visible to this key.`;
  return [
    ...deviceProxy(event.occurred_at, 'event.occurred', occurred, facts),
    ...deviceProxy(event.announced_at, 'event.announced', announced, { topic, partition, offset }),
    ...channels.flatMap(({ channel }) => channelEntries(channel)),
  ];
};
