import { expect, it } from '@jest/globals';
import { createFastify } from '../http/fastify.js';
import { newId } from '../ids.js';
import { formatApiKey, newSecret } from '../keys/api-key.js';
import { traceRequests } from './http-spans.js';
import { type SpanRecorder, Tracing } from './tracing.js';

it('a span is named by the path without ids, without the query, and without a key that was put into the path', async () => {
  const names: string[] = [];
  const recorder: SpanRecorder = {
    start: (_, name) => {
      names.push(name);
      return { traceParent: '', end: () => undefined };
    },
    stop: () => Promise.resolve(),
  };
  const fastify = createFastify().getInstance();
  traceRequests(fastify, new Tracing(recorder, 1), 'ratio');
  fastify.get('/v3/*', async () => 'found');
  const [accountId, keyId] = [newId(), newId()];
  const secret = newSecret(accountId, keyId);
  const key = formatApiKey({ accountId, keyId, secret });
  for (const id of [keyId, key]) {
    const { body } = await fastify.inject(`/v3/api-keys/${id}?name=${key}`);
    expect(body).toBe('found');
  }
  await fastify.close();
  expect(names).toEqual(['GET /v3/api-keys/:id', expect.stringMatching(/^GET \/v3\/api-keys\/ak_.*…$/)]);
  expect(names.join()).not.toContain(secret);
});
