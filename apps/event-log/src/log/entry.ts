import { createHash } from 'node:crypto';
import type {
  ChannelEventsDropped,
  DeviceCommandFinished,
  DeviceEventReported,
  DeviceLifecycleChanged,
  DeviceSessionChanged,
} from '@lanyard/contracts';
import { lookUpCode } from './codes.js';

export interface LogEntry {
  id: string;
  accountId: string;
  /** Empty if it happened to a channel and not to a device. */
  deviceId: string;
  /** ISO 8601, up to microseconds. */
  occurredAt: string;
  eventCode: string;
  description: string;
  stateChange: boolean;
  changes: Record<string, string>;
  data: Record<string, string>;
}

/** The same fact always yields the same id, and ids sort by time. */
export const entryId = (occurredAt: string, source: string): string =>
  Date.parse(occurredAt).toString(16).padStart(12, '0') +
  createHash('sha256').update(source).digest('hex').slice(0, 20);

interface Fact {
  accountId: string;
  /** Absent if it happened to a channel. */
  deviceId?: string;
}

type NewEntry = Partial<LogEntry> & Pick<LogEntry, 'occurredAt' | 'eventCode'> & { source: string };

const entry = ({ accountId, deviceId = '' }: Fact, { source, ...given }: NewEntry): LogEntry => ({
  id: entryId(given.occurredAt, source),
  accountId,
  deviceId,
  description: lookUpCode(given.eventCode).meaning,
  stateChange: true,
  changes: {},
  data: {},
  ...given,
});

const endings: Record<NonNullable<DeviceSessionChanged['reason']>, string> = {
  device: 'Device deregistered',
  lifetime: 'Device deregistered: its registration expired',
  suspended: 'Device deregistered: it was suspended',
  deleted: 'Device deregistered: it was deleted',
  replaced: 'Device deregistered: it registered again',
  'credential-withdrawn': 'Device deregistered: its credential was withdrawn',
  gateway: 'Device deregistered: its LwM2M gateway does not serve it any more',
};

const present = (record: Record<string, string | number | undefined>): Record<string, string> =>
  Object.fromEntries(Object.entries(record).flatMap(([k, v]) => (v === undefined ? [] : [[k, String(v)]])));

/** Registrations and their ends; updates of a registration are no log entries. */
export const sessionEntry = (fact: DeviceSessionChanged): LogEntry | undefined => {
  const { occurredAt } = fact;
  // A change that is produced twice (after a crash before the acknowledgement) has the same epoch and is one entry.
  const source = `session:${fact.deviceId}:${fact.epoch}:${fact.change}`;
  const data = present({
    endpoint_name: fact.endpointName,
    address: fact.address,
    remote_address: fact.remoteAddress,
    lifetime: fact.lifetimeSeconds,
    host_gateway: fact.hostGateway,
  });
  switch (fact.change) {
    case 'registered':
      return entry(fact, { occurredAt, source, eventCode: 'SYS_106', data });
    case 'deregistered':
    case 'expired':
      return entry(fact, {
        occurredAt,
        source,
        eventCode: 'SYS_105',
        description: endings[fact.reason ?? (fact.change === 'expired' ? 'lifetime' : 'device')],
        data,
      });
    case 'updated':
      return undefined;
  }
};

const lifecycleCodes: Record<Exclude<DeviceLifecycleChanged['change'], 'changed'>, string> = {
  created: 'SYS_200',
  suspended: 'SYS_201',
  resumed: 'SYS_202',
  deleted: 'SYS_203',
};

/**
 * The registry gives the id of a first contact no device if another device has its name. It announces that id as
 * deleted, so that the device-proxy forgets it. A device is never deleted in its first revision.
 */
const isRefusedContact = ({ change, revision }: DeviceLifecycleChanged): boolean =>
  change === 'deleted' && revision === 0;

/**
 * Creation, suspension, resumption and deletion, with the id of the request that caused it. Other changes by an operator arrive
 * on device.events.
 */
export const lifecycleEntry = (fact: DeviceLifecycleChanged, requestId?: string): LogEntry | undefined => {
  if (fact.change === 'changed' || isRefusedContact(fact)) return undefined;
  const eventCode = lifecycleCodes[fact.change];
  const { suspension } = fact;
  return entry(fact, {
    occurredAt: fact.changedAt,
    source: `lifecycle:${fact.deviceId}:${fact.revision}`,
    eventCode,
    ...(suspension && { description: `${lookUpCode(eventCode).meaning} by ${suspension.by}: ${suspension.category}` }),
    changes: { lifecycle_status: fact.lifecycleStatus },
    data: present({
      endpoint_name: fact.endpointName || undefined,
      category: suspension?.category,
      by: suspension?.by,
      text: suspension?.description,
      actor_key_id: fact.actor?.keyId,
      actor_account_id: fact.actor && fact.accountId,
      request_id: requestId,
    }),
  });
};

/** The errors with which a command or a subscription ends that the device did not answer. A refusal is an answer. */
const unanswered = new Set(['REQUEST_EXPIRED', 'TIMEOUT', 'NOT_CONNECTED', 'CONNECTION_FAILED']);

/**
 * A command or a subscription without an answer of the device; the history of commands has all others. The error goes
 * to the sender only (spec §7), and readers of the log need not be the sender.
 */
export const unreachedEntry = (fact: DeviceCommandFinished, requestId?: string): LogEntry | undefined => {
  const { commandId, item, kind, method, path } = fact;
  if (item.error === undefined || !unanswered.has(item.error)) return undefined;
  // A campaign tries again, and announces the result of the device itself.
  if (fact.campaignId !== undefined) return undefined;
  return entry(fact, {
    occurredAt: fact.finishedAt,
    source: `unreached:${commandId}`,
    eventCode: 'SYS_100',
    description: `${lookUpCode('SYS_100').meaning}: ${kind} ${method} ${path}`,
    stateChange: false,
    data: present({
      endpoint_name: fact.endpointName,
      command_id: commandId,
      async_id: fact.asyncId,
      key_id: fact.keyId,
      method,
      path,
      request_id: requestId,
    }),
  });
};

const dropCodes: Record<ChannelEventsDropped['reason'], string> = {
  size: 'SYS_300',
  age: 'SYS_301',
  failed: 'SYS_302',
  removed: 'SYS_303',
};

/** Events that the queue of a channel dropped. The entry belongs to the account, not to a device. */
export const dropEntry = (fact: ChannelEventsDropped): LogEntry => {
  const { keyId, kind, reason, count, total, ending } = fact;
  const eventCode = dropCodes[reason];
  return entry(fact, {
    occurredAt: fact.occurredAt,
    source: `drops:${keyId}:${fact.channelCreatedAt}:${reason}:${total}`,
    eventCode,
    description: `${lookUpCode(eventCode).meaning}${ending ? ` (${ending})` : ''}: ${count} of the ${kind} channel of key ${keyId}`,
    stateChange: false,
    data: present({ key_id: keyId, channel_kind: kind, reason, count, total, ending }),
  });
};

/** An entry that another service or system sent to device.events. Without a description, it gets that of its code. */
export const reportedEntry = (fact: DeviceEventReported): LogEntry => ({
  id: fact.eventId,
  accountId: fact.accountId,
  deviceId: fact.deviceId ?? '',
  occurredAt: fact.occurredAt,
  eventCode: fact.eventCode,
  description: fact.description ?? lookUpCode(fact.eventCode).meaning,
  stateChange: fact.stateChange ?? false,
  changes: fact.changes ?? {},
  data: fact.data ?? {},
});
