/** Why nothing is delivered to a callback, although it is registered. */
export type StopReason = 'key_reset' | 'key_revoked';

/** The state of a key that decides about its callback. */
export interface KeySeen {
  /** Revision of the key: the later one wins, as replicas read a change at different times. */
  revision: number;
  /** Fingerprint of its newest secret (`fingerprintOf`). */
  fingerprint: string;
  /** Fingerprints of secrets that also prove the key for a while, because it was rotated, not reset. */
  earlier?: string[];
  mayConnect: boolean;
}

/** Health of a callback: the secret that it was registered with, and the state of its key since then. */
export interface ChannelHealth {
  /** Fingerprint. null when it is not known yet: then the first one seen is stored. */
  registeredWith: string | null;
  keySeen: KeySeen | null;
  stopped: StopReason | null;
  stoppedAt: Date | null;
}

/** For channels other than callbacks, whose clients present a secret with each connection or poll. */
export const noHealth: ChannelHealth = { registeredWith: null, keySeen: null, stopped: null, stoppedAt: null };

/** Fingerprints of all secrets that prove the key. */
export const secretsOf = ({ fingerprint, earlier = [] }: KeySeen): string[] => [fingerprint, ...earlier];

/** Whether a request with this secret may still change the callback. */
export const proves = (secret: string | null, key: KeySeen | null): boolean =>
  secret === null || key === null || secretsOf(key).includes(secret);

/**
 * A callback belongs to the newest secret of its key, as long as no reset has replaced all secrets at once. This also holds past
 * the overlap of a rotation, and when one of several access keys of an application is deleted, even if that is the newest.
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
 * The health given the state `latest` of the key: the same object when nothing changes. It depends only on the stored health and
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
