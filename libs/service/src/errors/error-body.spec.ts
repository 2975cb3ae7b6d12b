import { expect, it } from '@jest/globals';
import { errorReply } from './error-body.js';
import { NotFound } from './service-error.js';

it.each([
  ['/v2/endpoints', undefined],
  ['//v2//endpoints', '*/*'],
])('an error of %s for Accept %s is the token', (path, accept) => {
  const contentType = 'text/plain; charset=utf-8';
  expect(errorReply(new NotFound(), path, accept, 'r-1')).toMatchObject({ contentType, body: 'NOT_FOUND' });
});

it.each([
  ['/v2/endpoints', 'application/json'],
  ['/v2/endpoints', 'text/html, Application/JSON;q=0.9'],
  ['/v3/devices', 'text/plain'],
])('an error of %s for Accept %s is the error object', (path, accept) => {
  const { contentType, body } = errorReply(new NotFound(), path, accept, 'r-1');
  expect(contentType).toBe('application/json; charset=utf-8');
  expect(JSON.parse(body)).toMatchObject({ object: 'error', code: 404, type: 'not_found', request_id: 'r-1' });
});
