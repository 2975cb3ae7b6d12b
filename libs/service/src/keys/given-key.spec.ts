import { describe, expect, it } from '@jest/globals';
import { keyTextOfSocket } from './given-key.js';

describe('the key of a socket', () => {
  it.each<[string, string | undefined, string | undefined, string | undefined]>([
    ['bearer', 'Bearer ak_1x', undefined, 'ak_1x'],
    ['bearer in any case', 'bEARER ak_1x', undefined, 'ak_1x'],
    ['second entry', undefined, 'wss, service_ak_1x', 'ak_1x'],
    ['first entry', undefined, 'service_ak_1x, wss', 'ak_1x'],
    ['older name', undefined, 'wss,pelion_ak_1x', 'ak_1x'],
    ['alone', undefined, 'service_ak_1x', 'ak_1x'],
    ['none', undefined, 'wss', undefined],
    ['nothing at all', undefined, undefined, undefined],
    ['another scheme', 'Basic abc', undefined, undefined],
  ])('%s', (_, authorization, protocols, expected) => {
    expect(keyTextOfSocket(authorization, protocols)).toBe(expected);
  });
});
