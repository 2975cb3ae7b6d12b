import { describe, expect, it } from '@jest/globals';
import { completed } from './complete.js';

const responses = { 204: { description: '' } };

describe('the completed document', () => {
  it('says of public operations that they need no key, unless they say what they need themselves', () => {
    const { paths } = completed({
      paths: {
        '/v3/records': {
          get: { 'x-permission': 'any-key', responses },
          post: { 'x-permission': 'public', responses },
          delete: { 'x-permission': 'public', security: [{ bearer: [] }, {}], responses },
        },
      },
    });
    const { get, post, delete: remove } = paths['/v3/records'];
    expect(get).not.toHaveProperty('security');
    expect(post).toHaveProperty('security', []);
    expect(remove.security).toEqual([{ bearer: [] }, {}]);
  });
});
