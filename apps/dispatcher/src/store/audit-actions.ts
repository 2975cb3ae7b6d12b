import { isDeepStrictEqual } from 'node:util';
import type { Actor, OperatorAction, Target } from '@lanyard/contracts';
import type { CallbackTarget } from '../callback-client/callback-sender.js';
import type { ChannelKind } from '../channel-kind.js';
import type { Channel } from '../db/channel.entity.js';

/** What an operator did to a channel, for the event log of its account. */
export interface AuditAction {
  action: OperatorAction;
  actor: Actor;
  target: Target;
  data: Record<string, string>;
}

/** The part of a channel that operators decide about. */
export interface Registered extends Pick<Channel, 'serialization' | 'stopped'> {
  target: Pick<CallbackTarget, 'url' | 'headers'> | undefined;
}

/** A channel has no id but that of its key. */
const channelOf = ({ keyId }: Actor): Target => ({ kind: 'notification-channel', id: keyId });

/** Only the names of the fields that differ: a URL and headers may hold credentials. */
const differing = (before: Registered, now: Registered): string[] => {
  const fieldsOf = ({ target, serialization, stopped }: Registered): Record<string, unknown> => ({
    url: target?.url,
    headers: target?.headers,
    serialization,
    stopped,
  });
  const old = fieldsOf(before);
  return Object.entries(fieldsOf(now)).flatMap(([name, value]) => (isDeepStrictEqual(value, old[name]) ? [] : [name]));
};

/** undefined when nothing changed: applications register their channel whenever they start. */
export const registration = (
  actor: Actor,
  kind: ChannelKind,
  now: Registered,
  before: Registered | undefined,
): AuditAction | undefined => {
  const base = { actor, target: channelOf(actor) };
  if (!before) return { ...base, action: 'SYS_580', data: { channel_kind: kind } };
  const fields = differing(before, now).join(',');
  return fields === '' ? undefined : { ...base, action: 'SYS_581', data: { channel_kind: kind, fields } };
};

export const deletion = (actor: Actor, kind: ChannelKind): AuditAction => ({
  action: 'SYS_582',
  actor,
  target: channelOf(actor),
  data: { channel_kind: kind },
});

/** `keyId`: whose channel it is. */
export const changeOfSecrets = (
  action: 'SYS_583' | 'SYS_584',
  actor: Actor,
  secretId: string,
  keyId: string,
): AuditAction => ({
  action,
  actor,
  target: { kind: 'signing-secret', id: secretId },
  data: { channel_kind: 'callback', key_id: keyId },
});
