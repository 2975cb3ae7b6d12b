import type { FastifyInstance } from 'fastify';

/** JSON text that exists already: a handler returns it, and it is sent unchanged. */
export class JsonText {
  constructor(
    readonly text: string,
    /** Etag of the record, which the answer has as a header. */
    readonly etag?: string,
  ) {}
}

const textOf = (payload: JsonText): string => payload.text;

/** Teaches Fastify to answer a JsonText, and the etag of a record as a header too. */
export const answerRecords = (fastify: FastifyInstance): void => {
  fastify.addHook('preSerialization', (_request, reply, payload, done) => {
    const { etag } = payload as { etag?: unknown };
    if (typeof etag === 'string') reply.header('etag', `"${etag}"`);
    if (payload instanceof JsonText) reply.serializer(textOf as (payload: unknown) => string);
    done(null, payload);
  });
};
