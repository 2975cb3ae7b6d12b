import { payloadOf } from './bytes.js';
import type { NotificationMessage } from './generated/api.js';

type ItemOf<K extends keyof NotificationMessage> = NonNullable<NotificationMessage[K]>[number];

type Ended = Exclude<ItemOf<'de-registrations'>, string>;

/** A value that a device reported. */
export interface ValueEvent {
  category: 'notifications';
  deviceId: string;
  /** Path of the resource, or of the instance or object if the payload holds several resources. */
  path: string;
  payload: Uint8Array;
  contentType: string;
  item: ItemOf<'notifications'>;
}

/** A device registered, or updated its registration. */
export interface RegistrationEvent {
  category: 'registrations' | 'reg-updates';
  deviceId: string;
  item: ItemOf<'registrations'>;
}

/** A device deregistered, or its registration expired. */
export interface EndEvent {
  category: 'de-registrations' | 'registrations-expired';
  deviceId: string;
  item: string | Ended;
}

/** How a command or a subscription ended. */
export interface ResponseEvent {
  category: 'async-responses';
  asyncId: string;
  status: number;
  /** For example TIMEOUT; undefined when it succeeded. */
  error: string | undefined;
  payload: Uint8Array;
  item: ItemOf<'async-responses'>;
}

export type LanyardEvent = ValueEvent | RegistrationEvent | EndEvent | ResponseEvent;

const registration =
  (category: RegistrationEvent['category']) =>
  (item: ItemOf<'registrations'>): RegistrationEvent => ({ category, deviceId: item.ep, item });

const end =
  (category: EndEvent['category']) =>
  (item: ItemOf<'de-registrations'>): EndEvent => ({
    category,
    deviceId: typeof item === 'string' ? item : item.ep,
    item,
  });

/** The events of a message of any kind of channel. Unknown categories are omitted. */
export const eventsOf = (message: NotificationMessage): LanyardEvent[] => [
  ...(message.registrations ?? []).map(registration('registrations')),
  ...(message['reg-updates'] ?? []).map(registration('reg-updates')),
  ...(message.notifications ?? []).map((item): ValueEvent => ({
    category: 'notifications',
    deviceId: item.ep,
    path: item.path,
    payload: payloadOf(item.payload),
    contentType: item.ct,
    item,
  })),
  ...(message['async-responses'] ?? []).map((item): ResponseEvent => ({
    category: 'async-responses',
    asyncId: item.id,
    status: item.status,
    error: item.error,
    payload: payloadOf(item.payload),
    item,
  })),
  ...(message['de-registrations'] ?? []).map(end('de-registrations')),
  ...(message['registrations-expired'] ?? []).map(end('registrations-expired')),
];
