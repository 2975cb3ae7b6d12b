/** Entries of one read and of one write to a client, which bounds the memory of a stream. */
export const streamPage = 100;

/** Streams of one account per replica, so that no tenant uses the connections of others. */
export const streamsPerAccountMax = 50;

/** A stream reads no more often than this, however many entries come. */
export const readPeriodMs = 200;

/** How often a comment is sent on an idle stream, so that proxies and clients see that the connection is alive. */
export const heartbeatMs = 15_000;

/** A client that reads nothing for this long is disconnected; it resumes with the id of its last entry. */
export const slowClientMs = 30_000;

/** How long clients are told to wait before they reconnect. */
export const reconnectMs = 2_000;

/** How long a connection may stay open after the last message. */
export const closeLingerMs = 1_000;

/** How long an unknown secret is tolerated: the gateway may announce one shortly after accepting it. */
export const announcementGraceMs = 4_000;
