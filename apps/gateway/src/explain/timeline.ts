import type { TimelineEntry } from './explanation.js';
import type { ChannelFacts, CommandFacts, DeviceFacts, EchoFacts, EventPart, LogFacts, Session } from './facts.js';

export const counted = (n: number, what: string): string => `${n} ${what}${n === 1 ? '' : 's'}`;

const endings: Record<string, string> = {
  succeeded: 'succeeded',
  failed: 'failed',
  expired: 'expired before the device took it',
  cancelled: 'was cancelled by its sender',
};

/** Acceptance, last attempt and end. Payloads are omitted, because they may be secrets of the device. */
export const commandEntries = (command: CommandFacts): TimelineEntry[] => {
  const { async_id, device_id, method, uri, created_at, expires_at, attempts, attempted_at } = command;
  const { finished_at, state, status, error, note } = command;
  const named = { async_id, device_id };
  const entry = (at: string, what: string, text: string, facts: object): TimelineEntry => ({
    at,
    service: 'device-proxy',
    what,
    text,
    facts: { ...named, ...facts },
  });
  return [
    entry(created_at, 'command.accepted', `${method} ${uri} was put into the queue of the device.`, {
      kind: command.kind,
      method,
      uri,
      expires_at,
    }),
    ...(attempted_at
      ? [entry(attempted_at, 'command.sent', `Attempt ${attempts} was sent to the device.`, { attempts })]
      : []),
    ...(finished_at
      ? [
          entry(
            finished_at,
            `command.${state}`,
            `The command ${endings[state] ?? 'ended'}${status ? ` with ${status}` : ''}${error ? ` ${error}` : ''}.`,
            {
              status,
              error,
              note,
            },
          ),
        ]
      : []),
  ];
};

export const sessionEntries = (device_id: string, session: Session | null): TimelineEntry[] => {
  if (!session) return [];
  const { registered_at, last_heard_at, expires_at, queue_mode, asleep, observed } = session;
  return [
    {
      at: registered_at,
      service: 'device-proxy',
      what: 'session.began',
      text: `The registration that holds now began${queue_mode ? ', in queue mode' : ''}.`,
      facts: { device_id, expires_at, queue_mode, observed },
    },
    {
      at: last_heard_at,
      service: 'device-proxy',
      what: 'session.heard',
      text: `The device was last heard${asleep ? ', and sleeps since' : ''}.`,
      facts: { device_id, asleep },
    },
  ];
};

export const deviceEntries = ({
  id,
  endpoint_name,
  created_at,
  lifecycle_status,
  state,
}: DeviceFacts): TimelineEntry[] => [
  {
    at: created_at,
    service: 'registry',
    what: 'device.created',
    text: `The device ${endpoint_name ?? id} was created.`,
    facts: { device_id: id, endpoint_name, lifecycle_status, state },
  },
];

export const logEntries = (events: readonly LogFacts[]): TimelineEntry[] =>
  events.map(({ id, date_time, event_code, event_type_description, description }) => ({
    at: date_time,
    service: 'event-log',
    what: `event.${event_code}`,
    text: description,
    facts: { id, event_code, outcome: event_type_description },
  }));

/** The last value of each resource; earlier ones are not stored. */
export const echoEntries = (device_id: string, { resources }: EchoFacts): TimelineEntry[] =>
  resources.flatMap(({ resource_path, subscribed, reported }) =>
    reported
      ? [
          {
            at: reported.reported_at,
            service: 'snapshot' as const,
            what: 'value.reported',
            text: `The value of ${resource_path} that holds now was reported.`,
            facts: { device_id, resource_path, subscribed },
          },
        ]
      : [],
  );

export const channelEntries = ({ key_id, delivery_mechanism, created_at, ...rest }: ChannelFacts): TimelineEntry[] => [
  {
    at: created_at,
    service: 'dispatcher',
    what: 'channel.created',
    text: `The notification channel of the key was made (${delivery_mechanism}).`,
    facts: { key_id, delivery_mechanism },
  },
  ...(rest.failing_since
    ? [
        {
          at: rest.failing_since,
          service: 'dispatcher' as const,
          what: 'channel.failing',
          text: `The callback has not taken a message since: ${counted(rest.failures, 'failure')} in a row.`,
          facts: { key_id, failures: rest.failures },
        },
      ]
    : []),
  ...(rest.oldest
    ? [
        {
          at: rest.oldest,
          service: 'dispatcher' as const,
          what: 'channel.oldest',
          text: `The oldest of ${counted(rest.queue_size, 'event')} that wait in the queue of the channel was queued.`,
          facts: { key_id, queue_size: rest.queue_size, dropped: rest.dropped },
        },
      ]
    : []),
];

export const eventEntries = (event: EventPart): TimelineEntry[] => {
  const { uid, category, device_id, path, async_id, topic, partition, offset, channels, without_channel } = event;
  const what = path ?? async_id ?? category;
  return [
    {
      at: event.occurred_at,
      service: 'device-proxy',
      what: 'event.occurred',
      text: `It happened at the device-proxy: ${category} (${what}).`,
      facts: { uid, category, device_id, ...(path && { path }), ...(async_id && { async_id }) },
    },
    {
      at: event.announced_at,
      service: 'device-proxy',
      what: 'event.announced',
      text: `Kafka had it, for ${counted(channels.length + without_channel, 'channel')} that this key may see.`,
      facts: { topic, partition, offset },
    },
    ...channels.flatMap(({ channel }) => channelEntries(channel)),
  ];
};
