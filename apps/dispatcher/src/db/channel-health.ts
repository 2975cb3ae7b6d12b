/** Why nothing is delivered to a callback, although it is registered. */
export type StopReason = 'key_reset' | 'key_revoked';

/** A key, as far as it decides about its callback. */
export interface KeySeen {
  /** Of the key: a later one wins. Replicas hear of a change at different times. */
  revision: number;
  /** Of its newest secret (`fingerprintOf`). */
  fingerprint: string;
  /** Of secrets that prove it as well, for a while: it was rotated, not reset. */
  earlier?: string[];
  mayConnect: boolean;
}

/** Of a callback: with which secret it was registered, and what has become of the key since. */
export interface ChannelHealth {
  /** Fingerprint; null when that is not known: then the first one that is heard of. */
  registeredWith: string | null;
  keySeen: KeySeen | null;
  stopped: StopReason | null;
  stoppedAt: Date | null;
}

/** Of channels that do not stand by a secret: whoever connects or polls shows theirs. */
export const noHealth: ChannelHealth = { registeredWith: null, keySeen: null, stopped: null, stoppedAt: null };

/** Who registered with a secret that was rotated stands by the one that came after it, also when the overlap is over. */
const carriedOver = (registeredWith: string | null, key: KeySeen | null): string | null =>
  registeredWith !== null && key?.earlier?.includes(registeredWith) ? key.fingerprint : registeredWith;

const reasonOf = (registeredWith: string | null, key: KeySeen | null): StopReason | null => {
  if (!key) return null;
  if (registeredWith !== key.fingerprint) return 'key_reset';
  return key.mayConnect ? null : 'key_revoked';
};

/**
 * The standing once the key is known as `heard`: the same object when that is no news. Depends on nothing but what is
 * stored and the newest state of the key, so replicas that decide at different times come to the same.
 */
export const assessed = (health: ChannelHealth, heard: KeySeen | undefined, now: Date): ChannelHealth => {
  const { keySeen } = health;
  const isNews = heard !== undefined && (keySeen === null || heard.revision > keySeen.revision);
  const key = isNews ? heard : keySeen;
  const registeredWith = carriedOver(health.registeredWith ?? key?.fingerprint ?? null, key);
  const stopped = reasonOf(registeredWith, key);
  if (!isNews && registeredWith === health.registeredWith && stopped === health.stopped) return health;
  return { registeredWith, keySeen: key, stopped, stoppedAt: stopped && (health.stoppedAt ?? now) };
};
