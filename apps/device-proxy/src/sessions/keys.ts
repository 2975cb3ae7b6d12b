/**
 * Redis keys of this service, all under one prefix. Scripts touch a device's hash and the indexes over all devices in
 * one step, so the keys of an installation live in one Redis (or one hash slot), not spread over a cluster.
 */
export const sessionKeys = (prefix: string) => ({
  /** Hash: the session of a device. */
  session: (deviceId: string) => `${prefix}session:${deviceId}`,
  /** Hash of a device: path, with its attributes if it has any -> observation. */
  observations: (deviceId: string) => `${prefix}observations:${deviceId}`,
  /** Hash: `r:<registration id>`, `a:<account>|<address>`, `t:<token>` -> device. */
  index: `${prefix}index`,
  /** Sorted set: device by the time its session expires, grace included. */
  expiry: `${prefix}expiry`,
  /** The last epoch of a device whose session ended; expires. */
  epoch: (deviceId: string) => `${prefix}epoch:${deviceId}`,
  /** Set: devices whose session a replica owns. */
  owned: (replicaId: string) => `${prefix}owned:${replicaId}`,
  /** Set: devices of an account that have a session. */
  account: (accountId: string) => `${prefix}account:${accountId}`,
  /** Set: devices behind a gateway that have a session. */
  behind: (gatewayId: string) => `${prefix}behind:${gatewayId}`,
  /** Pub/sub: wake-ups for one replica. */
  wakeUp: (replicaId: string) => `${prefix}nudge:${replicaId}`,
  /** Pub/sub: wake-ups for all replicas. */
  wakeUpAll: `${prefix}nudge`,
});

export type SessionKeys = ReturnType<typeof sessionKeys>;

export const registrationField = (registrationId: string): string => `r:${registrationId}`;
export const addressField = (accountId: string, address: string): string => `a:${accountId}|${address}`;
export const tokenField = (token: string): string => `t:${token}`;
