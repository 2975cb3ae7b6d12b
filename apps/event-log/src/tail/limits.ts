/** Entries of one read, and of one write to a client: what a stream holds in memory. */
export const streamPage = 100;

/** Streams of one account in one replica: no tenant takes the others' connections. */
export const streamsPerAccountMax = 50;

/** A stream reads no more often than this, however many entries come. */
export const readPeriodMs = 200;

/** A comment when nothing else was sent: proxies and clients see that the connection lives. */
export const heartbeatMs = 15_000;

/** A client that takes nothing for this long is let go; it comes back with the id of its last entry. */
export const slowClientMs = 30_000;

/** What clients are told to wait before they connect again. */
export const reconnectMs = 2_000;

/** After its last word a connection is cut. */
export const farewellMs = 1_000;

/** A secret that the gateway accepted may be announced a little later. */
export const announcementGraceMs = 4_000;
