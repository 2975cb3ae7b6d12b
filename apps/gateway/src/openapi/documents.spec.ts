import { setImmediate } from 'node:timers/promises';
import { TestClock } from '@lanyard/testing';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import type { UpstreamCalls } from '../proxy/upstream-calls.js';
import { Documents } from './documents.js';

const own: OpenAPIObject = { openapi: '3.1.0', info: { title: 'Own', version: '1' }, paths: {} };

const documentsOf = (paths: object, clock = new TestClock()): Documents => {
  const answer = { statusCode: 200, body: { json: async () => ({ ...own, paths }) } };
  return new Documents({ get: async () => answer } as unknown as UpstreamCalls, clock);
};

describe('the documents of all services', () => {
  it('are serialised once for all responses', async () => {
    const documents = documentsOf({ '/v3/devices': { get: {} } });
    const json = await documents.jsonWith(own);
    expect(JSON.parse(String(json))).toMatchObject({ paths: { '/v3/devices': {} } });
    expect(await documents.jsonWith(own)).toBe(json);
  });

  it.each([
    ['are merged once in 30 seconds', 29_999, 1],
    ['are merged again after 30 seconds', 30_000, 2],
    ['are merged again when the clock was set back', -3_600_000, 2],
  ])('%s', async (_, byMs, merges) => {
    const clock = new TestClock();
    const documents = documentsOf({ '/v3/devices': { get: {} } }, clock);
    const first = await documents.mergedWith(own);
    clock.adjust(byMs);
    expect(new Set([first, await documents.mergedWith(own)]).size).toBe(merges);
  });

  it('that cannot be merged fail what asks for them, and nothing else', async () => {
    const documents = documentsOf({ '/v3/devices': null });
    await expect(documents.mergedWith(own)).rejects.toThrow(TypeError);
    // A rejection that is not awaited would end the process now.
    await setImmediate();
    await expect(documents.jsonWith(own)).rejects.toThrow(TypeError);
  });
});
