import { describe, expect, it } from '@jest/globals';
import { Serialization } from './serialization.js';

const cfg = {
  include_uid: false,
  include_timestamp: false,
  include_original_ep: false,
  deregistrations_as_object: false,
  use_endpoint_name: false,
};

describe('the serialization section (spec §4.5)', () => {
  it('fills in defaults', () => {
    expect(Serialization.parse({ type: 'v2' })).toEqual({ type: 'v2', max_chunk_size: 10_000, cfg });
  });

  it('takes text that holds numbers and booleans, and keeps native types', () => {
    const given = { type: 'v2', max_chunk_size: '100', cfg: { include_uid: 'true', include_timestamp: 'false' } };
    expect(Serialization.parse(given)).toEqual({
      type: 'v2',
      max_chunk_size: 100,
      cfg: { ...cfg, include_uid: true },
    });
  });

  it.each([
    ['another type', { type: 'v1' }],
    ['a batch of none', { max_chunk_size: 0 }],
    ['a batch beyond the limit', { max_chunk_size: 20_001 }],
    ['half an event', { max_chunk_size: 1.5 }],
    ['words for a number', { max_chunk_size: 'many' }],
    ['words for a boolean', { cfg: { include_uid: 'yes' } }],
  ])('refuses %s', (_, given) => {
    expect(Serialization.safeParse(given).success).toBe(false);
  });

  it.each([1, 20_000])('takes a batch of %i', (max_chunk_size) => {
    expect(Serialization.parse({ max_chunk_size }).max_chunk_size).toBe(max_chunk_size);
  });
});
