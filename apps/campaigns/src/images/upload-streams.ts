import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { FastifyRequest } from 'fastify';
import { Readable } from 'node:stream';
import { imageBytesMax } from '../limits.js';

export const imagesPath = '/v3/firmware-images';

const streams = new WeakMap<FastifyRequest['raw'], Readable>();

/** The body of an upload, unread. */
export const bodyStreamOf = (request: FastifyRequest): Readable => streams.get(request.raw) ?? Readable.from([]);

/** Bodies of uploads are not collected: the parser gets an empty one, the handler the stream. Before routes are made. */
export const streamUploads = (app: NestFastifyApplication): void => {
  app
    .getHttpAdapter()
    .getInstance()
    .addHook('onRoute', (route) => {
      if (route.url !== imagesPath || ![route.method].flat().includes('POST')) return;
      route.bodyLimit = imageBytesMax;
      route.preParsing = async (request, _reply, payload) => {
        streams.set(request.raw, payload as Readable);
        // Checks the announced length.
        const receivedEncodedLength = Number(request.headers['content-length'] ?? 0);
        return Object.assign(Readable.from([]), { receivedEncodedLength });
      };
    });
};
