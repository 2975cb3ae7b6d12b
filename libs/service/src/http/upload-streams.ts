import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

const streams = new WeakMap<FastifyRequest['raw'], Readable>();

/** The connection of a request ends with its stream. This one leaves it open, and drops what its reader does not want. */
async function* withoutConnection(body: Readable): AsyncGenerator<Buffer, void> {
  try {
    yield* body.iterator({ destroyOnReturn: false }) as AsyncIterableIterator<Buffer>;
  } finally {
    body.resume();
  }
}

/** The body of an upload, unread. A reader may end before the body does: the answer can still be sent. */
export const bodyStreamOf = (request: FastifyRequest): Readable => {
  const body = streams.get(request.raw);
  return Readable.from(body ? withoutConnection(body) : []);
};

/**
 * Configures an app before its routes are made: the body of a POST to `path` is not collected. The parser gets an empty body,
 * and the handler calls `bodyStreamOf`.
 */
export const streamUploads =
  (path: string, bytesMax: number) =>
  (app: NestFastifyApplication): void => {
    const fastify = app.getHttpAdapter().getInstance();
    fastify.addHook('onRoute', (route) => {
      if (route.url !== path || ![route.method].flat().includes('POST')) return;
      route.bodyLimit = bytesMax;
      route.preParsing = async (request, _reply, payload) => {
        streams.set(request.raw, payload as Readable);
        // Fastify compares it with the announced length.
        const receivedEncodedLength = Number(request.headers['content-length'] ?? 0);
        return Object.assign(Readable.from([]), { receivedEncodedLength });
      };
    });
  };
