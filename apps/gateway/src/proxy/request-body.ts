import { BodyTooLarge } from '@lanyard/service';
import type { IncomingMessage } from 'node:http';

/** A body may exceed its limit by this much here, because the upstream decides; the gateway only stops floods. */
const spareBytes = 16_384;

/** Bulk imports, the largest of all uploads. */
export const uploadBytesMax = 256 * 1_048_576;

/** Bodies up to this size are buffered, so that another replica can be tried. */
const keptBytesMax = 65_536;

/** The client disconnected while it was sending. */
export class ClientGone extends Error {}

export interface RequestBody {
  /** Opens the body for sending; one that is not buffered can be read once. */
  open(): Buffer | AsyncIterable<Buffer> | null;
  /** Whether the body is buffered, or no reader has begun with it. */
  repeatable(): boolean;
  /** Known in advance only if the client announced it. */
  contentLength?: string;
}

export const emptyBody: RequestBody = { open: () => null, repeatable: () => true };

/**
 * Reads the rest of the body of a request that is answered already: some clients read the response only when they have sent
 * everything, and a close before that resets the connection (RFC 9112 §9.6). A client that sends more than `bytesMax` is
 * disconnected.
 */
export const discardBody = (request: IncomingMessage, bytesMax: number): void => {
  let bytes = 0;
  request.on('data', (chunk: Buffer) => {
    bytes += chunk.length;
    if (bytes > bytesMax) request.destroy();
  });
  request.resume();
};

/** The same for a body that the upstream does not want any more, because it has answered. */
const discardRest = async (
  request: IncomingMessage,
  chunks: AsyncIterator<Buffer>,
  bytesMax: number,
): Promise<void> => {
  await chunks.return?.();
  discardBody(request, bytesMax);
};

async function* chunksOf(request: IncomingMessage, bytesMax: number, onStart: () => void): AsyncGenerator<Buffer> {
  onStart();
  let bytes = 0;
  const chunks = request.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  for (;;) {
    const { value, done } = await chunks.next().catch((cause: unknown) => {
      throw new ClientGone('The client went away while sending.', { cause });
    });
    if (done) return;
    bytes += value.length;
    if (bytes > bytesMax + spareBytes) {
      // A stream that an iterator still listens to does not flow: nothing could read the rest.
      await chunks.return?.();
      throw new BodyTooLarge(bytesMax);
    }
    let isTaken = false;
    try {
      yield value;
      isTaken = true;
    } finally {
      if (!isTaken) await discardRest(request, chunks, bytesMax + spareBytes - bytes);
    }
  }
}

/** Reads a small body. Uses events, because an iterator costs several promises and most bodies are one chunk. */
const collect = (request: IncomingMessage, bytesMax: number): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const parts: Buffer[] = [];
    let bytes = 0;
    const removeListeners = (): void => {
      request.off('data', take).off('end', end).off('error', gone).off('close', gone);
    };
    const take = (chunk: Buffer): void => {
      parts.push(chunk);
      bytes += chunk.length;
      if (bytes <= bytesMax + spareBytes) return;
      removeListeners();
      request.pause();
      reject(new BodyTooLarge(bytesMax));
    };
    const end = (): void => {
      removeListeners();
      const [first] = parts;
      resolve(parts.length === 1 && first ? first : Buffer.concat(parts));
    };
    const gone = (cause?: Error): void => {
      removeListeners();
      reject(new ClientGone('The client went away while sending.', { cause }));
    };
    if (request.destroyed && !request.complete) return gone();
    request.on('data', take).once('end', end).once('error', gone).once('close', gone);
  });

const kept = (bytes: Buffer): RequestBody => ({ open: () => bytes, repeatable: () => true });

const streamed = (request: IncomingMessage, bytesMax: number, contentLength?: string): RequestBody => {
  // A reader that waits for the first chunk takes it even if its call has failed: another reader would miss it.
  let isRead = false;
  return {
    open: () => chunksOf(request, bytesMax, () => void (isRead = true)),
    repeatable: () => !isRead,
    ...(contentLength !== undefined && { contentLength }),
  };
};

/** Buffers small bodies; large ones and those of unknown length are streamed. Throws BodyTooLarge. */
export const requestBody = async (request: IncomingMessage, bytesMax: number): Promise<RequestBody> => {
  const { 'content-length': contentLength, 'transfer-encoding': encoding } = request.headers;
  if (encoding !== undefined) return streamed(request, bytesMax);
  const length = Number(contentLength ?? 0);
  if (length === 0) return emptyBody;
  if (length > bytesMax + spareBytes) throw new BodyTooLarge(bytesMax);
  return length <= keptBytesMax ? kept(await collect(request, bytesMax)) : streamed(request, bytesMax, contentLength);
};
