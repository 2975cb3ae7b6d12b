/** How a URI ends from which a device may download a package. */
const start = Buffer.from('/downloads/t-');
const secretBytes = 32;
const mask = '*'.charCodeAt(0);

/**
 * What a device sends, without tickets: a device that is read says from which URI it downloads (`/5/0/1`), and a value goes
 * to topics, stores and applications. The length stays, so it is the same in every content format.
 */
export const maskTickets = (payload: Buffer): Buffer => {
  if (payload.length < start.length + secretBytes) return payload;
  let at = payload.indexOf(start);
  if (at < 0) return payload;
  const masked = Buffer.from(payload);
  for (; at >= 0; at = masked.indexOf(start, at)) {
    at += start.length;
    masked.fill(mask, at, Math.min(at + secretBytes, masked.length));
  }
  return masked;
};
