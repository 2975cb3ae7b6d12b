import { describe, expect, it } from '@jest/globals';
import { keyTextOf, selectedProtocol } from './socket-credential.js';

describe('the credential of a socket', () => {
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
    expect(keyTextOf(authorization, protocols)).toBe(expected);
  });

  it('wss is selected when offered; the entry with the key never', () => {
    expect(selectedProtocol(new Set(['service_ak_1x', 'wss']))).toBe('wss');
    expect(selectedProtocol(new Set(['service_ak_1x']))).toBe(false);
  });
});
