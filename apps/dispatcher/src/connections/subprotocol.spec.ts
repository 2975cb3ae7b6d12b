import { describe, expect, it } from '@jest/globals';
import { selectedProtocol } from './subprotocol.js';

describe('the subprotocol of a socket', () => {
  it('is wss when offered, and never the entry with the key', () => {
    expect(selectedProtocol(new Set(['service_ak_1x', 'wss']))).toBe('wss');
    expect(selectedProtocol(new Set(['service_ak_1x']))).toBe(false);
  });
});
