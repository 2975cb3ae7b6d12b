import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';

export const importBytesMax = 256 * 1_048_576;

export const importsPath = '/v3/device-imports';

const streams = new WeakMap<FastifyRequest['raw'], Readable>();

export const bodyStreamOf = (request: FastifyRequest): Readable => streams.get(request.raw) ?? Readable.from([]);

/** Bodies of imports are not collected: the parser gets an empty one, the handler the stream. Before routes are made. */
export const streamImports = (app: NestFastifyApplication): void => {
  const fastify = app.getHttpAdapter().getInstance();
  fastify.addHook('onRoute', (route) => {
    if (route.url !== importsPath || ![route.method].flat().includes('POST')) return;
    route.bodyLimit = importBytesMax;
    route.preParsing = async (request, _reply, payload) => {
      streams.set(request.raw, payload as Readable);
      // Checks the announced length.
      const receivedEncodedLength = Number(request.headers['content-length'] ?? 0);
      return Object.assign(Readable.from([]), { receivedEncodedLength });
    };
  });
};
