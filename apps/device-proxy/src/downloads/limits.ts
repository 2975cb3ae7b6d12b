/** Packages are fetched and kept in parts of this size: what fits into one message over TCP. */
export const rangeBytes = 65_536;
/** 64 MiB of all packages together, in memory. */
export const rangesKeptMax = 1_024;

/** How long an answer of campaigns about a ticket is valid, and how many answers are kept. */
export const ticketTrustMs = 30_000;
export const ticketsKeptMax = 20_000;

/** Requests to campaigns at the same time, and waiting behind them, in all and of one account. */
export const fetchesAtOnce = 16;
export const fetchesWaitingMax = 1_000;
export const fetchesOfAccountMax = 250;

/** From the request to the last byte of a part. */
export const fetchTimeoutMs = 10_000;
export const connectTimeoutMs = 2_000;

/** Max-Age of the 5.03 while a package cannot be fetched: between these, so that a fleet does not return at once. */
export const retrySeconds = { min: 5, max: 30 } as const;

/** The first bytes of the SHA-256: an ETag of CoAP has at most 8 (RFC 7252 §5.10). */
export const etagBytes = 8;
