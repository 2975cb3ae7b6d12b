/** A replica holds its slot for this long after a renewal: longer than any pause that the stall detector does not notice. */
export const slotLeaseMs = 12_000;
export const slotRenewalMs = 2_000;

/** Connection ids: two bytes name the slot of the replica that made the id, the rest is random. */
export const slotBytes = 2;
export const connectionIdBytes = 8;

/** How often connections are examined, and when one is saved: after this many records, or this long after its last save. */
export const saveScanMs = 5_000;
export const saveAfterRecords = 256;
export const saveAfterMs = 30_000;

/** Connections per script, which blocks Redis while it runs. */
export const scriptMax = 100;

/** How long the state of a connection is kept without a session: a device registers, or ends its bootstrap, long before. */
export const stateKeptMs = 3_600_000;

/** A state is stored for this much longer than the registration, so that most updates need no save of their own. */
export const keptLongerMs = 300_000;

/** Limits for records whose connections are looked up in Redis: connections, datagrams per connection, bytes, lookups per second. */
export const waitingConnectionsMax = 5_000;
export const waitingDatagramsMax = 4;
export const waitingBytesMax = 8 * 1024 * 1024;
export const lookupsPerSecond = 5_000;

/** How long the result of a lookup is remembered, and for how many connections. */
export const lookupKeptMs = 10_000;
export const lookupsKeptMax = 50_000;

/** Messages between replicas: how old one may be by the clocks of both, and how many senders are distinguished. */
export const peerMessageAgeMs = 30_000;
export const peerSendersMax = 1_024;
