import { setImmediate } from 'node:timers/promises';
import { TestClock } from '@lanyard/testing';
import type { OpenAPIObject } from '@nestjs/swagger';
import { describe, expect, it } from '@jest/globals';
import type { UpstreamCalls } from '../proxy/upstream-calls.js';
import { Documents } from './documents.js';

const own: OpenAPIObject = { openapi: '3.1.0', info: { title: 'Own', version: '1' }, paths: {} };

const documentsOf = (paths: object): Documents => {
  const answer = { statusCode: 200, body: { json: async () => ({ ...own, paths }) } };
  return new Documents({ get: async () => answer } as unknown as UpstreamCalls, new TestClock());
};

describe('the documents of all services', () => {
  it('are serialised once for all responses', async () => {
    const documents = documentsOf({ '/v3/devices': { get: {} } });
    const json = await documents.jsonWith(own);
    expect(JSON.parse(String(json))).toMatchObject({ paths: { '/v3/devices': {} } });
    expect(await documents.jsonWith(own)).toBe(json);
  });

  it('that cannot be merged fail what asks for them, and nothing else', async () => {
    const documents = documentsOf({ '/v3/devices': null });
    await expect(documents.mergedWith(own)).rejects.toThrow(TypeError);
    // A rejection that is not awaited would end the process now.
    await setImmediate();
    await expect(documents.jsonWith(own)).rejects.toThrow(TypeError);
  });
});
