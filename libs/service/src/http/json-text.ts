import type { FastifyInstance } from 'fastify';

/** JSON that is made already: a handler gives it back, and it is answered as it is. */
export class JsonText {
  constructor(
    readonly text: string,
    /** Of the record: the answer has it as a header. */
    readonly etag?: string,
  ) {}
}

const textOf = (payload: JsonText): string => payload.text;

/** Teaches Fastify to answer a JsonText. */
export const answerJsonText = (fastify: FastifyInstance): void => {
  fastify.addHook('preSerialization', (_request, reply, payload, done) => {
    if (payload instanceof JsonText) {
      if (payload.etag !== undefined) reply.header('etag', `"${payload.etag}"`);
      reply.serializer(textOf as (payload: unknown) => string);
    }
    done(null, payload);
  });
};
