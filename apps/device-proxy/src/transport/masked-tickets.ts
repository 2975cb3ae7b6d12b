/** How the URI from which a device may download a package ends. JSON may have a backslash before each slash. */
const start = Buffer.from('/downloads');
const ticketStarts = [Buffer.from('/t-'), Buffer.from('\\/t-')];
const secretBytes = 32;
const bytesMin = '/downloads/t-'.length + secretBytes;
const mask = '*'.charCodeAt(0);

/** Where the secret of the next ticket begins; -1: there is none. */
const secretIn = (payload: Buffer, from: number): number => {
  for (let at = payload.indexOf(start, from); at >= 0; at = payload.indexOf(start, at)) {
    at += start.length;
    for (const ticket of ticketStarts)
      if (payload.subarray(at, at + ticket.length).equals(ticket)) return at + ticket.length;
  }
  return -1;
};

/**
 * Masks the tickets in what a device sends: a device tells in a read from which URI it downloads (`/5/0/1`), and values go to
 * topics, stores and applications. The length stays, so masking is the same in every content format.
 */
export const maskTickets = (payload: Buffer): Buffer => {
  if (payload.length < bytesMin) return payload;
  let at = secretIn(payload, 0);
  if (at < 0) return payload;
  const masked = Buffer.from(payload);
  for (; at >= 0; at = secretIn(masked, at)) masked.fill(mask, at, Math.min(at + secretBytes, masked.length));
  return masked;
};
