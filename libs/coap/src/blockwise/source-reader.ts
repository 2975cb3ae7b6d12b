import { BlockTransferFailed, RequestAbandoned, UnencodableMessage } from '../errors.js';
import { SOURCE_BYTES_MAX } from '../limits.js';
import { type BodySource } from '../messages/body-source.js';

/** A source for a body that is in memory anyway. */
export function sourceOf(body: Buffer): BodySource {
  return { bytes: body.length, read: async (offset, length) => body.subarray(offset, offset + length) };
}

/** @throws UnencodableMessage */
export function assertSendable({ bytes }: BodySource): void {
  if (!Number.isInteger(bytes) || bytes < 0 || bytes > SOURCE_BYTES_MAX)
    throw new UnencodableMessage(`A source has at most ${SOURCE_BYTES_MAX} bytes`);
}

/**
 * Reads one part of the body. An abort does not wait for the source.
 * @throws (as a rejection) what the source rejects with, BlockTransferFailed, RequestAbandoned
 */
export async function readPart(
  source: BodySource,
  offset: number,
  length: number,
  signal?: AbortSignal,
): Promise<Buffer> {
  if (signal?.aborted) throw new RequestAbandoned();
  const reading = source.read(offset, length);
  const part = await (signal === undefined ? reading : untilAbort(reading, signal));
  if (part.length !== length)
    throw new BlockTransferFailed(`the source gave ${part.length} bytes instead of ${length}`);
  return part;
}

function untilAbort<T>(reading: Promise<T>, signal: AbortSignal): Promise<T> {
  return new Promise((resolve, reject) => {
    const abandon = (): void => reject(new RequestAbandoned());
    signal.addEventListener('abort', abandon, { once: true });
    reading.then(resolve, reject).finally(() => signal.removeEventListener('abort', abandon));
  });
}
