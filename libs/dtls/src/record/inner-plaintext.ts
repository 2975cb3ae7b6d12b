/** DTLSInnerPlaintext: what is encrypted in a record with a connection id (RFC 9146 §4). */

/** Content and type, without padding. */
export function encodeInnerPlaintext(type: number, content: Buffer): Buffer {
  const inner = Buffer.allocUnsafe(content.length + 1);
  content.copy(inner);
  inner[content.length] = type;
  return inner;
}

/** Removes zeros, then the type; `undefined` when there are only zeros. */
export function decodeInnerPlaintext(inner: Buffer): { type: number; plaintext: Buffer } | undefined {
  let end = inner.length - 1;
  while (end >= 0 && inner[end] === 0) end -= 1;
  return end < 0 ? undefined : { type: inner[end]!, plaintext: inner.subarray(0, end) };
}
