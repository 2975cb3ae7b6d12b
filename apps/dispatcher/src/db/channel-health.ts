/** Why nothing is delivered to a callback, although it is registered. */
export type StopReason = 'key_reset' | 'key_revoked';

/** A key, as far as it decides about its callback. */
export interface KeySeen {
  /** Of the key: a later one wins. Replicas read a change at different times. */
  revision: number;
  /** Of its newest secret (`fingerprintOf`). */
  fingerprint: string;
  /** Of secrets that prove it as well, for a while: it was rotated, not reset. */
  earlier?: string[];
  mayConnect: boolean;
}

/** Of a callback: the secret that it was registered with, and the state of its key since. */
export interface ChannelHealth {
  /** Fingerprint; null when not known yet: the first one seen is then stored. */
  registeredWith: string | null;
  keySeen: KeySeen | null;
  stopped: StopReason | null;
  stoppedAt: Date | null;
}

/** Of channels other than callbacks: their clients present a secret with each connection or poll. */
export const noHealth: ChannelHealth = { registeredWith: null, keySeen: null, stopped: null, stoppedAt: null };

/** Fingerprints of all secrets that prove the key. */
export const secretsOf = ({ fingerprint, earlier = [] }: KeySeen): string[] => [fingerprint, ...earlier];

/** Whether a request with this secret may still change the callback. */
export const proves = (secret: string | null, key: KeySeen | null): boolean =>
  secret === null || key === null || secretsOf(key).includes(secret);

/**
 * A callback belongs to the newest secret of its key, as long as no reset has replaced all secrets at once: past the overlap
 * of a rotation, and when an access key of an application is deleted beside another one, even the newest.
 */
const carriedOver = (registeredWith: string | null, key: KeySeen | null, before: KeySeen | null): string | null => {
  if (registeredWith === null || key === null) return registeredWith;
  const secrets = secretsOf(key);
  const earlier = before ? secretsOf(before) : [];
  const continues = earlier.includes(registeredWith) && earlier.some((secret) => secrets.includes(secret));
  return continues || secrets.includes(registeredWith) ? key.fingerprint : registeredWith;
};

const reasonOf = (registeredWith: string | null, key: KeySeen | null): StopReason | null => {
  if (!key) return null;
  if (registeredWith !== key.fingerprint) return 'key_reset';
  return key.mayConnect ? null : 'key_revoked';
};

/**
 * The health given the state `latest` of the key: the same object when nothing changes. Depends only on what is stored and
 * the newest state of the key, so replicas that decide at different times agree.
 */
export const assessed = (health: ChannelHealth, latest: KeySeen | undefined, now: Date): ChannelHealth => {
  const { keySeen } = health;
  const isNews = latest !== undefined && (keySeen === null || latest.revision > keySeen.revision);
  const key = isNews ? latest : keySeen;
  const registeredWith = carriedOver(health.registeredWith ?? key?.fingerprint ?? null, key, keySeen);
  const stopped = reasonOf(registeredWith, key);
  if (!isNews && registeredWith === health.registeredWith && stopped === health.stopped) return health;
  return { registeredWith, keySeen: key, stopped, stoppedAt: stopped && (health.stoppedAt ?? now) };
};
