/** Size of a block (RFC 7959 §2.2). */
const blockBytesSmallest = 16;
export const blockBytesLargest = 1_024;

/** Bytes of a CoAP message beside its block: header, token, path and other options. */
const headBytes = 48;

/** The largest block whose message fits into records of the given size, the limit of the peer (RFC 8449, RFC 6066). */
export const blockBytesIn = (recordBytesMax: number): number => {
  let bytes = blockBytesLargest;
  while (bytes > blockBytesSmallest && bytes + headBytes > recordBytesMax) bytes /= 2;
  return bytes;
};
